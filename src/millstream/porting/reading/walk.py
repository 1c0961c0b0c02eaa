"""A walk over all that stands in a source."""

from __future__ import annotations

from collections.abc import Iterator

from millstream.porting.reading.syntax import (
    Call,
    Cast,
    Class,
    Expression,
    Lambda,
    Local,
    New,
    Part,
    Reference,
    Several,
    TypeName,
)


def classes(holder: Class) -> Iterator[Class]:
    """Yield all classes inside, those without a name too."""
    for node in everything(holder):
        if isinstance(node, Class):
            yield node
        elif isinstance(node, New) and node.body is not None:
            yield node.body


def everything(holder: Class) -> Iterator[Expression]:
    """Yield every expression inside a class, outer ones first."""
    stack: list[Expression] = list(reversed(_inside(holder)))
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(_inside(node)))


def _inside(node: Expression) -> list[Expression]:
    match node:
        case Class():
            values = [field.value for field in node.fields]
            bodies = [method.body for method in node.methods]
            found = [*values, *node.initial, *bodies, *node.classes]
        case Call():
            found = [node.receiver, *node.arguments]
        case New():
            found = [*node.arguments]
            if node.body is not None:
                found.extend(_inside(node.body))
        case Several():
            found = [*node.children]
        case Lambda():
            found = [node.body]
        case Cast() | Local():
            found = [node.value]
        case Part():
            found = [node.receiver]
        case Reference():
            found = [] if isinstance(node.receiver, TypeName) else [node.receiver]
        case _:
            found = []
    return [each for each in found if each is not None]
