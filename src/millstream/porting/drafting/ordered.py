"""Java's collections with an order that Python's set or dict does not have."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting.context import Context, UntranslatedError

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
