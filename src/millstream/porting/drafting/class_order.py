"""The order of classes within a class: some ask for it when Python makes them."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting.context import ClassShape, Context
from millstream.porting.drafting.kinds import simple
from millstream.porting.drafting.members import FIELDS, interfaces_of, members
from millstream.porting.reading.java import CLASSES
from millstream.porting.reading.nodes import first, has, inner, of_kind, text


def behind(
    nested: list[Node], body: Node | None, shape: ClassShape, context: Context
) -> list[Node]:
    """Return the classes within a class that stand behind it, in the order that is given.

    They extend it, or a constant of theirs is made of one of its constants. The others stand
    before it, as its own constants may be objects of them.
    """
    below = {each.name for each in context.below(shape)}
    found = {name for name in map(_name, nested) if name in below}
    first_ = _asked_by_members(body, nested=False)
    while True:
        more = {
            _name(each)
            for each in nested
            if _name(each) not in found
            and (asked := _asked(each))
            and (asked & found or (_wanted(asked, each, shape) and _name(each) not in first_))
        }
        if not more:
            return [each for each in nested if _name(each) in found]
        found |= more


def _name(node: Node) -> str:
    return text(node.child_by_field_name("name"))


def _wanted(asked: set[str], node: Node, shape: ClassShape) -> set[str]:
    """Return the static members of the class around that a class asks for when it is made."""
    own = {
        text(part.child_by_field_name("name"))
        for each in members(node.child_by_field_name("body"))
        for part in (*of_kind(each, "variable_declarator"), each)
    }
    return asked & (shape.static_fields | shape.static_methods) - own


def _asked(node: Node) -> set[str]:
    """Return the names that a class asks for when Python makes it."""
    found = {simple(each) for each in (*inner(first(node, "superclass")), *interfaces_of(node))}
    return found | _asked_by_members(node.child_by_field_name("body"))


def _asked_by_members(body: Node | None, *, nested: bool = True) -> set[str]:
    found: set[str] = set()
    static = body is not None and body.type == "interface_body"
    for each in members(body):
        if each.type in CLASSES:
            found |= _asked(each) if nested else set()
        elif each.type in ("static_initializer", "enum_constant") or (
            each.type in FIELDS and (static or has(first(each, "modifiers"), "static"))
        ):
            found |= _names(each)
    return found


def _names(node: Node) -> set[str]:
    """Return the names in an expression, but for what runs later."""
    if node.type in ("lambda_expression", "class_body", "modifiers"):
        return set()
    if node.type in ("identifier", "type_identifier"):
        return {text(node)}
    parts = node.named_children
    if node.type in (*FIELDS, "variable_declarator", "enum_constant"):
        kept = ("declarator",) if node.type in FIELDS else ("value", "arguments")
        parts = [each for name in kept for each in node.children_by_field_name(name)]
    return {name for each in parts for name in _names(each)}
