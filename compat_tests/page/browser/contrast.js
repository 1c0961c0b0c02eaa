// Returns [how many texts were checked, those whose contrast is below WCAG's AA].
() => {
  const numbers = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const channel = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ratio = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const over = (top, below, alpha) => top.slice(0, 3).map((value, i) => value * alpha + below[i] * (1 - alpha));

  const backgroundOf = (element) => {
    for (let each = element; each; each = each.parentElement) {
      if (each.localName === "g" && each.classList.contains("item")) {
        const fill = svgFill(each);
        if (fill) return fill;
      }
      const color = numbers(getComputedStyle(each).backgroundColor);
      if (color.length === 3 || color[3] > 0.99) return color.slice(0, 3);
    }
    return numbers(getComputedStyle(document.body).backgroundColor).slice(0, 3);
  };
  const svgFill = (item) => {
    const shape = item.querySelector(".shape");
    return shape ? numbers(getComputedStyle(shape).fill).slice(0, 3) : null;
  };

  const weak = [];
  let checked = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || ["SCRIPT", "STYLE", "NOSCRIPT"].includes(element.tagName)) continue;
    if (!element.checkVisibility() || element.closest(".hidden, .skip")) continue;
    const style = getComputedStyle(element);
    const inside = element.namespaceURI.endsWith("svg");
    const color = numbers(inside ? style.fill : style.color);
    const ground = inside && element.classList.contains("flow")
      ? numbers(getComputedStyle(element.ownerSVGElement).backgroundColor)
      : backgroundOf(element);
    const found = ratio(over(color, ground, color[3] ?? 1), ground);
    checked += 1;
    if (found < 4.5) weak.push(`${node.textContent.trim().slice(0, 40)}: ${found.toFixed(2)}`);
  }
  return [checked, weak];
}
