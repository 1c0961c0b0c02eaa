// The last errors: what, where, and what to do.

import { byId, el, keyed, setText } from "../lib/dom.js";
import { ago, moment } from "../lib/format.js";

const FEW = 5;

export class ErrorsPanel {
  constructor() {
    this.list = el("ol", { class: "errors" });
    this.empty = el("p", { class: "empty", text: "No errors." });
    this.more = el("button", { type: "button", class: "more" });
    this.all = false;
    this.errors = [];
    this.more.addEventListener("click", () => {
      this.all = !this.all;
      this.#draw();
    });
    byId("errors-body").append(this.empty, this.list, this.more);
  }

  update({ at, errors }) {
    this.now = at;
    this.errors = errors;
    this.#draw();
  }

  #draw() {
    const { errors } = this;
    setText(byId("errors-note"), errors.length ? `last ${errors.length}, newest first` : "");
    this.empty.hidden = errors.length > 0;
    this.more.hidden = errors.length <= FEW;
    setText(this.more, this.all ? `Show ${FEW} of ${errors.length}` : `Show all ${errors.length}`);
    this.more.setAttribute("aria-expanded", String(this.all));
    const rows = numbered(this.all ? errors : errors.slice(0, FEW));
    keyed(this.list, rows, ({ key }) => key, errorItem, (element, { error }) => {
      setText(element.firstElementChild.lastElementChild, `${moment(error.at)}, ${ago(error.at, this.now)}`);
    });
  }
}

/** Equal errors of one moment are still several. */
function numbered(errors) {
  const seen = new Map();
  return errors.map((error) => {
    const text = JSON.stringify(error);
    seen.set(text, (seen.get(text) ?? 0) + 1);
    return { error, key: `${text} ${seen.get(text)}` };
  });
}

function errorItem({ error }) {
  const place = placeOf(error);
  return el("li", {},
    el("p", { class: "error-head" }, el("strong", { text: error.kind }), el("time")),
    el("p", { class: "error-message", text: error.message }),
    place ? el("p", { class: "error-place", text: place }) : null,
    error.hint ? el("p", { class: "error-hint", text: error.hint }) : null);
}

function placeOf({ operator, task, topic, partition, offset }) {
  const known = (value) => value !== null && value !== undefined;
  const parts = [];
  if (known(operator)) parts.push(`operator ${operator}`);
  if (known(task)) parts.push(`task ${task}`);
  if (known(topic)) parts.push(`topic ${topic}`);
  if (known(partition)) parts.push(`partition ${partition}`);
  if (known(offset)) parts.push(`offset ${offset}`);
  return parts.join(", ");
}
