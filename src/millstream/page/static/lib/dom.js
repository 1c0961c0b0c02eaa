// Elements. All text goes in by textContent: a topic's name may be any text, also HTML.

const SVG = "http://www.w3.org/2000/svg";

/** Return an HTML element. `text` sets its text; other attributes are set as they are. */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** Return an SVG element. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, { text, ...attributes }, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : value);
  }
  if (text !== undefined) element.textContent = text;
  element.append(...children.filter((child) => child !== null));
  return element;
}

export const byId = (id) => document.getElementById(id);

/** Set a text only if it changes, so that a selection by the reader survives updates. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Set an attribute only if it changes. */
export function setAttribute(element, name, value) {
  if (value === null || value === undefined) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/**
 * Let the children of `parent` be one element for each item, in order. Elements of known keys are
 * kept, so that focus stays where it is.
 */
export function keyed(parent, items, keyOf, make, update) {
  const known = parent.keyedChildren ?? (parent.keyedChildren = new Map());
  const kept = new Map();
  let next = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    if (kept.has(key)) continue;
    const element = known.get(key) ?? make(item);
    kept.set(key, element);
    if (element === next) next = next.nextElementSibling;
    else parent.insertBefore(element, next);
    update(element, item);
  }
  for (const [key, element] of known) if (!kept.has(key)) element.remove();
  parent.keyedChildren = kept;
}

/** Two buttons of which one is pressed: a picture, or the same as a table. */
export function viewSwitch(label, names, choose) {
  const buttons = names.map((name, index) => {
    const button = el("button", { type: "button", "aria-pressed": String(index === 0), text: name });
    button.addEventListener("click", () => {
      for (const each of buttons) each.setAttribute("aria-pressed", String(each === button));
      choose(index);
    });
    return button;
  });
  return el("div", { class: "switch", role: "group", "aria-label": label }, ...buttons);
}
