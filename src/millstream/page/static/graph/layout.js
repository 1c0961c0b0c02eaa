// The drawing's geometry. A stage has the topics that it reads above it; those that nothing reads
// are below their writer. Such groups stand side by side, or below each other.

import { HEADER, NODE, gutterAt, insideOf } from "./inside.js";
import { edgeKey, layered } from "./layers.js";
import { angled, curve, end, foot, head, joined, start } from "./paths.js";

export const TOPIC = { width: 156, height: 40 };
const CLOSED = { width: 186, height: 62 };
const TOPIC_GAP = 24;
const FLOW = 46;
const BETWEEN = {
  across: { mainGap: 84, crossGap: 34 },
  down: { mainGap: 50, crossGap: 30 },
};

export const stageId = (number) => `stage ${number}`;
export const topicId = (name) => `topic ${name}`;

/**
 * Return boxes of topics, stages and nodes, and the paths of all edges.
 *
 * `across` lets groups stand side by side from left to right, else they stand below each other.
 * Inside a stage records always flow down.
 */
export function layout(topology, closed, across) {
  const links = linksOf(topology);
  const groups = groupsOf(topology, links, closed);
  const home = new Map([...groups].flatMap(([number, { above, below }]) => [...above, ...below].map((name) => [name, number])));
  const items = new Map([...groups].map(([number, { size }]) => [number, across ? turned(size) : { main: size.height, cross: size.width }]));
  const between = links.map((link) => ends(link, home)).filter(([from, to]) => from !== to);
  const outer = layered(items, between, BETWEEN[across ? "across" : "down"]);
  return assembled({ groups, links, outer, home, across });
}

const turned = ({ width, height }) => ({ main: width, cross: height });

/** The groups that a link leads from and to. */
function ends({ topic, stage, reads }, home) {
  return reads ? [home.get(topic), stage] : [stage, home.get(topic)];
}

/** Edges between topics and stages, each once, with the nodes at the stage's end. */
function linksOf(topology) {
  const links = new Map();
  for (const node of topology.nodes) {
    if (node.kind === "processor") continue;
    const reads = node.kind === "source";
    for (const topic of node.topics) {
      const key = `${reads} ${node.subtopology} ${topic}`;
      const link = links.get(key) ?? { topic, stage: node.subtopology, reads, nodes: [] };
      link.nodes.push(node.name);
      links.set(key, link);
    }
  }
  return [...links.values()];
}

function groupsOf(topology, links, closed) {
  const reader = owners(links, true);
  const writer = owners(links, false);
  const groups = new Map();
  for (const { subtopology: number } of topology.stages) {
    const inside = closed.has(number) ? null : insideOf(topology, number);
    const names = topology.topics.map(({ name }) => name);
    const above = sorted(names.filter((name) => reader.get(name) === number), number, links, inside);
    const own = names.filter((name) => !reader.has(name) && writer.get(name) === number);
    const below = sorted(own, number, links, inside);
    groups.set(number, { inside, above, below, size: groupSize(inside?.size ?? CLOSED, above, below) });
  }
  return groups;
}

/** Topics in the order of the nodes that read or write them, so that edges do not cross. */
function sorted(names, number, links, inside) {
  if (!inside) return names;
  const place = (name) => {
    const own = links.filter((link) => link.topic === name && link.stage === number).flatMap(({ nodes }) => nodes);
    return own.reduce((sum, node) => sum + inside.placed.places.get(node).cross, 0) / own.length;
  };
  const places = new Map(names.map((name) => [name, place(name)]));
  return [...names].sort((one, other) => places.get(one) - places.get(other));
}

/** The first stage that reads (or writes) each topic. */
function owners(links, reads) {
  const found = new Map();
  for (const link of links) {
    if (link.reads === reads && !found.has(link.topic)) found.set(link.topic, link.stage);
  }
  return found;
}

const rowWidth = (names) => names.length * TOPIC.width + Math.max(0, names.length - 1) * TOPIC_GAP;

function groupSize(stage, above, below) {
  const row = (names) => (names.length ? TOPIC.height + FLOW : 0);
  return {
    width: Math.max(stage.width, rowWidth(above), rowWidth(below)),
    height: row(above) + stage.height + row(below),
    stage,
  };
}

function assembled({ groups, links, outer, home, across }) {
  const drawing = { boxes: new Map(), nodes: new Map(), edges: [], across };
  for (const [number, group] of groups) {
    const { main, cross } = outer.places.get(number);
    placeGroup(drawing, number, group, across ? { x: main, y: cross } : { x: cross, y: main });
  }
  const { main, cross } = outer.size;
  drawing.bounds = across ? { width: main, height: cross } : { width: cross, height: main };
  for (const link of links) drawing.edges.push(...outerEdges(link, { ...drawing, groups, outer, home }));
  return drawing;
}

function placeGroup({ boxes, nodes, edges }, number, group, middle) {
  const { stage, height } = group.size;
  let y = middle.y - height / 2;
  y += placeRow(boxes, group.above, middle.x, y) ? TOPIC.height + FLOW : 0;
  const box = { x: middle.x - stage.width / 2, y, width: stage.width, height: stage.height };
  boxes.set(stageId(number), box);
  placeRow(boxes, group.below, middle.x, y + stage.height + FLOW);
  if (group.inside) fillStage(box, group.inside, nodes, edges);
}

function placeRow(boxes, names, middle, y) {
  let x = middle - rowWidth(names) / 2;
  for (const name of names) {
    boxes.set(topicId(name), { x, y, ...TOPIC });
    x += TOPIC.width + TOPIC_GAP;
  }
  return names.length > 0;
}

function fillStage(box, inside, nodes, edges) {
  const left = box.x + (box.width - inside.placed.size.cross) / 2;
  const top = box.y + HEADER + inside.gutters.above;
  const point = ({ main, cross }) => ({ x: left + cross, y: top + main });
  for (const { name } of inside.nodes) {
    const { x, y } = point(inside.placed.places.get(name));
    nodes.set(name, { x: x - NODE.width / 2, y: y - NODE.height / 2, ...NODE });
  }
  for (const { from, to } of inside.edges) {
    const bends = (inside.placed.routes.get(edgeKey(from, to)) ?? []).map(point);
    const path = curve([foot(nodes.get(from)), ...bends, head(nodes.get(to))], false);
    edges.push({ kind: "inner", path });
  }
}

/** One path for each node at the stage's end; a closed stage has one for all. */
function outerEdges(link, drawing) {
  const { boxes, nodes, groups, outer, home, across } = drawing;
  const stage = boxes.get(stageId(link.stage));
  const { inside } = groups.get(link.stage);
  const names = inside ? link.nodes : [null];
  const route = outer.routes.get(edgeKey(...ends(link, home))) ?? [];
  const parts = {
    topic: boxes.get(topicId(link.topic)),
    stage,
    across,
    own: home.get(link.topic) === link.stage,
    bends: route.map(({ main, cross }) => (across ? { x: main, y: cross } : { x: cross, y: main })),
    bottom: drawing.bounds.height,
    group: groupEdge(link.topic, drawing),
  };
  return names.map((name) => {
    const kind = link.reads ? "source" : "sink";
    const node = name === null ? null : nodes.get(name);
    const gutter = name === null ? null : gutterAt(stage, inside, name, kind);
    return { kind: link.reads ? "read" : "write", path: (link.reads ? incoming : outgoing)({ ...parts, node, gutter }) };
  });
}

/** The left side of the group that a topic is in, and whether the topic is the first one there. */
function groupEdge(topic, { boxes, groups, home }) {
  const number = home.get(topic);
  const { above, below } = groups.get(number);
  const row = above.includes(topic) ? above : below;
  const first = boxes.get(topicId(row[0]));
  return { left: Math.min(first.x, boxes.get(stageId(number)).x), first: row[0] === topic };
}

/** From the group's side to the topic: straight, or over the topics that are before it. */
function entering(topic, { left, first }) {
  const middle = start(topic);
  if (first) return [{ x: left, y: middle.y }, middle];
  const top = topic.y - 20;
  return [{ x: left, y: top }, { x: middle.x + topic.width / 2, y: top }, head(topic)];
}

function incoming({ topic, stage, across, own, bends, node, gutter, bottom }) {
  const target = head(node ?? stage);
  if (own || !across) return own && topic.y > stage.y ? around(foot(topic), target, bottom) : curve([foot(topic), ...bends, target], false);
  if (stage.x < topic.x + topic.width) return around(end(topic), start(stage), bottom);
  if (node === null) return curve([end(topic), ...bends, start(stage)], true);
  const edge = { x: stage.x, y: gutter };
  return joined(curve([end(topic), ...bends, edge], true), angled([edge, { x: target.x, y: gutter }, target]));
}

function outgoing({ topic, stage, across, own, bends, node, gutter, bottom, group }) {
  const from = foot(node ?? stage);
  if (own && topic.y > stage.y) return curve([from, head(topic)], false);
  if (!across) return topic.y < from.y ? around(end(node ?? stage), end(topic), bottom) : curve([from, ...bends, head(topic)], false);
  const exit = { x: stage.x + stage.width, y: gutter ?? stage.y + stage.height / 2 };
  const inner = node === null ? `M${exit.x} ${exit.y}` : angled([from, { x: from.x, y: gutter }, exit]);
  if (topic.x < exit.x) return joined(inner, around(exit, start(topic), bottom));
  const entry = entering(topic, group);
  return joined(inner, joined(curve([exit, ...bends, entry[0]], true), angled(entry)));
}

/** Back to where records came from: out at the side, below all, and up again. */
function around(from, to, bottom) {
  const below = bottom + 14;
  const right = from.x + 22;
  const left = to.x - 22;
  return angled([from, { x: right, y: from.y }, { x: right, y: below }, { x: left, y: below }, { x: left, y: to.y }, to]);
}
