"""Canvas: an SVG image of lines, boxes, dots and words, readable in light and dark."""

from __future__ import annotations

from xml.sax.saxutils import escape

_STYLE = """
.paper{fill:#fff}.soft{fill:#eef1f5}.grid{stroke:#d5dbe3}.axis{stroke:#5d6875}
.blue{fill:#cfe2fb;stroke:#2463b0}.orange{fill:#fde3c8;stroke:#b0610f}
.green{fill:#d3efd6;stroke:#2b7a39}.red{fill:#fbd3d3;stroke:#b32727}
.grey{fill:#e3e7ec;stroke:#5d6875}.wait{fill:none;stroke:#5d6875;stroke-dasharray:5 4}
text{fill:#1c2430}.dim{fill:#4f5b68}.bad{fill:#a11d1d}.time{stroke:#2463b0}
@media (prefers-color-scheme:dark){
.paper{fill:#14181d}.soft{fill:#20262e}.grid{stroke:#39424d}.axis{stroke:#94a1b0}
.blue{fill:#1d3c63;stroke:#7fb2f0}.orange{fill:#5a3711;stroke:#f0ad66}
.green{fill:#1d4a27;stroke:#7fd38d}.red{fill:#5f2020;stroke:#f08c8c}
.grey{fill:#2c343e;stroke:#94a1b0}.wait{stroke:#94a1b0}
text{fill:#e8edf3}.dim{fill:#aab6c3}.bad{fill:#ff9d9d}.time{stroke:#7fb2f0}
}
"""


class Canvas:
    """An image that is drawn from the back to the front.

    Args:
        width: In pixels.
        height: In pixels.
        title: The picture in a few words.
        text: The picture in sentences, for those who do not see it.
    """

    def __init__(self, width: int, height: int, title: str, text: str) -> None:
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" aria-labelledby="title desc" '
            'font-family="system-ui, sans-serif" font-size="13">'
        )
        self._parts = [
            head,
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="desc">{escape(text)}</desc>',
            f"<style>{_STYLE}</style>",
            f'<rect class="paper" width="{width}" height="{height}" rx="8"/>',
        ]

    def box(
        self, x: float, y: float, width: float, height: float, kind: str, *, rounding: float = 4
    ) -> None:
        self._parts.append(
            f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
            f'height="{height:.1f}" rx="{rounding:g}"/>'
        )

    def line(
        self, x1: float, y1: float, x2: float, y2: float, kind: str, *, wide: float = 1
    ) -> None:
        self._parts.append(
            f'<path class="{kind}" fill="none" stroke-width="{wide:g}" '
            f'd="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>'
        )

    def arrow(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """Draw a horizontal or vertical arrow."""
        self.line(x1, y1, x2, y2, "axis", wide=1.5)
        dx, dy = (5 if x2 > x1 else -5, 0) if y1 == y2 else (0, 5 if y2 > y1 else -5)
        self._parts.append(
            f'<path class="axis" fill="none" stroke-width="1.5" d="M{x2 - dx - dy:.1f} '
            f'{y2 - dy - dx:.1f}L{x2:.1f} {y2:.1f}L{x2 - dx + dy:.1f} {y2 - dy + dx:.1f}"/>'
        )

    def arc(self, x1: float, x2: float, y: float, bend: float) -> None:
        """Draw an arrow that leaves and comes back to the height ``y`` in a bow."""
        tip = 6 if bend > 0 else -6
        self._parts.append(
            f'<path class="axis" fill="none" stroke-width="1.5" d="M{x1:.1f} {y:.1f}C{x1:.1f} '
            f"{y + bend:.1f} {x2:.1f} {y + bend:.1f} {x2:.1f} {y:.1f}M{x2 - 4:.1f} {y + tip:.1f}"
            f'L{x2:.1f} {y:.1f}L{x2 + 4:.1f} {y + tip:.1f}"/>'
        )

    def dot(self, x: float, y: float, kind: str) -> None:
        self._parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="6"/>')

    def cross(self, x: float, y: float) -> None:
        """Draw a dot that is crossed out."""
        self.dot(x, y, "red")
        for sign in (1, -1):
            self.line(x - 4, y - 4 * sign, x + 4, y + 4 * sign, "red", wide=2)

    def write(
        self, x: float, y: float, text: str, kind: str = "", *, at: str = "middle", size: int = 13
    ) -> None:
        """Write text whose base line is at ``y``; ``at`` is start, middle or end."""
        shown = f' class="{kind}"' if kind else ""
        small = f' font-size="{size}"' if size != 13 else ""
        self._parts.append(
            f'<text{shown}{small} x="{x:.1f}" y="{y:.1f}" text-anchor="{at}">{escape(text)}</text>'
        )

    def tag(self, x: float, y: float, text: str, kind: str) -> None:
        """Write text in a box whose middle is at a point."""
        width = 12 + 7.4 * len(text)
        self.box(x - width / 2, y - 11, width, 22, kind)
        self.write(x, y + 4.5, text)

    def svg(self) -> str:
        return "\n".join([*self._parts, "</svg>", ""])
