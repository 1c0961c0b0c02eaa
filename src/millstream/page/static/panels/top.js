// The top of the page: state, health, connection, facts, totals, and what the reader must know.

import { byId, el, keyed, setText } from "../lib/dom.js";
import { ago, bytes, count, duration, moment, rate } from "../lib/format.js";
import { REASONS, show } from "../lib/measured.js";

const STATES = {
  RUNNING: "good",
  CREATED: "calm",
  REBALANCING: "warn",
  PENDING_SHUTDOWN: "warn",
  PENDING_ERROR: "bad",
  ERROR: "bad",
  NOT_RUNNING: "calm",
};

const ENDED = ["NOT_RUNNING", "ERROR"];

const TOTALS = [
  ["Records/s", "records_per_s", rate, REASONS.rate],
  ["Records", "records", count, REASONS.records],
  ["Lag", "lag", count, REASONS.lag],
  ["Last batch", "batch_ms", duration, REASONS.batch],
  ["State", "state_bytes", bytes, REASONS.state],
  ["Dropped", "dropped", count, REASONS.records, "#losses"],
  ["Late", "late", count, REASONS.records, "#losses"],
  ["Dead-lettered", "dead_lettered", count, REASONS.records, "#losses"],
  ["Failures", "failures", count, REASONS.records, "#errors"],
];

const LOCKED = "This page needs its token: open it with ?token= and the value of millstream.ui.token.";

export class Top {
  constructor() {
    this.announced = null;
    this.lost = null;
    byId("totals").append(...TOTALS.map(([title, key, , , target]) => {
      const name = target ? el("a", { href: target, text: title }) : el("span", { text: title });
      return el("div", {}, el("dt", {}, name), el("dd", { "data-total": key }));
    }));
  }

  update(snapshot) {
    const { application, totals } = snapshot;
    this.state = application.state;
    setText(byId("application-id"), application.id);
    document.title = `${application.id} · ${stateOf(application)}`;
    const state = byId("state");
    setText(state, stateOf(application));
    state.dataset.tone = application.paused ? "warn" : (STATES[application.state] ?? "calm");
    this.#facts(snapshot);
    this.#totals(totals);
    this.#notices(snapshot);
    setText(byId("version"), application.version ? `millstream ${application.version}` : "millstream");
    setText(byId("updated"), `Updated ${moment(snapshot.at)}`);
    this.#announce(application);
  }

  setHealth({ ready, reason }) {
    const health = byId("health");
    setText(health, ready === null ? "" : ready ? "ready" : `not ready${reason ? `: ${reason}` : ""}`);
    health.dataset.tone = ready === false ? "warn" : "good";
  }

  /** "connecting", "live" or "lost"; while it is lost, since when. */
  setConnection(status, since) {
    const element = byId("connection");
    const text = { connecting: "Connecting", live: "Live", lost: "Connection lost" }[status];
    if (element.dataset.status !== status && status !== "connecting") say(text);
    element.dataset.status = status;
    setText(element, text);
    this.lost = status === "lost" ? since : null;
    this.#lostNotice();
  }

  /** Called each second, so that the time of what is lost goes on. */
  tick() {
    if (this.lost !== null) this.#lostNotice();
  }

  /** The server answers, but wants a token. */
  setLocked(locked) {
    if (locked && !this.locked) say(LOCKED);
    this.locked = locked;
    this.#lostNotice();
  }

  #lostNotice() {
    const since = this.lost === null ? "" : ago(this.lost, Date.now());
    const lost = ENDED.includes(this.state)
      ? `The application ended ${since}: the numbers are its last. Trying again, as it may be started anew.`
      : `Connection lost ${since}. The numbers are the last that arrived. Trying again.`;
    this.lostText = this.lost === null ? null : this.locked ? LOCKED : lost;
    this.#drawNotices();
  }

  #facts({ at, application }) {
    const facts = [
      ["Guarantee", application.guarantee],
      ["Spark", application.master],
      ["Up", application.started === null ? null : duration(Math.floor((at - application.started) / 1000) * 1000)],
      ["Spare for", application.spare_for],
    ].filter(([, value]) => value !== null && value !== undefined);
    keyed(byId("facts"), facts, ([name]) => name, ([name]) => el("div", {}, el("dt", { text: name }), el("dd")),
      (element, [, value]) => setText(element.lastElementChild, value));
  }

  #totals(totals) {
    TOTALS.forEach(([, key, format, reason], index) => {
      const tile = byId("totals").children[index];
      show(tile.lastElementChild, totals[key], format, reason);
      tile.classList.toggle("attention", index >= 5 && totals[key] > 0);
    });
  }

  #notices({ application, work }) {
    this.notices = [];
    if (application.waiting) this.notices.push({ key: "waiting", text: `Waiting: ${application.waiting}` });
    if (application.paused) this.notices.push({ key: "paused", text: "Paused: no records are processed until it is resumed." });
    this.work = work;
    this.#drawNotices();
  }

  #drawNotices() {
    const lost = this.lostText ? [{ key: "lost", text: this.lostText }] : [];
    const work = this.work ? [{ key: "work", work: this.work }] : [];
    const all = [...lost, ...(this.notices ?? []), ...work];
    keyed(byId("notices"), all, ({ key }) => key, made, (element, { text, work: progress }) => {
      if (progress) fillWork(element, progress);
      else setText(element, text);
    });
  }

  /** Readers who listen are told of changes only. */
  #announce(application) {
    const text = `${application.id} is ${stateOf(application)}${application.waiting ? `, waiting: ${application.waiting}` : ""}`;
    if (this.announced !== text) say(text);
    this.announced = text;
  }
}

export const say = (text) => setText(byId("announcer"), text);

const stateOf = (application) => (application.paused ? `${application.state}, paused` : application.state);

function made({ key, work }) {
  if (!work) return el("p", { class: `notice ${key}` });
  const bar = el("progress", { "aria-labelledby": "work-name" });
  const name = el("span", { class: "work-name", id: "work-name" });
  return el("div", { class: "notice work" }, name, bar, el("span", { class: "work-numbers" }));
}

const KINDS = { replay: "Replay", rescale: "Rescale", restore: "Restore", start: "Start" };

function fillWork(element, { kind, what, done, of, unit }) {
  const [name, bar, numbers] = element.children;
  setText(name, `${KINDS[kind] ?? kind}: ${what}`);
  const write = unit === "bytes" ? bytes : count;
  const suffix = unit === "bytes" || !unit ? "" : ` ${unit}`;
  if (of === null || of <= 0) {
    bar.removeAttribute("value");
    setText(numbers, done > 0 ? `${write(done)}${suffix}; the end is not known yet` : "the end is not known yet");
    return;
  }
  bar.max = of;
  bar.value = Math.min(done, of);
  setText(numbers, `${write(done)} of ${write(of)}${suffix} · ${Math.floor((100 * Math.min(done, of)) / of)} %`);
}
