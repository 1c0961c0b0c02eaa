// Tables that sort, stay where the reader is, and say what is not measured.

import { el, keyed, setAttribute, setText } from "./dom.js";
import { show } from "./measured.js";

const FEW = 10;
/** Where rows are cards: see styles/narrow.css. */
const NARROW = matchMedia("(max-width: 640px)");

/**
 * A table of rows. A column has `title` and `of(row)`; `format` and `reason` if it is a number;
 * `fill(cell, row)` if it is more than text; `wide` if it is long; `left` if it is no
 * number in spite of its format; `bar` if a bar shows its share of the largest.
 */
export class Table {
  constructor({ label, columns, key, empty, few = FEW, sort = null }) {
    Object.assign(this, { columns, key, sort, rows: [], all: false });
    this.few = NARROW.matches ? Math.ceil(few / 2) : few;
    this.head = el("tr", { role: "row" }, ...columns.map((column) => this.#header(column)));
    this.body = el("tbody", { role: "rowgroup" });
    const head = el("thead", { role: "rowgroup" }, this.head);
    this.table = el("table", { role: "table", "aria-label": label }, head, this.body);
    this.empty = el("p", { class: "empty", text: empty });
    this.more = el("button", { type: "button", class: "more" });
    this.more.addEventListener("click", () => this.#toggle());
    this.notes = el("ul", { class: "notes" });
    this.element = el("div", { class: "table" }, this.table, this.empty, this.more, this.notes);
    this.#mark();
  }

  update(rows) {
    this.rows = rows;
    this.#draw();
  }

  /** Leave out a column that has nothing to say. */
  setColumnHidden(title, hidden) {
    const index = this.columns.findIndex((column) => column.title === title);
    for (const row of [this.head, ...this.body.children]) row.children[index].hidden = hidden;
  }

  #header(column) {
    const type = typeOf(column);
    const button = el("button", { type: "button", text: column.title });
    const header = el("th", { role: "columnheader", scope: "col", class: type }, button);
    button.addEventListener("click", () => this.#sortBy(column));
    return header;
  }

  #sortBy(column) {
    const down = this.sort?.column === column.title ? !this.sort.down : Boolean(column.format);
    this.sort = { column: column.title, down };
    this.#mark();
    this.#draw();
  }

  #mark() {
    this.columns.forEach((column, index) => {
      const sorted = this.sort?.column === column.title;
      const direction = this.sort?.down ? "descending" : "ascending";
      setAttribute(this.head.children[index], "aria-sort", sorted ? direction : null);
    });
  }

  #toggle() {
    this.all = !this.all;
    this.#draw();
  }

  #draw() {
    const rows = this.#sorted();
    const shown = this.all ? rows : rows.slice(0, this.few);
    const largest = this.#largest();
    keyed(this.body, shown, this.key, () => this.#row(), (element, row) => {
      this.columns.forEach((column, index) => this.#cell(element.children[index], column, row, largest));
    });
    this.table.hidden = rows.length === 0;
    this.empty.hidden = rows.length > 0;
    this.more.hidden = rows.length <= this.few;
    setText(this.more, this.all ? `Show ${this.few} of ${rows.length}` : `Show all ${rows.length}`);
    setAttribute(this.more, "aria-expanded", String(this.all));
    this.#note(rows);
  }

  #sorted() {
    const column = this.columns.find((each) => each.title === this.sort?.column);
    if (!column) return this.rows;
    const sign = this.sort.down ? -1 : 1;
    return [...this.rows].sort((one, other) => compared(column.of(one), column.of(other), sign));
  }

  #largest() {
    const largest = new Map();
    for (const column of this.columns) {
      if (column.bar) largest.set(column, Math.max(0, ...this.rows.map((row) => column.of(row) ?? 0)));
    }
    return largest;
  }

  #row() {
    return el("tr", { role: "row" }, ...this.columns.map((column, index) => {
      const role = index === 0 ? "rowheader" : "cell";
      const content = el("span", { class: "content" });
      const bar = column.bar ? el("span", { class: "bar", "aria-hidden": "true" }) : null;
      const type = typeOf(column);
      return el(index === 0 ? "th" : "td", { role, class: type, "data-label": column.title }, content, bar);
    }));
  }

  #cell(cell, column, row, largest) {
    const content = cell.firstElementChild;
    const value = column.of(row);
    if (column.format) show(content, value, column.format, reasonOf(column, row));
    else if (column.fill) column.fill(content, row);
    else setText(content, value ?? "");
    if (column.bar) {
      const share = largest.get(column) > 0 ? (value ?? 0) / largest.get(column) : 0;
      cell.lastElementChild.style.width = `${(share * 100).toFixed(1)}%`;
    }
  }

  #note(rows) {
    const lacking = this.columns.filter(
      (column) => column.format && rows.some((row) => (column.of(row) ?? null) === null),
    );
    const titles = new Map();
    for (const column of lacking) {
      const reason = reasonOf(column, rows.find((row) => (column.of(row) ?? null) === null));
      titles.set(reason, [...(titles.get(reason) ?? []), column.title]);
    }
    const texts = [...titles].map(([reason, names]) => `${names.join(", ")} not measured: ${reason}.`);
    keyed(this.notes, texts, (text) => text, (text) => el("li", { text }), () => {});
    this.notes.hidden = texts.length === 0;
  }
}

function typeOf(column) {
  if (column.format && !column.left) return "number";
  return column.wide ? "wide-cell" : null;
}

function reasonOf(column, row) {
  return typeof column.reason === "function" ? column.reason(row) : column.reason;
}

/** Order of two values; what is not known comes last in both directions. */
function compared(one, other, sign) {
  const [lacks, otherLacks] = [one ?? null, other ?? null].map((value) => value === null);
  if (lacks || otherLacks) return Number(lacks) - Number(otherLacks);
  if (typeof one === "number" && typeof other === "number") return sign * (one - other);
  return sign * String(one).localeCompare(String(other), "en", { numeric: true });
}
