// The last batches: a stacked bar for each, with its parts, and the same as a table.

import { byId, el, keyed, setText, svg, viewSwitch } from "../lib/dom.js";
import { count, duration, moment, rate } from "../lib/format.js";
import { REASONS } from "../lib/measured.js";
import { Table } from "../lib/table.js";

const HEIGHT = 216;
const RECORDS = 30;
const MARGIN = { left: 52, right: 4, top: 8, bottom: 18 };
const ORDER = ["read", "plan", "pack"];
const END = ["sink", "commit", "other"];

/** The class of a part's colour; stages take turns among four. */
export function partClass(name) {
  const stage = /^stage (\d+)$/.exec(name);
  return stage ? `part-stage-${Number(stage[1]) % 4}` : `part-${[...ORDER, ...END].includes(name) ? name : "other"}`;
}

/** The names of all parts, in the order of a batch's life. */
export function partNames(batches) {
  const names = new Set(batches.flatMap((batch) => batch.parts.map((part) => part.name)));
  const rank = (name) => {
    if (ORDER.includes(name)) return ORDER.indexOf(name);
    if (END.includes(name)) return 10000 + END.indexOf(name);
    return 100 + Number(/\d+/.exec(name)?.[0] ?? 0);
  };
  return [...names].sort((one, other) => rank(one) - rank(other) || one.localeCompare(other));
}

/** Return round values for an axis up to `largest`: 0, 200, 400 ms. */
export function ticks(largest) {
  const rough = Math.max(largest, 1) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
  return [1, 2, 3].map((each) => each * step).filter((each) => each < largest * 1.05 || each === step);
}

export class BatchesPanel {
  constructor() {
    this.chart = svg("svg", { class: "batches-chart", "aria-hidden": "true" });
    this.slider = el("div", { class: "chart-frame", tabindex: "0", role: "slider", "aria-label": "Batch", "aria-orientation": "horizontal" }, this.chart);
    this.detail = el("dl", { class: "inline batch-detail" });
    this.legend = el("ul", { class: "legend", "aria-label": "Parts of a batch" });
    this.picture = el("div", { class: "batches-picture" }, this.slider, this.detail, this.legend);
    this.empty = el("p", { class: "empty", text: "No batch has ended yet." });
    // A column for each stage: many are wider than any screen.
    this.holder = el("div", { class: "wide-table", tabindex: "0", role: "region", "aria-label": "Table of the batches", hidden: true });
    this.batches = [];
    this.chosen = null;
    this.pointed = null;
    this.view = 0;
    byId("batches-tools").append(viewSwitch("View of the batches", ["Chart", "Table"], (index) => this.#choose(index)));
    byId("batches-body").append(this.empty, this.picture, this.holder);
    this.#listen();
  }

  update({ batches }) {
    this.batches = batches;
    const last = batches.at(-1);
    setText(byId("batches-note"), last ? `last ${batches.length}, the newest at the right` : "");
    this.#draw();
  }

  #choose(index) {
    this.view = index;
    this.#draw();
  }

  #draw() {
    const none = this.batches.length === 0;
    this.empty.hidden = !none;
    this.picture.hidden = none || this.view === 1;
    this.holder.hidden = none || this.view === 0;
    if (none) return;
    if (this.view === 1) this.#table();
    else this.#picture();
  }

  #listen() {
    this.slider.addEventListener("keydown", (event) => this.#key(event));
    this.slider.addEventListener("pointermove", (event) => this.#point(event));
    this.slider.addEventListener("pointerleave", () => this.#pointed(null));
    new ResizeObserver(() => this.#draw()).observe(byId("batches-body"));
  }

  #key(event) {
    const last = this.batches.length - 1;
    const at = this.#index();
    const targets = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0, End: last, PageUp: at - 10, PageDown: at + 10 };
    if (event.key === "Escape") this.chosen = null;
    else if (targets[event.key] !== undefined) {
      const index = Math.min(last, Math.max(0, targets[event.key]));
      // Who goes to the newest batch follows the newest from then on.
      this.chosen = index === last ? null : this.batches[index].id;
    } else return;
    event.preventDefault();
    this.#draw();
  }

  #point(event) {
    const box = this.slider.getBoundingClientRect();
    const index = Math.floor((event.clientX - box.left - MARGIN.left) / this.slot);
    const batch = this.batches[index - (this.slots - this.batches.length)];
    this.#pointed(batch ? batch.id : null);
  }

  #pointed(id) {
    if (id === this.pointed) return;
    this.pointed = id;
    this.#draw();
  }

  /** The batch that is pointed at; else the chosen one; else the newest. */
  #index() {
    const at = (id) => (id === null ? -1 : this.batches.findIndex((batch) => batch.id === id));
    const [pointed, chosen] = [at(this.pointed), at(this.chosen)];
    if (pointed >= 0) return pointed;
    return chosen >= 0 ? chosen : this.batches.length - 1;
  }

  #picture() {
    const width = byId("batches-body").clientWidth;
    if (width < 50) return;
    this.slots = Math.max(this.batches.length, width < 500 ? 30 : 60);
    this.slot = (width - MARGIN.left - MARGIN.right) / this.slots;
    this.names = partNames(this.batches);
    const index = this.#index();
    this.chart.setAttribute("viewBox", `0 0 ${width} ${HEIGHT + RECORDS}`);
    this.chart.replaceChildren(...this.#axis(width), ...this.batches.flatMap((batch, at) => this.#bar(batch, at, at === index)));
    this.#detailOf(this.batches[index]);
    this.#legendOf();
    this.#slide(index);
  }

  #axis(width) {
    const largest = Math.max(1, ...this.batches.map((batch) => batch.total_ms));
    const marks = ticks(largest);
    this.high = Math.max(largest, marks.at(-1));
    const lines = [0, ...marks].flatMap((value) => [
      svg("line", { class: value ? "grid" : "grid base", x1: MARGIN.left, x2: width - MARGIN.right, y1: this.#y(value), y2: this.#y(value) }),
      svg("text", { class: "tick", x: MARGIN.left - 8, y: this.#y(value) + 4, "text-anchor": "end", text: value ? duration(value) : "0" }),
    ]);
    const label = svg("text", { class: "tick", x: MARGIN.left - 8, y: HEIGHT + RECORDS - 4, "text-anchor": "end", text: "records" });
    return [...lines, label];
  }

  #y(value) {
    const room = HEIGHT - MARGIN.top - MARGIN.bottom;
    return Math.round((HEIGHT - MARGIN.bottom - (value / this.high) * room) * 10) / 10;
  }

  #bar(batch, at, chosen) {
    const x = MARGIN.left + (this.slots - this.batches.length + at) * this.slot;
    const width = Math.max(1, this.slot - Math.min(3, this.slot * 0.25));
    const marks = chosen ? [svg("rect", { class: "column", x: x - 1, y: 0, width: width + 2, height: HEIGHT + RECORDS })] : [];
    let sum = 0;
    for (const name of this.names) {
      const ms = partOf(batch, name);
      if (!ms) continue;
      const [low, high] = [this.#y(sum), this.#y(sum + ms)];
      marks.push(svg("rect", { class: partClass(name), x, y: high, width, height: Math.max(0.5, low - high - (low - high > 3 ? 0.5 : 0)) }));
      sum += ms;
    }
    const most = Math.max(1, ...this.batches.map((each) => each.records));
    const height = (batch.records / most) * (RECORDS - 6);
    marks.push(svg("rect", { class: "records-bar", x, y: HEIGHT + RECORDS - 2 - height, width, height }));
    return marks;
  }

  #detailOf(batch) {
    const facts = [["Batch", String(batch.id)], ["At", moment(batch.started)], ["Took", duration(batch.total_ms), batch.total_ms], ["Records", count(batch.records), batch.records]];
    if (batch.total_ms > 0) facts.push(["Rate", rate((batch.records * 1000) / batch.total_ms)]);
    keyed(this.detail, facts, ([name]) => name, ([name]) => el("div", {}, el("dt", { text: name }), el("dd")), (element, [, text, value]) => {
      setText(element.lastElementChild, text ?? "not measured");
      element.lastElementChild.dataset.value = value ?? "";
    });
  }

  /** The legend has the chosen batch's numbers, so that it is the place to read them. */
  #legendOf() {
    const batch = this.batches[this.#index()];
    keyed(this.legend, this.names, (name) => name, legendItem, (element, name) => {
      const ms = partOf(batch, name);
      setText(element.lastElementChild, duration(ms) ?? "–");
      element.lastElementChild.dataset.value = ms ?? "";
    });
  }

  #slide(index) {
    const batch = this.batches[index];
    const parts = batch.parts.map((part) => `${part.name} ${duration(part.ms)}`).join(", ");
    const text = `batch ${batch.id}, ${duration(batch.total_ms)}, ${count(batch.records)} records: ${parts}`;
    const values = { min: 1, max: this.batches.length, now: index + 1, text };
    for (const [name, value] of Object.entries(values)) this.slider.setAttribute(`aria-value${name}`, value);
  }

  #table() {
    const names = partNames(this.batches);
    if (this.columns !== names.join("\n")) {
      this.columns = names.join("\n");
      this.table = new Table({ label: "Batches", key: (row) => row.id, empty: "", columns: columnsOf(names) });
      this.holder.replaceChildren(this.table.element);
    }
    this.table.update([...this.batches].reverse());
  }
}

const partOf = (batch, name) => batch.parts.find((part) => part.name === name)?.ms ?? null;

function legendItem(name) {
  const swatch = svg("svg", { class: "swatch", viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("rect", { class: partClass(name), width: 10, height: 10, rx: 2 }));
  return el("li", {}, swatch, el("span", { text: name }), el("span", { class: "legend-value" }));
}

function columnsOf(names) {
  return [
    { title: "Batch", of: (row) => String(row.id) },
    { title: "At", of: (row) => moment(row.started) },
    { title: "Records", of: (row) => row.records, format: count, reason: REASONS.records },
    { title: "Total", of: (row) => row.total_ms, format: duration, reason: REASONS.batch },
    ...names.map((name) => ({ title: name, of: (row) => partOf(row, name) ?? 0, format: duration, reason: REASONS.batch })),
  ];
}
