"""Java's enums in Python: each constant has its name as its value, as JSON has it."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting import arithmetic, json_names, ordered, words
from millstream.porting.drafting.context import ClassShape, Context, indented
from millstream.porting.drafting.members import annotations_of, members
from millstream.porting.reading.nodes import inner, line, of_kind, text

# What objects of Python's enums have themselves, and may not be set.
TAKEN = ("name", "value")


def name_of(shape: ClassShape) -> str:
    """Return the attribute with the name of a constant: a field of the program may hide `name`."""
    return "_name_" if "name" in shape.fields else "name"


def written(
    shape: ClassShape, body: Node | None, own: list[str], defined: list[str], context: Context
) -> list[str]:
    """Return an enum.

    Args:
        shape: Its fields and methods.
        body: Its constants and members.
        own: Interfaces of the program that it implements.
        defined: Its constructor and methods, without the head of the class.
        context: What the draft knows.
    """
    context.use("enum", "Enum")
    inside = next((at for at, row in enumerate(defined) if row and row[0] != " "), len(defined))
    defined, after = defined[:inside], defined[inside:]
    kept = [row.removeprefix("    ") for row in defined if row.strip() != "pass"]
    made = any(row.startswith("def __init__(self") for row in kept)
    # The constant's name is what __new__ gets before the arguments, and the constructor, too.
    kept = [
        row.replace("def __init__(self", "def __init__(self, _", 1)
        if row.startswith("def __init__(self")
        else row
        for row in kept
    ]
    if "toString" not in shape.methods:
        # In texts, Java writes the name alone.
        kept.extend(["", "def __str__(self):", f"    return self.{name_of(shape)}"])
    kept.extend(ordered.less(shape))
    constants = of_kind(body, "enum_constant")
    return [
        f"class {words.name(shape.name)}({', '.join([*own, 'Enum'])}):",
        *indented([*_other_names(body, context), *(_NEW if made else [])]),
        *indented([row for each in constants for row in _constant(each, shape, made, context)]),
        *indented([row for java in TAKEN if java in shape.fields for row in _held(java)]),
        *indented(kept),
        *(["", *after] if after else []),
    ]


_NEW = [
    "def __new__(cls, name, *_):",
    "    made = object.__new__(cls)",
    "    made._value_ = name  # not what the constructor takes: two constants may take the same",
    "    return made",
    "",
]


def _constant(node: Node, shape: ClassShape, made: bool, context: Context) -> list[str]:
    java = text(node.child_by_field_name("name"))
    nodes = inner(node.child_by_field_name("arguments"))
    types = shape.takes.get(len(nodes)) or [""] * len(nodes)
    given = [
        arithmetic.as_declared(context.express(each), each, type_, context)
        for each, type_ in zip(nodes, types, strict=True)
    ]
    value = next((json for json in map(_named(node).get, json_names.NAMING) if json), f'"{java}"')
    if made:
        value = f"({', '.join([value, *given])},)"
    rows = [f"{words.name(java)} = {value}"]
    if node.child_by_field_name("body") is not None:
        rows.extend(context.leave(node, "a constant with methods"))
    return rows


def _named(node: Node) -> dict[str, str]:
    marks = annotations_of(node)
    return {name: json_names.name_in_json(mark) for name, mark in marks.items()}


def _held(java: str) -> list[str]:
    """Return a field that has the name of something that Python's enums have."""
    return [
        "",
        "@property",
        f"def {java}(self):",
        f"    return self.held_{java}",
        "",
        f"@{java}.setter",
        f"def {java}(self, {java}):",
        f"    self.held_{java} = {java}",
        "",
    ]


def _other_names(body: Node | None, context: Context) -> list[str]:
    """Return notes about what JSON writes instead of the constants' names."""
    rows: list[str] = []
    for node in members(body):
        if "JsonValue" in annotations_of(node):
            context.left.append(line(node))
            rows.append(
                f"# Java, line {line(node)}: JSON writes what this gives (@JsonValue): make it the"
                " first text of each constant."
            )
    return rows
