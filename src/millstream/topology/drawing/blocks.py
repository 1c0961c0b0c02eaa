"""Places of the boxes of sub-topologies and of the topics between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from millstream.topology.drawing.layers import GAP, PlacedPart, placed, width_of
from millstream.topology.drawing.picture import DrawnPart, Picture

_BOX = 18.0
"""Between a box and what is in it."""


@dataclass(frozen=True, slots=True)
class Block:
    """The box of one sub-topology, with the topics above and below it."""

    part: DrawnPart
    inside: PlacedPart
    first: int
    """Its first row of shapes; the topics above it are in the row before."""
    left: float
    width: float
    above: tuple[str, ...]
    below: tuple[str, ...]

    @property
    def last(self) -> int:
        """Its last row of shapes."""
        return self.first + self.inside.height - 1

    def centers(self) -> dict[str, float]:
        """Return the middle of each shape and bend inside."""
        indent = self.left + (self.width - self.inside.width) / 2
        return {shape: indent + center for shape, center in self.inside.centers.items()}


def blocks(picture: Picture) -> list[Block]:
    """Return the boxes: a reader of what another writes is below it, others are beside it."""
    writer = _owners([(topic, sink) for sink, topic in picture.writes])
    reader = _owners([(topic, source) for topic, source in picture.reads])
    labels = {vertex.id: vertex.label for vertex in picture.topics.values()}
    feeds: dict[int, set[int]] = {part.number: set() for part in picture.parts}
    for topic, source in picture.reads:
        if topic in writer:
            feeds[_number(source)].add(writer[topic])
    feeds = _without_circles(feeds)
    found: dict[int, Block] = {}
    for part in sorted(picture.parts, key=lambda part: (_depth(part.number, feeds), part.number)):
        known = [found[number] for number in feeds[part.number] if number in found]
        inside = placed(part)
        above = tuple(t for t, n in reader.items() if n == part.number and t not in writer)
        below = tuple(topic for topic, number in writer.items() if number == part.number)
        width = max(
            inside.width + 2 * _BOX,
            width_of(part.title),
            *(sum(width_of(labels[t]) + GAP for t in topics) for topics in (above, below)),
        )
        first = max((block.last + 2 for block in known), default=1)
        wanted = min((block.left for block in known), default=0.0)
        last = first + inside.height - 1
        left = _free(found, first - 1, last + 1, wanted, width)
        found[part.number] = Block(part, inside, first, left, width, above, below)
    return [found[part.number] for part in picture.parts]


def _owners(pairs: list[tuple[str, str]]) -> dict[str, int]:
    """Return topic -> the first sub-topology that reads or writes it."""
    return {topic: _number(node) for topic, node in reversed(pairs)}


def _number(node: str) -> int:
    return int(node.split("_")[0][1:])


def _without_circles(feeds: Mapping[int, set[int]]) -> dict[int, set[int]]:
    """Leave out what leads back to a sub-topology of a lower number, as in a foreign-key join."""
    kept: dict[int, set[int]] = {number: set() for number in feeds}
    pairs = sorted((above > number, number, above) for number in feeds for above in feeds[number])
    for _, number, above in pairs:
        if number not in _reached(kept, above):
            kept[number].add(above)
    return kept


def _reached(feeds: Mapping[int, set[int]], number: int) -> set[int]:
    """Return a sub-topology and all that feed it, directly or by way of others."""
    found, open_ = {number}, [number]
    while open_:
        new = feeds[open_.pop()] - found
        found |= new
        open_ += new
    return found


def _depth(number: int, feeds: Mapping[int, set[int]]) -> int:
    """Return how far below the first sub-topologies one is."""
    return max((_depth(above, feeds) + 1 for above in feeds[number]), default=0)


def _free(found: Mapping[int, Block], top: int, bottom: int, wanted: float, width: float) -> float:
    """Return the leftmost place from ``wanted`` on that no block of these rows has."""
    # A topic between two boxes is in the last row of the one and the first of the other.
    near = [b for b in found.values() if b.first - 1 < bottom and top < b.last + 1]
    left = wanted
    for block in sorted(near, key=lambda block: block.left):
        if block.left < left + width + GAP and left < block.left + block.width + GAP:
            left = block.left + block.width + GAP
    return left
