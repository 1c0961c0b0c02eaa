// SVG paths between boxes.

const RADIUS = 6;

export const head = ({ x, y, width }) => ({ x: x + width / 2, y });
export const foot = ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height });
export const start = ({ x, y, height }) => ({ x, y: y + height / 2 });
export const end = ({ x, y, width, height }) => ({ x: x + width, y: y + height / 2 });

const round = (value) => Math.round(value * 10) / 10;
const at = ({ x, y }) => `${round(x)} ${round(y)}`;

/** A smooth path through points, flowing to the right or down. */
export function curve(points, across) {
  const parts = [`M${at(points[0])}`];
  for (let i = 1; i < points.length; i += 1) {
    const [a, b] = [points[i - 1], points[i]];
    const half = across ? (b.x - a.x) / 2 : (b.y - a.y) / 2;
    const bow = Math.max(half, 16);
    const [c, d] = across
      ? [{ x: a.x + bow, y: a.y }, { x: b.x - bow, y: b.y }]
      : [{ x: a.x, y: a.y + bow }, { x: b.x, y: b.y - bow }];
    parts.push(`C${at(c)} ${at(d)} ${at(b)}`);
  }
  return parts.join(" ");
}

/** Straight lines with round corners. */
export function angled(points) {
  const parts = [`M${at(points[0])}`];
  for (let i = 1; i < points.length - 1; i += 1) {
    const [a, b, c] = [points[i - 1], points[i], points[i + 1]];
    parts.push(`L${at(towards(b, a))} Q${at(b)} ${at(towards(b, c))}`);
  }
  parts.push(`L${at(points.at(-1))}`);
  return parts.join(" ");
}

function towards(from, to) {
  const distance = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const step = Math.min(RADIUS, distance / 2) / distance;
  return { x: from.x + (to.x - from.x) * step, y: from.y + (to.y - from.y) * step };
}

/** Join two paths, of which the second begins where the first one ends. */
export const joined = (first, second) => `${first} ${second.replace(/^M\S+ \S+ ?/, "")}`;
