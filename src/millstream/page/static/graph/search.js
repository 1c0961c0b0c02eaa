// Search in the graph: nodes, topics and stores by a part of their name.

import { el, setText } from "../lib/dom.js";
import { stageId, topicId } from "./layout.js";

/** Return what matches: [{id, stage}], where `stage` must be open for the item to be seen. */
export function matches(topology, text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const has = (name) => name.toLowerCase().includes(wanted);
  const topics = topology.topics.filter(({ name }) => has(name));
  const nodes = topology.nodes.filter((node) => has(node.name) || node.stores.some(has));
  const stages = topology.stages.filter((stage) => has(`sub-topology ${stage.subtopology}`));
  return [
    ...topics.map(({ name }) => ({ id: topicId(name), stage: null })),
    ...nodes.map(({ name, subtopology }) => ({ id: name, stage: subtopology })),
    ...stages.map(({ subtopology }) => ({ id: stageId(subtopology), stage: null })),
  ];
}

/** The search field. `graph` offers topology, mark(ids) and show(match). */
export class Search {
  constructor(graph) {
    this.graph = graph;
    this.input = el("input", { type: "search", placeholder: "Search", "aria-label": "Search nodes, topics and stores" });
    this.count = el("span", { class: "search-count", role: "status" });
    this.element = el("div", { class: "search" }, this.input, this.count);
    this.found = [];
    this.at = -1;
    this.input.addEventListener("input", () => this.#search());
    this.input.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Search again, as after another layout. */
  refresh() {
    this.graph.mark(this.found.length || this.input.value.trim() ? this.#ids() : null);
  }

  #ids() {
    // A node of a closed stage is seen as its stage.
    const ids = this.found.map(({ id, stage }) => (this.graph.shapes.has(id) ? id : stageId(stage)));
    return new Set(ids);
  }

  #search() {
    this.found = matches(this.graph.topology, this.input.value);
    this.at = -1;
    this.#say();
    this.refresh();
  }

  #key(event) {
    if (event.key === "Enter" && this.found.length) {
      event.preventDefault();
      const step = event.shiftKey ? this.found.length - 1 : 1;
      this.at = (Math.max(this.at, event.shiftKey ? 0 : -1) + step) % this.found.length;
      this.graph.show(this.found[this.at]);
      this.#say();
    } else if (event.key === "Escape" && this.input.value) {
      event.preventDefault();
      this.input.value = "";
      this.#search();
    }
  }

  #say() {
    const total = this.found.length;
    if (!this.input.value.trim()) setText(this.count, "");
    else if (!total) setText(this.count, "nothing found");
    else setText(this.count, this.at < 0 ? `${total} found` : `${this.at + 1} of ${total}`);
  }
}
