"""SVG drawing of a topology, without Graphviz: from top to bottom, a box per sub-topology."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from xml.sax.saxutils import escape

from millstream.topology.describe import TopologyDescription
from millstream.topology.drawing.blocks import Block, blocks
from millstream.topology.drawing.layers import GAP, width_of
from millstream.topology.drawing.picture import (
    PROCESSOR,
    SINK,
    SOURCE,
    STORE,
    TOPIC,
    Picture,
    Vertex,
    picture_of,
)
from millstream.topology.drawing.placed import HEIGHT, ROW

_MARGIN, _TITLE = 20.0, 18.0
_FILL = {
    SOURCE: "#e8f1fb",
    PROCESSOR: "#ffffff",
    SINK: "#fdf0e3",
    STORE: "#eef7ec",
    TOPIC: "#f2f2f2",
}
_HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" '
    'viewBox="0 0 {0:.0f} {1:.0f}" font-family="monospace" font-size="12">'
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
    'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>'
    '<rect width="100%" height="100%" fill="#fcfcfc"/>'
)

Point = tuple[float, float]


def to_svg(description: TopologyDescription) -> str:
    """Return an SVG image: topics, sources, processors, sinks and stores, and their edges.

    Sub-topologies are boxes; one that reads what another writes is below it. Equal descriptions
    give equal images.
    """
    picture = picture_of(description)
    found = blocks(picture)
    points = _points(picture, found)
    right = max((block.left + block.width for block in found), default=0.0)
    for vertex in picture.topics.values():
        right = max(right, points[vertex.id][0] + width_of(vertex.label) / 2)
    rows = max((block.last + 2 for block in found), default=0)
    body = [_HEAD.format(right + 2 * _MARGIN, rows * ROW + 2 * _MARGIN)]
    body.append(f'<g transform="translate({_MARGIN:.0f} {_MARGIN:.0f})">')
    body += [_box(block) for block in found]
    for block in found:
        body += _inner_edges(block, points)
    body += [_line([points[one], points[other]]) for one, other in picture.reads + picture.writes]
    inner = (v for block in found for v in (*block.part.nodes, *block.part.stores))
    body += [_shape(v, points[v.id]) for v in (*picture.topics.values(), *inner)]
    return "\n".join([*body, "</g></svg>"])


def _points(picture: Picture, found: Sequence[Block]) -> dict[str, Point]:
    """Return the middle of each shape and bend; a bend's id has its block's number."""
    points: dict[str, Point] = {}
    labels = {vertex.id: vertex.label for vertex in picture.topics.values()}
    for block in found:
        centers, rows = block.centers(), block.inside.rows
        for shape, x in centers.items():
            row = rows[shape] if shape in rows else int(shape.rpartition("_")[2])
            points[_key(block, shape)] = (x, _y(block.first + row))
        for topics, row in ((block.above, block.first - 1), (block.below, block.last + 1)):
            points |= _row_of_topics(topics, labels, _wishes(picture, points), block, _y(row))
    return points


def _wishes(picture: Picture, points: Mapping[str, Point]) -> dict[str, float]:
    """Return the place of the first neighbour of each topic."""
    pairs = [*picture.reads, *((topic, sink) for sink, topic in picture.writes)]
    return {topic: points[node][0] for topic, node in reversed(pairs) if node in points}


def _row_of_topics(
    topics: Iterable[str],
    labels: Mapping[str, str],
    wishes: Mapping[str, float],
    block: Block,
    y: float,
) -> dict[str, Point]:
    middle = block.left + block.width / 2
    order = sorted(topics, key=lambda topic: wishes.get(topic, middle))
    places, right = dict[str, float](), 0.0
    for topic in order:
        half = width_of(labels[topic]) / 2
        places[topic] = max(wishes.get(topic, middle), right + half)
        right = places[topic] + half + GAP
    over = max(0.0, right - GAP - (block.left + block.width))
    return {topic: (x - over, y) for topic, x in places.items()}


def _key(block: Block, shape: str) -> str:
    return f"{block.part.number}:{shape}" if shape.startswith("bend") else shape


def _y(row: int) -> float:
    return row * ROW + ROW / 2


def _box(block: Block) -> str:
    top = _y(block.first) - HEIGHT / 2 - _TITLE
    height = _y(block.last) + HEIGHT / 2 + 8 - top
    return (
        f'<rect x="{block.left:.1f}" y="{top:.1f}" width="{block.width:.1f}" '
        f'height="{height:.1f}" rx="8" fill="#f7f9fc" stroke="#b8c4d6"/>'
        f'<text x="{block.left + 8:.1f}" y="{top + 12:.1f}" font-size="10" fill="#667">'
        f"{escape(block.part.title)}</text>"
    )


def _inner_edges(block: Block, points: Mapping[str, Point]) -> Iterable[str]:
    for edge in block.part.edges:
        passed = [_key(block, bend) for bend in block.inside.routes[edge]]
        yield _line([points[each] for each in (edge[0], *passed, edge[1])])
    for node, store in block.part.links:
        (x1, y1), (x2, y2) = points[node], points[store]
        yield (
            f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="#7a9" fill="none" '
            'stroke-dasharray="4 3"/>'
        )


def _line(path: Sequence[Point]) -> str:
    """Return a curve through points, with an arrow at its end."""
    half = HEIGHT / 2
    (x, y), last = path[0], path[-1]
    # What leads back up, as in a foreign-key join, leaves below and arrives above as well.
    drawn = f"M{x:.1f} {y + half:.1f}"
    y += half
    for nx, ny in path[1:]:
        end = ny - half if (nx, ny) == last else ny
        bend = (end - y) / 2 if end > y + 16 else 24.0
        drawn += f"C{x:.1f} {y + bend:.1f} {nx:.1f} {end - bend:.1f} {nx:.1f} {end:.1f}"
        x, y = nx, end
    return f'<path d="{drawn}" stroke="#555" fill="none" marker-end="url(#arrow)"/>'


def _shape(vertex: Vertex, point: Point) -> str:
    width, (x, y) = width_of(vertex.label), point
    rounding = {TOPIC: HEIGHT / 2, STORE: 0.0}.get(vertex.kind, 6.0)
    left, top = x - width / 2, y - HEIGHT / 2
    ends = ""
    if vertex.kind == STORE:
        ends = (
            f'<path d="M{left + 5:.1f} {top:.1f}v{HEIGHT:.0f}'
            f'M{left + width - 5:.1f} {top:.1f}v{HEIGHT:.0f}" stroke="#5a8" fill="none"/>'
        )
    return (
        f'<g><title>{vertex.kind} {escape(vertex.label)}</title><rect x="{left:.1f}" '
        f'y="{top:.1f}" width="{width:.1f}" height="{HEIGHT:.0f}" rx="{rounding:.0f}" '
        f'fill="{_FILL[vertex.kind]}" stroke="#555"/>{ends}<text x="{x:.1f}" y="{y + 4:.1f}" '
        f'text-anchor="middle">{escape(vertex.label)}</text></g>'
    )
