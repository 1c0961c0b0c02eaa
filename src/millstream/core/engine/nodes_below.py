"""Facts about the nodes below a node, as far as they matter to what is forwarded to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def takes_columns(node: Any) -> bool:
    """Tell whether a node is a sink, or it and all below it take runs by columns."""
    return getattr(node, "by_columns", True) and all(map(takes_columns, node.children))


def is_stateless(node: Any) -> bool:
    """Tell whether a node is a sink, or it and all below it are our own operators without stores.

    All of them take runs by columns.
    """
    if getattr(node, "stores", ()) or getattr(node, "plugged", False):
        return False
    return getattr(node, "by_columns", True) and all(map(is_stateless, node.children))


def shares_stores(node: Any) -> bool:
    """Tell whether two nodes, of this one and all below it, use the same store."""
    used: set[str] = set()
    seen, waiting = {id(node)}, [node]
    while waiting:
        each = waiting.pop()
        stores = set(getattr(each, "stores", ()))
        if used & stores:
            return True
        used |= stores
        below = [child for child in each.children if id(child) not in seen]
        seen.update(map(id, below))
        waiting += below
    return False


def shares_headers(children: Sequence[Any]) -> bool:
    """Tell whether one of several children may change the headers that the others, too, are given.

    Then the current record must have the record's own headers object, even while it is empty: what
    a cache holds shows the headers as they are when it is flushed.
    """
    return len(children) > 1 and any(child.mutates_headers for child in children)
