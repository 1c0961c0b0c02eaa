// Places inside one stage: its nodes in rows from top to bottom, with room for edges above and below.

import { layered } from "./layers.js";

export const NODE = { width: 158, height: 40 };
export const HEADER = 30;
const PADDING = 14;
const GUTTER = 14;
const GAPS = { mainGap: 18, crossGap: 16 };

/** Return the nodes and edges of a sub-topology, their places, and the size of its box. */
export function insideOf(topology, number) {
  const nodes = topology.nodes.filter((node) => node.subtopology === number);
  const names = new Set(nodes.map((node) => node.name));
  const edges = topology.edges.filter(({ from, to }) => names.has(from) && names.has(to));
  const items = new Map(nodes.map(({ name }) => [name, { main: NODE.height, cross: NODE.width }]));
  const sinks = new Set(nodes.filter(({ kind }) => kind === "sink").map(({ name }) => name));
  const placed = layered(items, edges.map(({ from, to }) => [from, to]), { ...GAPS, last: sinks });
  const gutters = { above: gutter(nodes, "source"), below: gutter(nodes, "sink") };
  const width = Math.max(placed.size.cross, NODE.width) + 2 * PADDING;
  const height = HEADER + gutters.above + placed.size.main + gutters.below;
  return { nodes, edges, placed, gutters, size: { width, height } };
}

function gutter(nodes, kind) {
  return GUTTER + 3 * Math.min(8, nodes.filter((node) => node.kind === kind).length);
}

/** Each node has a line of its own in the gutter, so that paths do not cover each other. */
export function gutterAt(box, inside, name, kind) {
  const number = inside.nodes.filter((node) => node.kind === kind).findIndex((node) => node.name === name);
  const offset = 5 + 3 * Math.min(number, 7);
  return kind === "source" ? box.y + HEADER + offset : box.y + box.height - offset;
}
