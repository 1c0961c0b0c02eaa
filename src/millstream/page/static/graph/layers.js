// Places of a graph's items in layers: longest paths, few crossings, short edges.
// "main" is the direction in which the graph flows, "cross" the other one; places are middles.

const SWEEPS = 8;
const BEND = 6;

/**
 * Lay out `items` (id -> {main, cross}: sizes) with `edges` ([from, to]).
 *
 * `last` names items that belong into the last layer. Returns places, bends of long edges (by
 * edgeKey) and the size of all.
 */
export function layered(items, edges, { mainGap, crossGap, last = new Set() }) {
  const forward = withoutCircles([...items.keys()], edges.filter(([from, to]) => from !== to));
  const layer = layersOf(items, forward, last);
  const { bends, short } = bent(forward, layer);
  const sizes = new Map([...items, ...[...bends.keys()].map((id) => [id, { main: 0, cross: BEND }])]);
  const rows = rowsOf(items, layer, bends);
  const neighbours = neighboursOf(short);
  order(rows, neighbours);
  const cross = crossPlaces(rows, sizes, neighbours, crossGap);
  const main = mainPlaces(rows, sizes, mainGap);
  return finished(rows, sizes, { cross, main }, routesOf(forward, bends));
}

export const edgeKey = (from, to) => `${from}\t${to}`;

/** Turn edges around that would lead back to where their path began. */
function withoutCircles(ids, edges) {
  const out = new Map(ids.map((id) => [id, []]));
  for (const [from, to] of edges) if (out.has(from) && out.has(to)) out.get(from).push(to);
  const state = new Map();
  const back = new Set();
  for (const id of ids) if (!state.has(id)) walk(id, out, state, back);
  const kept = edges.filter(([from, to]) => out.has(from) && out.has(to));
  return kept.map(([from, to]) => (back.has(edgeKey(from, to)) ? [to, from, true] : [from, to, false]));
}

/** Depth first, without recursion: a chain may have thousands of nodes. */
function walk(start, out, state, back) {
  const stack = [[start, 0]];
  state.set(start, "open");
  while (stack.length) {
    const top = stack.at(-1);
    const [id, index] = top;
    const to = out.get(id)[index];
    if (to === undefined) {
      state.set(id, "done");
      stack.pop();
      continue;
    }
    top[1] += 1;
    if (state.get(to) === "open") back.add(edgeKey(id, to));
    else if (!state.has(to)) {
      state.set(to, "open");
      stack.push([to, 0]);
    }
  }
}

function layersOf(items, edges, last, close) {
  const into = new Map([...items.keys()].map((id) => [id, 0]));
  const out = new Map([...items.keys()].map((id) => [id, []]));
  for (const [from, to] of edges) {
    into.set(to, into.get(to) + 1);
    out.get(from).push(to);
  }
  const begins = [...items.keys()].filter((id) => into.get(id) === 0);
  const layer = new Map(begins.map((id) => [id, 0]));
  const ready = [...begins];
  while (ready.length) {
    const id = ready.pop();
    for (const to of out.get(id)) {
      layer.set(to, Math.max(layer.get(to) ?? 0, layer.get(id) + 1));
      into.set(to, into.get(to) - 1);
      if (into.get(to) === 0) ready.push(to);
    }
  }
  const deepest = Math.max(0, ...layer.values());
  for (const id of last) if (layer.has(id) && out.get(id).length === 0) layer.set(id, deepest);
  return layer;
}

/** Edges over several layers get a bend in each layer between. */
function bent(edges, layer) {
  const bends = new Map();
  const short = [];
  edges.forEach(([from, to], number) => {
    let before = from;
    for (let each = layer.get(from) + 1; each < layer.get(to); each += 1) {
      const id = `\tbend ${number} ${each}`;
      bends.set(id, { layer: each, edge: number });
      short.push([before, id]);
      before = id;
    }
    short.push([before, to]);
  });
  return { bends, short };
}

function rowsOf(items, layer, bends) {
  const rows = Array.from({ length: Math.max(-1, ...layer.values()) + 1 }, () => []);
  for (const id of items.keys()) rows[layer.get(id)].push(id);
  for (const [id, bend] of bends) rows[bend.layer].push(id);
  return rows;
}

function neighboursOf(short) {
  const before = new Map();
  const after = new Map();
  for (const [from, to] of short) {
    before.set(to, [...(before.get(to) ?? []), from]);
    after.set(from, [...(after.get(from) ?? []), to]);
  }
  return { before, after };
}

/** Sort each row by the middle of its neighbours, down and up in turns. */
function order(rows, { before, after }) {
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const down = sweep % 2 === 0;
    const place = new Map();
    for (const row of rows) row.forEach((id, index) => place.set(id, index / row.length));
    for (const row of down ? rows : [...rows].reverse()) {
      const wish = new Map(row.map((id) => [id, mean((down ? before : after).get(id), place)]));
      row.sort((one, other) => (wish.get(one) ?? place.get(one)) - (wish.get(other) ?? place.get(other)));
      row.forEach((id, index) => place.set(id, index / row.length));
    }
  }
}

function mean(ids, place) {
  if (!ids?.length) return undefined;
  return ids.reduce((sum, id) => sum + place.get(id), 0) / ids.length;
}

function crossPlaces(rows, sizes, { before, after }, gap) {
  const place = new Map();
  for (const row of rows) {
    let at = 0;
    for (const id of row) {
      place.set(id, at + sizes.get(id).cross / 2);
      at += sizes.get(id).cross + gap;
    }
  }
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const down = sweep % 2 === 0;
    for (const row of down ? rows : [...rows].reverse()) {
      const wishes = row.map((id) => mean((down ? before : after).get(id), place) ?? place.get(id));
      spread(row, wishes, sizes, gap).forEach((at, index) => place.set(row[index], at));
    }
  }
  return place;
}

/** Return the wishes, pushed apart: the middle of pushing to the one side and to the other. */
function spread(row, wishes, sizes, gap) {
  const apart = (one, other) => (sizes.get(row[one]).cross + sizes.get(row[other]).cross) / 2 + gap;
  const right = [...wishes];
  for (let i = 1; i < row.length; i += 1) right[i] = Math.max(right[i], right[i - 1] + apart(i - 1, i));
  const left = [...wishes];
  for (let i = row.length - 2; i >= 0; i -= 1) left[i] = Math.min(left[i], left[i + 1] - apart(i, i + 1));
  return right.map((each, index) => (each + left[index]) / 2);
}

function mainPlaces(rows, sizes, gap) {
  const place = new Map();
  let at = 0;
  for (const row of rows) {
    const size = Math.max(0, ...row.map((id) => sizes.get(id).main));
    for (const id of row) place.set(id, at + size / 2);
    at += size + gap;
  }
  return place;
}

function routesOf(edges, bends) {
  const routes = new Map();
  const passed = new Map();
  for (const [id, { edge }] of bends) passed.set(edge, [...(passed.get(edge) ?? []), id]);
  edges.forEach(([from, to, turned], number) => {
    const ids = passed.get(number) ?? [];
    if (turned) routes.set(edgeKey(to, from), [...ids].reverse());
    else routes.set(edgeKey(from, to), ids);
  });
  return routes;
}

/** Move all so that the first place is at 0, and return what the caller asked for. */
function finished(rows, sizes, { cross, main }, routes) {
  const ids = rows.flat();
  const low = Math.min(0, ...ids.map((id) => cross.get(id) - sizes.get(id).cross / 2));
  const start = ids.length ? Math.min(...ids.map((id) => cross.get(id) - sizes.get(id).cross / 2)) : low;
  const at = (id) => ({ main: main.get(id), cross: cross.get(id) - start });
  const end = (axis, id) => at(id)[axis] + sizes.get(id)[axis] / 2;
  const size = (axis) => Math.max(0, ...ids.map((id) => end(axis, id)));
  return {
    places: new Map(ids.map((id) => [id, at(id)])),
    routes: new Map([...routes].map(([key, bends]) => [key, bends.map(at)])),
    size: { main: size("main"), cross: size("cross") },
  };
}
