// What part of the drawing is seen: zoom, pan, fit. It remembers whether the reader moved it.

const LARGEST = 3;
const STEP = 1.25;

/** Below these scales labels are too small to read, and are left out. */
const FAR = 0.3;
const MIDDLE = 0.62;

export class Camera {
  constructor(view, layer) {
    Object.assign(this, { view, layer, bounds: { width: 1, height: 1 } });
    Object.assign(this, { x: 0, y: 0, scale: 1, moved: false });
    this.pointers = new Map();
    this.#listen();
  }

  /** The size of the view in pixels. */
  get size() {
    return { width: this.view.clientWidth || 1, height: this.view.clientHeight || 1 };
  }

  /** Return the scale at which all of `bounds` is seen. */
  static fitting({ width, height }, bounds, margin = 18) {
    const wide = (width - 2 * margin) / Math.max(bounds.width, 1);
    const high = (height - 2 * margin) / Math.max(bounds.height, 1);
    return Math.max(0.02, Math.min(1.15, wide, high));
  }

  fit() {
    const { width, height } = this.size;
    this.scale = Camera.fitting(this.size, this.bounds);
    this.x = (width - this.bounds.width * this.scale) / 2;
    this.y = (height - this.bounds.height * this.scale) / 2;
    this.moved = false;
    this.#apply();
  }

  /** Zoom, so that the given point of the view (its middle, if none) stays where it is. */
  zoom(factor, point) {
    const { width, height } = this.size;
    const { x, y } = point ?? { x: width / 2, y: height / 2 };
    const smallest = Math.min(0.5, Camera.fitting(this.size, this.bounds) / 2);
    const scale = Math.min(LARGEST, Math.max(smallest, this.scale * factor));
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.#changed();
  }

  zoomIn = () => this.zoom(STEP);

  zoomOut = () => this.zoom(1 / STEP);

  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.#changed();
  }

  /** Bring a box into the view, readable; nothing moves if it is there already. */
  reveal(box, scale = this.scale) {
    const { width, height } = this.size;
    const inside = (low, high, size) => low >= 8 && high <= size - 8;
    const left = box.x * this.scale + this.x;
    const top = box.y * this.scale + this.y;
    const seen =
      inside(left, left + box.width * this.scale, width) && inside(top, top + box.height * this.scale, height);
    if (seen && scale <= this.scale) return;
    this.scale = Math.max(scale, this.scale);
    this.x = width / 2 - (box.x + box.width / 2) * this.scale;
    this.y = height / 2 - (box.y + box.height / 2) * this.scale;
    this.#changed();
  }

  #changed() {
    this.moved = true;
    this.#apply();
  }

  #apply() {
    const round = (value) => Math.round(value * 100) / 100;
    const scale = Math.round(this.scale * 10000) / 10000;
    this.layer.setAttribute("transform", `translate(${round(this.x)} ${round(this.y)}) scale(${scale})`);
    this.view.dataset.zoom = this.scale < FAR ? "far" : this.scale < MIDDLE ? "middle" : "near";
  }

  #listen() {
    const view = this.view;
    view.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    view.addEventListener("pointerdown", (event) => this.#down(event));
    view.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"]) {
      view.addEventListener(name, (event) => this.#up(event));
    }
  }

  /** The wheel alone scrolls the page: only with Ctrl (or two fingers on a pad) it zooms. */
  #wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY * 0.004), this.#point(event));
  }

  #point(event) {
    const box = this.view.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #down(event) {
    if (event.button !== 0) return;
    this.pointers.set(event.pointerId, { ...this.#point(event), type: event.pointerType });
    this.dragged = 0;
  }

  #move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const point = this.#point(event);
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, each]) => each);
    if (others.length) this.#pinch(before, point, others[0]);
    else if (before.type === "mouse") this.#drag(before, point, event);
    this.pointers.set(event.pointerId, { ...point, type: before.type });
  }

  #drag(before, point, event) {
    this.dragged += Math.abs(point.x - before.x) + Math.abs(point.y - before.y);
    if (this.dragged < 4) return;
    if (!this.view.hasPointerCapture(event.pointerId)) this.view.setPointerCapture(event.pointerId);
    this.pan(point.x - before.x, point.y - before.y);
  }

  #pinch(before, point, other) {
    const distance = (each) => Math.hypot(each.x - other.x, each.y - other.y) || 1;
    this.dragged = Infinity;
    this.zoom(distance(point) / distance(before), { x: (point.x + other.x) / 2, y: (point.y + other.y) / 2 });
    this.pan((point.x - before.x) / 2, (point.y - before.y) / 2);
  }

  #up(event) {
    this.pointers.delete(event.pointerId);
  }
}
