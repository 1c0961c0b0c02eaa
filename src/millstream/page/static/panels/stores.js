// Stores: sizes, rates, hits of the cache.

import { byId, el, setText } from "../lib/dom.js";
import { bytes, count, rate, ratio } from "../lib/format.js";
import { REASONS } from "../lib/measured.js";
import { Table } from "../lib/table.js";

export class StoresPanel {
  /** `query` is called with the name of a store that the reader wants to query. */
  constructor(query) {
    this.query = query;
    this.known = new Map();
    this.table = new Table({
      label: "Stores",
      key: (row) => row.name,
      empty: "The topology has no stores.",
      columns: [
        { title: "Store", of: (row) => row.name, fill: (cell, row) => this.#name(cell, row) },
        { title: "Entries", of: (row) => row.entries, format: count, reason: REASONS.entries },
        { title: "Size", of: (row) => row.bytes, format: bytes, reason: REASONS.size, bar: true },
        { title: "Puts", of: (row) => row.puts_per_s, format: rate, reason: REASONS.operations },
        { title: "Gets", of: (row) => row.gets_per_s, format: rate, reason: REASONS.operations },
        { title: "Cache hits", of: (row) => row.cache_hit_ratio, format: ratio, reason: REASONS.cache },
      ],
    });
    byId("stores-body").append(this.table.element);
  }

  setTopology(topology) {
    this.known = new Map(topology.stores.map((store) => [store.name, store]));
  }

  update({ stores }) {
    setText(byId("stores-note"), stores.length ? `${stores.length} ${stores.length === 1 ? "store" : "stores"}` : "");
    this.table.update(stores);
  }

  #name(cell, row) {
    if (!cell.firstElementChild) cell.append(el("span", { class: "main" }), el("span", { class: "sub" }), this.#button(row.name));
    const store = this.known.get(row.name);
    const facts = [store ? words(store.type) : null, store?.kind, `sub-topology ${row.subtopology}`];
    setText(cell.children[0], row.name);
    setText(cell.children[1], facts.filter(Boolean).join(" · "));
    cell.children[2].hidden = !store?.queryable;
  }

  #button(name) {
    const button = el("button", { type: "button", class: "link", text: "Query", "aria-label": `Query ${name}` });
    button.addEventListener("click", () => this.query(name));
    return button;
  }
}

/** TIMESTAMPED_KEY_VALUE as people write it. */
const words = (type) => type.toLowerCase().replaceAll("_", " ");
