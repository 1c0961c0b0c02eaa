"""Names that a file imports by themselves, written with their class.

Those of Java's own classes, and of the program's classes that stay classes in Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tree_sitter import Node

from millstream.porting.drafting.context import ClassShape
from millstream.porting.drafting.library import STATIC
from millstream.porting.reading.nodes import inner, text
from millstream.porting.reading.syntax import Import

PACKAGES = ("java.", "org.junit.jupiter.params.provider.")
DURATIONS = (
    "ofDays", "ofHours", "ofMinutes", "ofSeconds", "ofMillis", "ofNanos", "between", "ZERO",
)  # fmt: skip
COLLECTORS = (
    "toList", "toSet", "toMap", "joining", "counting", "groupingBy", "partitioningBy", "mapping",
)  # fmt: skip


def qualified(
    source: bytes, root: Node, imports: tuple[Import, ...], near: Mapping[str, ClassShape]
) -> bytes:
    """Return a Java source that says ``Duration.ofDays(1)`` where it said ``ofDays(1)``.

    Lines keep their numbers. What the file itself declares is left alone.
    """
    owners = dict([*_owners(imports), *_near_owners(imports, near)])
    if not owners:
        return source
    declared = set(_declared(root))
    places = sorted(
        (node.start_byte, owners[text(node)])
        for node in _free_names(root)
        if text(node) in owners and text(node) not in declared
    )
    made, last = b"", 0
    for place, owner in places:
        made += source[last:place] + owner.encode() + b"."
        last = place
    return made + source[last:]


def _owners(imports: tuple[Import, ...]) -> Iterator[tuple[str, str]]:
    for each in imports:
        if not each.static or not each.name.startswith(PACKAGES):
            continue
        if not each.wildcard:
            owner, _, name = each.name.rpartition(".")
            yield name, owner.rpartition(".")[2]
            continue
        owner = each.name.rpartition(".")[2]
        known = {"Duration": DURATIONS, "Collectors": COLLECTORS}.get(owner, ())
        own = [key.rpartition(".")[2] for key in STATIC if key.startswith(f"{owner}.")]
        yield from ((name, owner) for name in (*known, *own))


def _near_owners(
    imports: tuple[Import, ...], near: Mapping[str, ClassShape]
) -> Iterator[tuple[str, str]]:
    for each in imports:
        full = each.name if each.wildcard else each.name.rpartition(".")[0]
        owner = full.rpartition(".")[2]
        shape = near.get(owner)
        # The members of a class that has static ones only are the module's.
        if not each.static or shape is None or shape.loose:
            continue
        members = shape.static_fields | shape.static_methods
        yield from ((name, owner) for name in members if each.wildcard or name == each.simple)


def _nodes(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type != "import_declaration":
            yield node
            waiting.extend(inner(node))


def _declared(root: Node) -> Iterator[str]:
    kinds = ("method_declaration", "variable_declarator", "formal_parameter")
    for node in _nodes(root):
        if node.type in kinds:
            yield text(node.child_by_field_name("name"))


def _free_names(root: Node) -> Iterator[Node]:
    """Yield the names of methods that are called on nothing, and constants on their own."""
    for node in _nodes(root):
        if node.type == "method_invocation":
            name = node.child_by_field_name("name")
            if node.child_by_field_name("object") is None and name is not None:
                yield name
        elif node.type == "identifier" and text(node).isupper() and not _is_part(node):
            yield node


def _is_part(node: Node) -> bool:
    """Tell whether an identifier is the name of a part: of a call, a field, a declaration."""
    around = node.parent
    if around is None:
        return True
    named = (around.child_by_field_name(field) for field in ("name", "field"))
    return any(each is not None and each.start_byte == node.start_byte for each in named)
