// Keys on the graph: arrows go to the nearest item, Enter opens or chooses it, + - 0 zoom.

const DIRECTIONS = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

/** `graph` offers shapes, current, focus(id), activate(id), leave() and a camera. */
export function listenToKeys(view, graph) {
  const zooms = {
    "+": () => graph.camera.zoomIn(),
    "=": () => graph.camera.zoomIn(),
    "-": () => graph.camera.zoomOut(),
    0: () => graph.camera.fit(),
    Escape: () => graph.leave(),
  };
  view.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const id = event.target.closest?.("[data-id]")?.dataset.id;
    if (DIRECTIONS[event.key]) move(event, graph, id);
    else if ((event.key === "Enter" || event.key === " ") && id !== undefined) graph.activate(id);
    else if (zooms[event.key]) zooms[event.key]();
    else return;
    event.preventDefault();
  });
}

function move(event, graph, id) {
  const direction = DIRECTIONS[event.key];
  if (event.shiftKey) {
    graph.camera.pan(-60 * direction[0], -60 * direction[1]);
    return;
  }
  const next = nearest(graph.shapes, id, direction);
  if (next !== null) graph.focus(next);
}

const middle = ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 });

/** Return the id of the item that is nearest in a direction; what is off the line counts thrice. */
export function nearest(shapes, id, [dx, dy]) {
  const from = shapes.get(id);
  if (!from) return shapes.keys().next().value ?? null;
  const a = anchor(from);
  let best = null;
  let least = Infinity;
  for (const [other, shape] of shapes) {
    if (other === id) continue;
    const b = anchor(shape);
    const along = (b.x - a.x) * dx + (b.y - a.y) * dy;
    const off = Math.abs((b.x - a.x) * dy) + Math.abs((b.y - a.y) * dx);
    const distance = along + 3 * off;
    if (along > 1 && distance < least) [best, least] = [other, distance];
  }
  return best;
}

/** An open stage is where its header is. */
function anchor(shape) {
  if (shape.kind !== "stage" || shape.closed) return middle(shape.box);
  return { x: shape.box.x + shape.box.width / 2, y: shape.box.y + 15 };
}
