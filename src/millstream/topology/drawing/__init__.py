"""Drawings of a topology: Mermaid, Graphviz, SVG and JSON, from what ``describe()`` returns."""

from millstream.topology.drawing.svg import to_svg as to_svg
from millstream.topology.drawing.text import to_dot as to_dot
from millstream.topology.drawing.text import to_json as to_json
from millstream.topology.drawing.text import to_mermaid as to_mermaid
