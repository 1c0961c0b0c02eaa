// The panel of the topology: the graph, its tools, the facts of an item, and the same as tables.

import { byId, el, setText, svg, viewSwitch } from "../lib/dom.js";
import { Camera } from "./camera.js";
import { Details, factsOf } from "./details.js";
import { listenToKeys } from "./keys.js";
import { layout, stageId } from "./layout.js";
import { Search } from "./search.js";
import { drawn, fill } from "./shapes.js";
import { TopologyTables } from "./tables.js";

/** With more nodes than this, stages are closed at first. */
const MANY_NODES = matchMedia("(max-width: 640px)").matches ? 12 : 80;
const TALLEST = 600;
const READABLE = 0.8;
const HINT = matchMedia("(pointer: coarse)").matches
  ? "Touch an item for its numbers, a sub-topology to open it. Two fingers zoom and move."
  : "Point at an item for its numbers. Ctrl + wheel zooms, dragging moves. Keys: arrows, Enter, + − 0.";

export class TopologyPanel {
  constructor() {
    this.layer = svg("g");
    const label = "Topology as a graph. Arrow keys go from item to item, Enter opens and closes a sub-topology.";
    this.view = svg("svg", { class: "graph", role: "group", "aria-label": label, tabindex: "0" }, arrow(), this.layer);
    this.camera = new Camera(this.view, this.layer);
    this.details = new Details(HINT);
    this.search = new Search(this);
    this.tables = new TopologyTables();
    this.graph = el("div", { class: "graph-frame" }, this.view, this.details.element);
    this.shapes = new Map();
    this.closed = new Set();
    this.snapshot = null;
    this.chosen = null;
    this.pointed = null;
    this.#tools();
    this.#listen();
    this.tables.element.hidden = true;
    byId("topology-body").append(this.graph, this.tables.element);
  }

  /** Show another topology, as at the start or after a restart of the application. */
  setTopology(topology) {
    this.topology = topology;
    const many = topology.nodes.length > MANY_NODES;
    this.closed = new Set(many ? topology.stages.map((stage) => stage.subtopology) : []);
    this.camera.moved = false;
    const plural = topology.stages.length === 1 ? "sub-topology" : "sub-topologies";
    setText(byId("topology-note"), `${topology.stages.length} ${plural}, ${topology.nodes.length} nodes`);
    this.#draw();
  }

  update(snapshot) {
    this.snapshot = snapshot;
    if (!this.topology) return;
    fill(this.shapes, snapshot);
    if (!this.tables.element.hidden) this.tables.update(this.topology, snapshot);
    this.#detail();
  }

  #tools() {
    const button = (text, name, act) => {
      const made = el("button", { type: "button", text, "aria-label": name, title: name });
      made.addEventListener("click", act);
      return made;
    };
    this.all = button("Close all", "Close or open all sub-topologies", () => this.#toggleAll());
    const zoom = el("div", { class: "switch", role: "group", "aria-label": "Zoom" },
      button("−", "Zoom out", this.camera.zoomOut),
      button("+", "Zoom in", this.camera.zoomIn),
      button("Fit", "Fit all into the view", () => this.camera.fit()));
    const views = viewSwitch("View of the topology", ["Graph", "Table"], (index) => this.#choose(index));
    this.onlyGraph = [this.search.element, this.all, zoom];
    byId("topology-tools").append(this.search.element, this.all, zoom, views);
  }

  #choose(index) {
    this.graph.hidden = index === 1;
    this.tables.element.hidden = index === 0;
    for (const tool of this.onlyGraph) tool.hidden = index === 1;
    if (this.snapshot) this.update(this.snapshot);
  }

  #listen() {
    listenToKeys(this.view, this);
    const idOf = (event) => event.target.closest?.("[data-id]")?.dataset.id ?? null;
    this.view.addEventListener("click", (event) => {
      const id = idOf(event);
      if (id !== null) this.activate(id);
    });
    this.view.addEventListener("pointerover", (event) => this.#point(idOf(event)));
    this.view.addEventListener("pointerleave", () => this.#point(null));
    this.view.addEventListener("focusin", (event) => this.#select(idOf(event)));
    let width = 0;
    new ResizeObserver(([entry]) => {
      if (Math.abs(entry.contentRect.width - width) < 1) return;
      width = entry.contentRect.width;
      if (this.topology && width > 0) this.#draw();
    }).observe(this.graph);
  }

  #draw() {
    const width = this.graph.clientWidth;
    if (width === 0) return;
    const placed = this.#best(width);
    const focused = this.view.contains(document.activeElement) ? document.activeElement.dataset.id : undefined;
    this.shapes = drawn(this.topology, placed, this.layer);
    this.camera.bounds = placed.bounds;
    const scale = Camera.fitting({ width, height: TALLEST }, placed.bounds);
    this.view.style.height = `${Math.round(Math.min(TALLEST, Math.max(200, placed.bounds.height * scale + 36)))}px`;
    if (!this.camera.moved) this.camera.fit();
    setText(this.all, this.closed.size ? "Open all" : "Close all");
    if (this.snapshot) fill(this.shapes, this.snapshot);
    this.search.refresh();
    if (focused !== undefined && this.shapes.has(focused)) this.#focus(focused);
  }

  /** Stages side by side, or below each other: what is larger in this width. */
  #best(width) {
    const margin = { width, height: TALLEST };
    const [across, down] = [true, false].map((each) => layout(this.topology, this.closed, each));
    const scale = (placed) => Camera.fitting(margin, { ...placed.bounds });
    return scale(across) >= scale(down) ? across : down;
  }

  #toggleAll() {
    const all = this.topology.stages.map((stage) => stage.subtopology);
    this.closed = new Set(this.closed.size ? [] : all);
    this.camera.moved = false;
    this.#draw();
  }

  /** Open or close a stage; choose another item. */
  activate(id) {
    const shape = this.shapes.get(id);
    if (shape?.kind === "stage") this.#toggle(shape.item.subtopology);
    this.#select(id);
    this.focus(id);
  }

  #toggle(number) {
    if (!this.closed.delete(number)) this.closed.add(number);
    const wasMoved = this.camera.moved;
    this.#draw();
    if (wasMoved) this.camera.reveal(this.shapes.get(stageId(number)).box);
  }

  /** Move the focus to an item, and the view with it. */
  focus(id) {
    this.#focus(id);
    this.camera.reveal(this.shapes.get(id).box);
  }

  #focus(id) {
    const { element } = this.shapes.get(id);
    for (const each of this.view.querySelectorAll('[data-id][tabindex="0"]')) each.setAttribute("tabindex", "-1");
    element.setAttribute("tabindex", "0");
    element.focus({ preventScroll: true });
  }

  leave() {
    this.chosen = null;
    this.#detail();
    this.view.focus({ preventScroll: true });
  }

  /** Show a match of the search: open its stage, and bring it into the view. */
  show({ id, stage }) {
    if (stage !== null && this.closed.delete(stage)) this.#draw();
    this.camera.reveal(this.shapes.get(id).box, READABLE);
    this.#select(id);
  }

  mark(ids) {
    this.view.classList.toggle("searching", ids !== null);
    for (const [id, { element }] of this.shapes) element.classList.toggle("match", ids?.has(id) ?? false);
  }

  #point(id) {
    this.pointed = id;
    this.#detail();
  }

  #select(id) {
    if (id === null) return;
    this.chosen = id;
    this.#detail();
  }

  #detail() {
    for (const [id, { element }] of this.shapes) element.classList.toggle("chosen", id === this.chosen);
    const shape = this.shapes.get(this.pointed) ?? this.shapes.get(this.chosen);
    if (!shape || !this.snapshot) this.details.clear();
    else this.details.update(factsOf(shape, this.topology, this.snapshot));
  }
}

function arrow() {
  const tip = svg("path", { d: "M0 0L6 3L0 6z" });
  const attributes = { id: "arrow", viewBox: "0 0 6 6", refX: 6, refY: 3, markerWidth: 6, markerHeight: 6, markerUnits: "userSpaceOnUse", orient: "auto" };
  return svg("defs", {}, svg("marker", attributes, tip));
}
