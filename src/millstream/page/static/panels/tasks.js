// Tasks on executors: who has which, how far behind they are, and which moved and why.

import { byId, el, keyed, setAttribute, setText } from "../lib/dom.js";
import { ago, count, short } from "../lib/format.js";
import { REASONS, show } from "../lib/measured.js";
import { Table } from "../lib/table.js";

/** A task counts as moved for so long. */
const RECENTLY = 10 * 60 * 1000;
const NOWHERE = "";

export class TasksPanel {
  constructor() {
    this.map = el("ul", { class: "executors", "aria-label": "Executors and their tasks" });
    this.table = new Table({
      label: "Tasks",
      key: (row) => row.id,
      empty: "There are no tasks yet: they are known when the first batch begins.",
      few: 8,
      columns: [
        { title: "Task", of: (row) => row.id },
        { title: "Executor", of: (row) => row.executor, format: String, left: true, reason: REASONS.executor },
        { title: "Lag", of: (row) => row.lag, format: count, reason: REASONS.taskLag, bar: true },
        { title: "Records", of: (row) => row.records, format: count, reason: REASONS.records },
        { title: "Standbys", wide: true, of: (row) => row.standbys.join(", "), fill: standbys },
        { title: "Moved", wide: true, of: (row) => row.previous?.at ?? null, fill: (cell, row) => this.#moved(cell, row) },
      ],
    });
    byId("tasks-body").append(this.map, this.table.element);
  }

  update(snapshot) {
    this.now = snapshot.at;
    const { tasks, executors } = snapshot;
    const moved = tasks.filter((task) => this.#isMoved(task)).length;
    const parts = [`${tasks.length} ${tasks.length === 1 ? "task" : "tasks"}`, `${executors.length} ${executors.length === 1 ? "executor" : "executors"}`];
    if (moved) parts.push(`${moved} moved in the last 10 min`);
    setText(byId("tasks-note"), parts.join(", "));
    this.#executors(executors, tasks);
    this.table.update(tasks);
  }

  #isMoved(task) {
    return task.previous !== null && task.previous !== undefined && this.now - task.previous.at < RECENTLY;
  }

  #moved(cell, { previous }) {
    setText(cell, previous ? `from ${previous.executor}, ${ago(previous.at, this.now)}: ${previous.why}` : "no");
    cell.classList.toggle("faint", !previous);
  }

  #executors(executors, tasks) {
    const known = new Set(executors.map(({ id }) => id));
    const stray = tasks.filter((task) => !known.has(task.executor));
    const rows = [...executors];
    if (stray.length) rows.push({ id: NOWHERE, host: null, standbys: 0, cores: null });
    keyed(this.map, rows, ({ id }) => id, executorRow, (element, executor) => {
      const own = executor.id === NOWHERE ? stray : tasks.filter((task) => task.executor === executor.id);
      this.#executor(element, executor, own, tasks);
    });
  }

  #executor(element, executor, own, tasks) {
    const [facts, chips] = element.children;
    const nowhere = executor.id === NOWHERE;
    setText(facts.children[0], nowhere ? "Executor not known" : executor.id);
    setText(facts.children[1], nowhere ? REASONS.executor : (executor.host ?? "host not known"));
    const load = facts.children[2];
    const standbys = executor.standbys ? `, ${executor.standbys} standby` : "";
    setText(load, `${own.length} ${own.length === 1 ? "task" : "tasks"}${standbys}`);
    load.dataset.value = own.length;
    facts.children[3].hidden = nowhere;
    if (!nowhere) show(facts.children[3], executor.cores, (cores) => `${cores} cores`, REASONS.cores);
    if (!nowhere && executor.cores === null) setText(facts.children[3], "cores not measured");
    const copies = tasks.filter((task) => !nowhere && task.standbys.includes(executor.id));
    const items = [...own.map((task) => ({ task, standby: false })), ...copies.map((task) => ({ task, standby: true }))];
    keyed(chips, items, ({ task, standby }) => `${task.id} ${standby}`, () => el("li"), (chip, item) => this.#chip(chip, item));
  }

  #chip(chip, { task, standby }) {
    setText(chip, task.id);
    chip.className = ["chip", `part-of-${task.stage % 4}`, standby ? "standby" : "", this.#isMoved(task) && !standby ? "moved" : ""].filter(Boolean).join(" ");
    const facts = [standby ? `standby of task ${task.id}` : `task ${task.id}`, `stage ${task.stage}`];
    if (!standby && task.lag !== null) facts.push(`lag ${short(task.lag)}`);
    if (!standby && this.#isMoved(task)) facts.push(`moved from ${task.previous.executor}: ${task.previous.why}`);
    setAttribute(chip, "title", facts.join(", "));
    setAttribute(chip, "aria-label", facts.join(", "));
  }
}

function standbys(cell, { standbys: executors }) {
  setText(cell, executors.join(", ") || "none");
  cell.classList.toggle("faint", executors.length === 0);
}

function executorRow() {
  const facts = el("div", { class: "executor-facts" }, el("strong"), el("span"), el("span"), el("span"));
  return el("li", { class: "executor" }, facts, el("ul", { class: "chips" }));
}
