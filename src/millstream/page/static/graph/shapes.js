// The SVG elements of a layout, and the numbers on them.

import { setAttribute, setText, svg } from "../lib/dom.js";
import { duration, rate, short, shortName } from "../lib/format.js";
import { HEADER } from "./inside.js";
import { stageId, topicId } from "./layout.js";

const pen = document.createElement("canvas").getContext("2d");
const FONTS = { name: "12px system-ui, sans-serif", small: "11px system-ui, sans-serif" };

/** Return a text that is at most so wide; what is left out in the middle becomes "…". */
export function clipped(text, width, font = "name") {
  pen.font = FONTS[font];
  if (pen.measureText(text).width <= width) return text;
  let [low, high] = [1, text.length];
  const cut = (kept) => `${text.slice(0, Math.ceil(kept * 0.6))}…${text.slice(text.length - Math.floor(kept * 0.4))}`;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (pen.measureText(cut(middle)).width <= width) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

/** Draw all; returns a map from ids to {element, box, label, second, kind, item}. */
export function drawn(topology, placed, layer) {
  const shapes = new Map();
  const back = svg("g", { class: "stage-boxes" });
  const lines = svg("g", { class: "edges" });
  const front = svg("g", { class: "items" });
  for (const stage of topology.stages) {
    const shape = stageShape(topology, stage, placed);
    back.append(shape.back);
    front.append(shape.element);
    shapes.set(stageId(stage.subtopology), shape);
  }
  for (const edge of placed.edges) lines.append(svg("path", { d: edge.path, class: `edge ${edge.kind}`, "marker-end": "url(#arrow)" }));
  for (const topic of topology.topics) {
    const shape = topicShape(topic, placed);
    front.append(shape.element);
    shapes.set(topicId(topic.name), shape);
  }
  for (const node of topology.nodes) {
    const box = placed.nodes.get(node.name);
    if (!box) continue;
    const shape = nodeShape(node, box);
    front.append(shape.element);
    shapes.set(node.name, shape);
  }
  layer.replaceChildren(back, lines, front);
  return shapes;
}

function item(kind, id, box, children) {
  const attributes = { class: `item ${kind}`, "data-id": id, tabindex: "-1", role: "button" };
  return svg("g", attributes, ...children);
}

function stageShape(topology, stage, placed) {
  const id = stageId(stage.subtopology);
  const box = placed.boxes.get(id);
  const nodes = topology.nodes.filter((node) => node.subtopology === stage.subtopology);
  const closed = nodes.length > 0 && !placed.nodes.has(nodes[0].name);
  const back = svg("rect", { class: closed ? "stage-box closed" : "stage-box", rx: 6, ...box });
  const place = { x: box.x + 12, y: box.y + 19 };
  const label = svg("text", { class: "title", ...place, text: `${closed ? "▸" : "▾"} Sub-topology ${stage.subtopology}` });
  const second = svg("text", { class: "second", x: box.x + box.width - 12, y: box.y + 19, "text-anchor": "end" });
  const large = svg("text", { class: "large", x: box.x + box.width / 2, y: box.y + box.height / 2, text: String(stage.subtopology) });
  const hit = svg("rect", { class: "hit-area", rx: 6, ...box, height: closed ? box.height : HEADER });
  const children = [hit, label, second, large];
  if (closed) {
    const inside = `${nodes.length} nodes${stage.stores.length ? ` · ${stage.stores.length} stores` : ""}`;
    children.push(svg("text", { class: "second", x: place.x, y: box.y + 42, text: inside }));
  }
  const element = item("stage", id, box, children);
  element.setAttribute("aria-expanded", String(!closed));
  return { kind: "stage", element, back, box, second, item: stage, closed, nodes };
}

function topicShape(topic, placed) {
  const box = placed.boxes.get(topicId(topic.name));
  const role = topic.internal ? "internal" : topic.role;
  const middle = box.x + box.width / 2;
  const children = [
    svg("rect", { class: "shape", rx: 20, ...box }),
    svg("text", { class: "name", x: middle, y: box.y + 18, "text-anchor": "middle", text: clipped(shortName(topic.name), box.width - 28) }),
    svg("text", { class: "second", x: middle, y: box.y + 32, "text-anchor": "middle", text: `${role} topic` }),
    ...flows(box),
  ];
  const element = item(`topic ${role}`, topicId(topic.name), box, children);
  const [into, out, rest] = children.slice(3);
  return { kind: "topic", element, box, into, out, rest, item: topic };
}

/** Texts on the edges that lead into a topic (above it) and out of it (below it). */
function flows(box) {
  const under = box.y + box.height;
  const x = box.x + box.width / 2 + 7;
  return [
    svg("text", { class: "flow", x: box.x + 8, y: box.y - 6 }),
    svg("text", { class: "flow", x, y: under + 16 }),
    svg("text", { class: "flow", x, y: under + 30 }),
  ];
}

function nodeShape(node, box) {
  const second = svg("text", { class: "second", x: box.x + 12, y: box.y + 32 });
  const children = [
    svg("rect", { class: "shape", rx: 4, ...box }),
    svg("rect", { class: "kind", x: box.x, y: box.y, width: 4, height: box.height, rx: 2 }),
    svg("text", { class: "name", x: box.x + 12, y: box.y + 17, text: clipped(shortName(node.name), box.width - 20) }),
    second,
  ];
  return { kind: "node", element: item(`node ${node.kind}`, node.name, box, children), box, second, item: node };
}

/** Write a snapshot's numbers on the shapes. */
export function fill(shapes, snapshot) {
  for (const shape of shapes.values()) FILLS[shape.kind](shape, snapshot);
}

const FILLS = {
  node(shape, snapshot) {
    const flow = rate(snapshot.nodes[shape.item.name]?.records_per_s);
    const stores = shape.item.stores.map((name) => `⛁ ${shortName(name)}`).join(", ");
    setText(shape.second, clipped([flow, stores].filter(Boolean).join("  ") || shape.item.kind, shape.box.width - 20, "small"));
    setAttribute(shape.element, "aria-label", `${shape.item.kind} ${shape.item.name}${flow ? `, ${flow}` : ""}`);
  },
  stage(shape, snapshot) {
    const flow = rate(stageRate(shape.nodes, snapshot));
    setText(shape.second, flow ?? "");
    const inside = `${shape.nodes.length} nodes${flow ? `, ${flow}` : ""}`;
    setAttribute(shape.element, "aria-label", `Sub-topology ${shape.item.subtopology}, ${inside}`);
  },
  topic(shape, snapshot) {
    const facts = snapshot.topics[shape.item.name] ?? {};
    const texts = flowTexts(facts);
    setText(shape.into, texts.into);
    setText(shape.out, texts.out);
    setText(shape.rest, texts.rest);
    shape.rest.classList.toggle("behind", facts.lag > 0);
    const said = [texts.into && `written${texts.into.slice(2)}`, texts.out && `read ${texts.out}`, texts.rest];
    setAttribute(shape.element, "aria-label", [`topic ${shape.item.name}`, ...said].filter(Boolean).join(", "));
  },
};

/** What flows into a topic and out of it, and how far its reader is behind. */
function flowTexts({ produced_per_s, consumed_per_s, lag, delay_ms }) {
  const late = duration(delay_ms);
  return {
    into: produced_per_s == null ? "" : `in ${rate(produced_per_s)}`,
    out: rate(consumed_per_s) ?? "",
    rest: [lag == null ? null : `lag ${short(lag)}`, late].filter(Boolean).join(" · "),
  };
}

/** Records a second that the sources of a stage read; null if none of them is known. */
export function stageRate(nodes, snapshot) {
  const rates = nodes
    .filter((node) => node.kind === "source")
    .map((node) => snapshot.nodes[node.name]?.records_per_s ?? null)
    .filter((each) => each !== null);
  return rates.length ? rates.reduce((sum, each) => sum + each, 0) : null;
}
