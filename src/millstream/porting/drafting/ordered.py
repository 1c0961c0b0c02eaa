"""Collections with an order that Python's set or dict does not have, and classes with an order."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting.context import ClassShape, Context, UntranslatedError

SORTED = ("TreeMap", "TreeSet", "ConcurrentSkipListMap", "ConcurrentSkipListSet")


def refuse(made: str, node: Node, context: Context) -> None:
    """Refuse to make one of them.

    Raises:
        UntranslatedError: It is one.
    """
    if made in context.shapes:
        return
    if made in SORTED:
        raise UntranslatedError(
            node, "it sorts; write sorted() where it is read, or sortedcontainers"
        )
    if made == "LinkedHashSet":
        raise UntranslatedError(node, "it keeps its order; the keys of a dict do")


def less(shape: ClassShape) -> list[str]:
    """Return what sorted(), min() and max() ask of objects that Java can compare."""
    if not shape.enum and ("compareTo" not in shape.methods or "compareTo" in shape.abstract):
        return []
    order = "self.compareTo(other) < 0"
    if shape.enum:
        order = "list(type(self)).index(self) < list(type(self)).index(other)"
    return ["", "def __lt__(self, other):", f"    return {order}"]
