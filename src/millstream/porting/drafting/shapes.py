"""The classes of a source, read before anything is translated."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from millstream.porting.drafting import inner_classes, lombok
from millstream.porting.drafting.context import ClassShape
from millstream.porting.drafting.kinds import simple
from millstream.porting.drafting.members import (
    AFTER,
    AFTER_ALL,
    BEFORE,
    BEFORE_ALL,
    FIELDS,
    has_tests,
    interfaces_of,
    marked,
    members,
)
from millstream.porting.reading.java import CLASSES
from millstream.porting.reading.nodes import first, has, inner, of_kind, text


def shape_of(
    name: str, body: Node | None, *, local: bool = False, static: bool = False
) -> ClassShape:
    """Return the shape of a class by its body; in an interface fields are static."""
    shape = ClassShape(name, local=local)
    for node in members(body):
        if node.type in FIELDS:
            for part in of_kind(node, "variable_declarator"):
                java = text(part.child_by_field_name("name"))
                shape.fields[java] = simple(node.child_by_field_name("type"))
                if static or has(first(node, "modifiers"), "static"):
                    shape.static_fields.add(java)
        elif node.type == "method_declaration":
            _note_method(node, shape)
        elif node.type == "constructor_declaration":
            _note_constructor(node, shape)
        elif node.type == "enum_constant":
            shape.fields[text(node.child_by_field_name("name"))] = name
            shape.static_fields.add(text(node.child_by_field_name("name")))
    return shape


def _note_constructor(node: Node, shape: ClassShape) -> None:
    declared = of_kind(node.child_by_field_name("parameters"), "formal_parameter")
    types = [simple(each.child_by_field_name("type")) for each in declared]
    shape.takes[len(types)] = [] if len(types) in shape.takes else types
    _note_spread(node, "new", shape)


def _note_spread(node: Node, java: str, shape: ClassShape) -> None:
    declared = inner(node.child_by_field_name("parameters"))
    if declared and declared[-1].type == "spread_parameter":
        shape.spread[java] = len(declared) - 1


def _note_method(node: Node, shape: ClassShape) -> None:
    java = text(node.child_by_field_name("name"))
    given = simple(node.child_by_field_name("type"))
    given = "" if len(given) == 1 else given  # a type variable
    if node.child_by_field_name("body") is None:
        shape.abstract.add(java)
    shape.returns[java] = given if shape.returns.get(java, given) == given else ""
    _note_spread(node, java, shape)
    declared = of_kind(node.child_by_field_name("parameters"), "formal_parameter")
    types = [simple(each.child_by_field_name("type")) for each in declared]
    shape.given[java, len(types)] = [] if (java, len(types)) in shape.given else types
    if has(first(node, "modifiers"), "static"):
        shape.static_methods.add(java)
        return
    shape.methods.add(java)
    statements = inner(node.child_by_field_name("body"))
    parameters = inner(node.child_by_field_name("parameters"))
    if len(statements) != 1:
        return
    only = statements[0]
    if only.type == "return_statement" and not parameters and inner(only):
        value = text(inner(only)[0]).removeprefix("this.")
        if value.isidentifier():
            shape.accessors[java] = value
    elif only.type == "expression_statement" and len(parameters) == 1:
        assigned = inner(only)[0]
        target = text(assigned.child_by_field_name("left")).removeprefix("this.")
        value = text(assigned.child_by_field_name("right"))
        parameter = text(parameters[0].child_by_field_name("name"))
        plain = text(assigned.child_by_field_name("operator")) == "="  # and not a sum
        if assigned.type == "assignment_expression" and plain and value == parameter:
            shape.setters[java] = target


def all_shapes(root: Node) -> dict[str, ClassShape]:
    """Return the shapes of all named classes of a file."""
    found: dict[str, ClassShape] = {}
    classes = list(_classes(root, None))
    for node, outer in classes:
        found.setdefault(text(node.child_by_field_name("name")), shape_of_class(node, outer))
    inner_classes.note(classes, found)
    for java in re.findall(r"\bnew\s+(\w+)(?:<[^;{}()]*>)?\s*\(\s*\)\s*\{", text(root)):
        if java in found:
            found[java].anonymous = True
    return found


def shape_of_class(node: Node, outer: Node | None) -> ClassShape:
    """Return the shape of a class with a name, in another one or not."""
    name = text(node.child_by_field_name("name"))
    body = node.child_by_field_name("body")
    interface = node.type == "interface_declaration"
    shape = shape_of(_found_by_pytest(name, node), body, static=interface)
    if node.type == "record_declaration":
        parts = list(of_kind(node.child_by_field_name("parameters"), "formal_parameter"))
        for part in parts:
            field = text(part.child_by_field_name("name"))
            shape.fields[field] = simple(part.child_by_field_name("type"))
            shape.accessors[field] = field
        types = [simple(part.child_by_field_name("type")) for part in parts]
        shape.takes.setdefault(len(types), types)
    shape.base = simple(next(iter(inner(first(node, "superclass"))), None))
    shape.interfaces = {simple(each) for each in interfaces_of(node)}
    shape.enum = node.type == "enum_declaration"
    shape.befores, shape.afters = marked(body, BEFORE), marked(body, AFTER)
    shape.once_before, shape.once_after = marked(body, BEFORE_ALL), marked(body, AFTER_ALL)
    lombok.note(node, shape)
    # A constant is one of the class: a getter of it tells subclasses apart, and stays a method.
    own = shape.fields.keys() - shape.static_fields
    shape.accessors = {m: f for m, f in shape.accessors.items() if f in own}
    shape.setters = {m: f for m, f in shape.setters.items() if f in shape.fields}
    shape.hidden = _hidden(body, shape, outer)
    shape.loose = outer is None and _only_static(node, shape)
    return shape


def _hidden(body: Node | None, shape: ClassShape, outer: Node | None) -> set[str]:
    """Return the fields that a method of their name would hide, and that only the file names."""
    found: set[str] = set()
    for field in of_kind(body, *FIELDS):
        modifiers = first(field, "modifiers")
        open_ = has(modifiers, "public", "protected", "static")
        if open_ or (outer is None and not has(modifiers, "private")):
            continue
        names = (part.child_by_field_name("name") for part in of_kind(field, "variable_declarator"))
        found.update(text(each) for each in names)
    got = {*shape.accessors, *shape.accessors.values(), *shape.setters, *shape.setters.values()}
    return (found & shape.methods) - got


def _found_by_pytest(name: str, node: Node) -> str:
    """Return the name of a class, which begins with Test if it has tests: pytest asks for that."""
    ends = name.endswith(("Test", "Tests"))
    inherits = ends and first(node, "superclass") is not None
    if name.startswith("Test") or not (inherits or has_tests(node.child_by_field_name("body"))):
        return name
    return f"Test{name.removesuffix('Tests').removesuffix('Test')}"


def _classes(node: Node, outer: Node | None) -> Iterator[tuple[Node, Node | None]]:
    for each in members(node) if outer is not None else inner(node):
        if each.type in CLASSES:
            yield each, outer
            body = each.child_by_field_name("body")
            if body is not None:
                yield from _classes(body, each)


def _only_static(node: Node, shape: ClassShape) -> bool:
    if node.type != "class_declaration" or shape.methods or first(node, "superclass"):
        return False
    if has(first(node, "modifiers"), "abstract"):  # for other classes to extend
        return False
    if first(node, "super_interfaces") or set(shape.fields) != shape.static_fields:
        return False
    made = [each for each in inner(node.child_by_field_name("body")) if "constructor" in each.type]
    return all(not inner(each.child_by_field_name("body")) for each in made) and (
        bool(shape.static_methods) or bool(shape.static_fields)
    )
