// Query a store: by key, or by a range of keys, with serdes that the reader chooses.

import { byId, el, setText } from "../lib/dom.js";
import { Refused, fetched } from "../lib/connection.js";
import { moment } from "../lib/format.js";
import { Table } from "../lib/table.js";

const SERDES = ["string", "long", "integer", "double", "float", "short", "boolean", "uuid", "bytes", "json", "avro", "protobuf"];
const LIMIT = 20;
const KEYED = /VERSIONED|KEY_VALUE|GLOBAL|SESSION/;

export class QueryPanel {
  constructor() {
    this.fields = fieldsOf();
    this.form = this.#form();
    this.status = el("p", { class: "query-status", role: "status" });
    this.hint = el("p", { class: "query-hint" });
    this.table = this.#table();
    this.none = el("p", { class: "empty", text: "No store of this topology can be queried." });
    this.table.element.hidden = true;
    this.asked = 0;
    byId("query-body").append(this.none, this.form, this.status, this.hint, this.table.element);
  }

  setTopology(topology) {
    this.stores = topology.stores.filter((store) => store.queryable);
    const { store } = this.fields;
    const before = store.value;
    store.replaceChildren(...this.stores.map(({ name }) => el("option", { value: name, text: name })));
    if (this.stores.some(({ name }) => name === before)) store.value = before;
    this.none.hidden = this.stores.length > 0;
    this.form.hidden = this.stores.length === 0;
    this.#forStore();
  }

  /** Let the reader query a store: it is chosen, and the key has the focus. */
  open(name) {
    this.fields.store.value = name;
    this.#forStore();
    byId("query").scrollIntoView({ block: "nearest" });
    this.fields.key.focus();
  }

  #form() {
    const { store, key, key_serde, value_serde, limit } = this.fields;
    const serdes = el("datalist", { id: "serdes" }, ...SERDES.map((value) => el("option", { value })));
    this.windows = el("div", { class: "fields" },
      labelled("Windows from", this.fields.window_from), labelled("to", this.fields.window_to));
    const more = el("details", {}, el("summary", { text: "Serdes, ranges, windows" }),
      el("div", { class: "fields" }, labelled("Key serde", key_serde), labelled("Value serde", value_serde)),
      el("div", { class: "fields" }, labelled("Keys from", this.fields.from), labelled("to", this.fields.to), labelled("At most", limit)),
      this.windows, serdes);
    const button = el("button", { type: "submit", class: "primary", text: "Query" });
    const form = el("form", { class: "query-form", autocomplete: "off" },
      el("div", { class: "fields" }, labelled("Store", store), labelled("Key", key), button), more);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#ask();
    });
    store.addEventListener("change", () => this.#forStore());
    return form;
  }

  #forStore() {
    const store = this.stores?.find(({ name }) => name === this.fields.store.value);
    this.windows.hidden = !store || KEYED.test(store.type);
  }

  #table() {
    return new Table({
      label: "Entries found",
      key: (row) => row.at,
      empty: "",
      few: LIMIT,
      columns: [
        { title: "Key", of: (row) => textOf(row.key) },
        { title: "Window", of: (row) => row.window && `${moment(row.window[0])} – ${moment(row.window[1])}` },
        { title: "Value", of: (row) => textOf(row.value) },
        { title: "Time", of: (row) => moment(row.timestamp) ?? "none" },
      ],
    });
  }

  async #ask() {
    const number = ++this.asked;
    const store = this.fields.store.value;
    setText(this.hint, "");
    this.status.classList.remove("failed");
    setText(this.status, "Asking …");
    try {
      const path = `api/query/${encodeURIComponent(store)}?${this.#parameters()}`;
      const answer = await fetched(path);
      if (number === this.asked) this.#answered(answer);
    } catch (error) {
      if (number === this.asked) this.#refused(error);
    }
  }

  #parameters() {
    const parameters = new URLSearchParams();
    for (const [name, field] of Object.entries(this.fields)) {
      if (name === "store" || field.value === "" || field.closest("[hidden]")) continue;
      const isTime = name.startsWith("window_");
      parameters.set(name, isTime ? milliseconds(field.value) : field.value);
    }
    return parameters;
  }

  #answered({ store, entries, more }) {
    const found = entries.length === 1 ? "1 entry" : `${entries.length} entries`;
    const rest = more ? "; there are more: raise the limit, or narrow the range" : "";
    setText(this.status, entries.length ? `${found} of ${store}${rest}.` : `${store} has no such entry.`);
    this.table.element.hidden = entries.length === 0;
    this.table.update(entries.map((entry, at) => ({ ...entry, at })));
    this.table.setColumnHidden("Window", entries.every(({ window }) => !window));
  }

  #refused(error) {
    this.status.classList.add("failed");
    this.table.element.hidden = true;
    const away = !(error instanceof Refused);
    setText(this.status, away ? "The server does not answer." : error.message);
    setText(this.hint, away ? "Query again when the connection is back." : error.hint);
  }
}

function fieldsOf() {
  const text = (placeholder) => el("input", { type: "text", placeholder, spellcheck: "false", autocapitalize: "off" });
  const serde = () => el("input", { type: "text", list: "serdes", placeholder: "the store's own", spellcheck: "false", autocapitalize: "off" });
  const time = () => text("2026-01-31 12:00, or ms");
  return {
    store: el("select"),
    key: text("all keys"),
    key_serde: serde(),
    value_serde: serde(),
    from: text("first"),
    to: text("last"),
    limit: el("input", { type: "number", min: 1, max: 1000, value: LIMIT, inputmode: "numeric" }),
    window_from: time(),
    window_to: time(),
  };
}

function labelled(text, field) {
  return el("label", {}, el("span", { text }), field);
}

/** A date as milliseconds; other text as it is, so that the server can say what is wrong. */
function milliseconds(text) {
  if (/^-?\d+$/.test(text.trim())) return text.trim();
  const parsed = Date.parse(text);
  return Number.isNaN(parsed) ? text : String(parsed);
}

/** A value as text: strings as they are, all else as JSON. */
function textOf(value) {
  if (value === null || value === undefined) return "null";
  return typeof value === "string" ? value : JSON.stringify(value);
}
