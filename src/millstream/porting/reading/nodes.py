"""Small helpers over the nodes of tree-sitter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tree_sitter import Node

COMMENTS = ("line_comment", "block_comment", "comment", "multiline_comment")


def text(node: Node | None) -> str:
    """Return the source text of a node; of none, nothing."""
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")


def line(node: Node) -> int:
    """Return the line where a node begins, counted from 1."""
    return node.start_point.row + 1


def inner(node: Node | None) -> list[Node]:
    """Return the named children without comments."""
    if node is None:
        return []
    return [child for child in node.named_children if child.type not in COMMENTS]


def bare(node: Node) -> Node:
    """Return an expression without the parentheses around it."""
    while node.type == "parenthesized_expression" and inner(node):
        node = inner(node)[0]
    return node


def first(node: Node | None, *kinds: str) -> Node | None:
    """Return the first child of one of these kinds."""
    return next((child for child in inner(node) if child.type in kinds), None)


def of_kind(node: Node | None, *kinds: str) -> Iterator[Node]:
    """Return the children of these kinds."""
    return (child for child in inner(node) if child.type in kinds)


def has(node: Node | None, *words: str) -> bool:
    """Tell whether a node has one of these words as a direct child (``static``, ``final``)."""
    return node is not None and any(text(child) in words for child in node.children)


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all that is in it, in the order of the source."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.named_children))


def unread_lines(root: Node) -> tuple[int, ...]:
    """Return the lines where the parser found no sense or missed something, each once."""
    return tuple(sorted(set(_unread([root]))))


def _unread(nodes: Iterable[Node]) -> Iterator[int]:
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if node.is_error or node.is_missing:
            yield line(node)
        elif node.has_error:
            stack.extend(node.children)
