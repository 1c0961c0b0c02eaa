"""Rows and columns of one sub-topology's shapes: layers by longest path, ordered by neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from millstream.topology.drawing.picture import DrawnPart

CHAR, PADDING, GAP = 7.2, 24.0, 28.0
"""Width of a character, of what is around a label, and between two shapes, in pixels."""
_SWEEPS = 4
_BEND = 8.0

Edge = tuple[str, str]


def width_of(label: str) -> float:
    """Return the width of a shape."""
    return len(label) * CHAR + PADDING


@dataclass(frozen=True, slots=True)
class PlacedPart:
    """Positions inside one box, from its upper left corner."""

    rows: Mapping[str, int]
    """Shape -> row, from 0."""
    centers: Mapping[str, float]
    """Shape -> middle, in pixels; bends of long edges are there as well."""
    routes: Mapping[Edge, tuple[str, ...]]
    """Edge -> the bends that it passes, one in each row between its ends."""
    width: float
    height: int
    """Number of rows."""


def placed(part: DrawnPart) -> PlacedPart:
    """Return the positions of a sub-topology's nodes and stores."""
    rows = _rows([vertex.id for vertex in part.nodes], part.edges)
    users: dict[str, list[str]] = {}
    for node, store in part.links:
        users.setdefault(store, []).append(node)
    for store, nodes in users.items():
        rows[store] = rows[nodes[0]]
    routes, bends, short = _routes(part.edges, rows)
    widths = {vertex.id: width_of(vertex.label) for vertex in (*part.nodes, *part.stores)}
    widths |= dict.fromkeys(bends, _BEND)
    layers = _ordered(rows | bends, short, users)
    centers, width = _centers(layers, widths, short, users)
    return PlacedPart(rows, centers, routes, width, len(layers))


def _rows(nodes: Sequence[str], edges: Iterable[Edge]) -> dict[str, int]:
    """Return the length of the longest path that leads to each node."""
    above: dict[str, list[str]] = {node: [] for node in nodes}
    for one, other in edges:
        above[other].append(one)
    rows: dict[str, int] = {}

    def row(node: str) -> int:
        # A topology has no circles inside a sub-topology: a node's parents exist before it.
        stack = [node]
        while stack:
            last = stack[-1]
            open_ = [each for each in above[last] if each not in rows]
            if open_:
                stack += open_
                continue
            rows[stack.pop()] = max((rows[each] + 1 for each in above[last]), default=0)
        return rows[node]

    return {node: row(node) for node in nodes}


def _routes(
    edges: Iterable[Edge], rows: Mapping[str, int]
) -> tuple[dict[Edge, tuple[str, ...]], dict[str, int], list[Edge]]:
    """Return the bends of long edges, their rows, and all edges from one row to the next."""
    routes: dict[Edge, tuple[str, ...]] = {}
    bends: dict[str, int] = {}
    short: list[Edge] = []
    for number, (above, below) in enumerate(edges):
        between = range(rows[above] + 1, rows[below])
        passed = tuple(f"bend{number}_{row}" for row in between)
        bends |= dict(zip(passed, between, strict=True))
        routes[above, below] = passed
        path = (above, *passed, below)
        short += pairwise(path)
    return routes, bends, short


def _ordered(
    rows: Mapping[str, int], edges: Sequence[Edge], users: Mapping[str, Sequence[str]]
) -> list[list[str]]:
    """Return the shapes of each row, from left to right, near their neighbours."""
    layers: list[list[str]] = [[] for _ in range(max(rows.values(), default=-1) + 1)]
    for shape, row in rows.items():
        if shape not in users:
            layers[row].append(shape)
    above, below = _neighbours(edges)
    for sweep in range(_SWEEPS):
        towards = above if sweep % 2 == 0 else below
        order = layers if sweep % 2 == 0 else layers[::-1]
        for layer in order:
            place = {shape: i / len(each) for each in layers for i, shape in enumerate(each)}

            layer.sort(key=partial(_wanted, towards=towards, place=place))
    for store, nodes in users.items():
        layer = layers[rows[store]]
        layer.insert(layer.index(nodes[0]) + 1, store)
    return layers


def _wanted(shape: str, towards: Mapping[str, Sequence[str]], place: Mapping[str, float]) -> float:
    """Return the mean place of a shape's neighbours; its own if it has none."""
    found = [place[each] for each in towards.get(shape, ())]
    return sum(found) / len(found) if found else place[shape]


def _neighbours(edges: Iterable[Edge]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    above: dict[str, list[str]] = {}
    below: dict[str, list[str]] = {}
    for one, other in edges:
        above.setdefault(other, []).append(one)
        below.setdefault(one, []).append(other)
    return above, below


def _centers(
    layers: Sequence[Sequence[str]],
    widths: Mapping[str, float],
    edges: Iterable[Edge],
    users: Mapping[str, Sequence[str]],
) -> tuple[dict[str, float], float]:
    """Return the middle of each shape, and the width of all."""
    above, _ = _neighbours(edges)
    centers: dict[str, float] = {}
    for layer in layers:
        right, wishes = 0.0, []
        for shape in layer:
            centers[shape] = right + widths[shape] / 2
            right += widths[shape] + GAP
            known = [centers[each] for each in above.get(shape, ())]
            if known and shape not in users:
                wishes.append(sum(known) / len(known) - centers[shape])
        shift = sum(wishes) / len(wishes) if wishes else 0.0
        for shape in layer:
            centers[shape] += shift
    left = min((centers[each] - widths[each] / 2 for each in centers), default=0.0)
    centers = {shape: center - left for shape, center in centers.items()}
    return centers, max((centers[each] + widths[each] / 2 for each in centers), default=0.0)
