"""Places of the nodes of a drawing, without the drawing itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from millstream.topology.describe import TopologyDescription
from millstream.topology.drawing.blocks import blocks
from millstream.topology.drawing.layers import width_of
from millstream.topology.drawing.picture import picture_of

ROW, HEIGHT = 64.0, 30.0
"""Distance of two rows, and height of a shape, in pixels."""


@dataclass(frozen=True, slots=True)
class PlacedNodes:
    """A drawing's size, and the place of each node in it, in pixels."""

    nodes: Mapping[str, dict[str, float]]
    """Name -> ``x`` and ``y`` of the upper left corner, ``width`` and ``height``."""
    width: float
    height: float


def placed_nodes(description: TopologyDescription) -> PlacedNodes:
    """Return the places of a topology's nodes, as ``to_svg`` draws them."""
    found: dict[str, dict[str, float]] = {}
    right = bottom = 0.0
    for block in blocks(picture_of(description)):
        centers = block.centers()
        for vertex in block.part.nodes:
            width = width_of(vertex.label)
            left = centers[vertex.id] - width / 2
            top = (block.first + block.inside.rows[vertex.id]) * ROW + (ROW - HEIGHT) / 2
            found[vertex.label] = {"x": left, "y": top, "width": width, "height": HEIGHT}
        right = max(right, block.left + block.width)
        bottom = max(bottom, (block.last + 2) * ROW)
    return PlacedNodes(found, right, bottom)
