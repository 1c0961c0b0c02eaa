"""Parameterized tests of JUnit with the parameters of pytest."""

from __future__ import annotations

import csv

from tree_sitter import Node

from millstream.porting.drafting import words
from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.drafting.kinds import simple
from millstream.porting.drafting.members import annotations_of, members
from millstream.porting.drafting.names import class_reference
from millstream.porting.reading.nodes import inner, of_kind, text

MARK = "ParameterizedTest"
NULLS = {"NullSource": ["None"], "EmptySource": ['""'], "NullAndEmptySource": ["None", '""']}
INTEGERS = ("int", "long", "short", "byte", "Integer", "Long", "Short", "Byte")
NUMBERS = (*INTEGERS, "double", "float", "Double", "Float")


def decorator(node: Node, names: list[str], context: Context) -> list[str]:
    """Return ``pytest.mark.parametrize`` for a test whose values stand beside it."""
    marks = annotations_of(node)
    if MARK not in marks or not names or "MethodSource" in marks:
        return []
    context.use("pytest")
    values: list[str] = []
    try:
        for name, mark in marks.items():
            values.extend(NULLS.get(name, []))
            given = _given(mark)
            if name == "ValueSource":
                values.extend(context.express(each) for one in given.values() for each in one)
            elif name == "EnumSource":
                values.append(_of_enum(given, node, context))
            elif name == "CsvSource":
                values.extend(_row(each, node, context) for each in given.get("value", []))
    except UntranslatedError:
        return context.leave(node, "the values of a test")[:-1]
    return [f'@pytest.mark.parametrize("{", ".join(names)}", [{", ".join(values)}])']


def by_methods(body: Node | None, name: str, context: Context) -> list[str]:
    """Return the lines below a class that give its tests the values that methods return."""
    rows: list[str] = []
    for node in members(body):
        marks = annotations_of(node)
        if MARK not in marks or "MethodSource" not in marks:
            continue
        context.use("pytest")
        java = text(node.child_by_field_name("name"))
        given = _given(marks["MethodSource"]).get("value", [])
        made = words.method_name(java)
        test = f"{name}.{made if made.startswith('test') else f'test_{made}'}"
        providers = [text(each).strip('"') for each in given] or [java]
        shown = ", ".join(_parameters(node))
        called = " + ".join(f"list({_provider(each, name)}())" for each in providers)
        rows.extend([f'{test} = pytest.mark.parametrize("{shown}", {called})({test})'])
    return ["", "", *rows] if rows else []


def _provider(java: str, around: str) -> str:
    """Return the method that a test names: one of its own class, or ``package.Other#method``."""
    other, _, method = java.rpartition("#")
    return f"{other.rpartition('.')[2] or around}.{words.method_name(method)}"


def _parameters(node: Node) -> list[str]:
    declared = of_kind(node.child_by_field_name("parameters"), "formal_parameter")
    return [words.name(text(each.child_by_field_name("name"))) for each in declared]


def _types(node: Node) -> list[str]:
    declared = of_kind(node.child_by_field_name("parameters"), "formal_parameter")
    return [simple(each.child_by_field_name("type")) for each in declared]


def _given(mark: Node) -> dict[str, list[Node]]:
    """Return an annotation's values by their names."""
    found: dict[str, list[Node]] = {}
    for each in inner(mark.child_by_field_name("arguments")):
        pair = each.type == "element_value_pair"
        value = each.child_by_field_name("value") if pair else each
        key = text(each.child_by_field_name("key")) if pair else "value"
        if value is not None:
            several = value.type == "element_value_array_initializer"
            found[key] = inner(value) if several else [value]
    return found


def _of_enum(given: dict[str, list[Node]], node: Node, context: Context) -> str:
    if "value" in given:
        written = text(given["value"][0]).removesuffix(".class")
    else:
        written = _types(node)[0]
    held = class_reference(written, context)
    if "names" not in given:
        return f"*{held}"
    names = ", ".join(context.express(each) for each in given["names"])
    excluded = any("EXCLUDE" in text(each) for each in given.get("mode", []))
    kept = "not in" if excluded else "in"
    return f"*(each for each in {held} if each.name {kept} ({names},))"


def _row(node: Node, test: Node, context: Context) -> str:
    """Return one line of comma-separated values; JUnit quotes texts with apostrophes."""
    if node.type != "string_literal":
        raise UntranslatedError(node)
    line = next(csv.reader([text(node)[1:-1]], quotechar="'", skipinitialspace=True), [])
    types = _types(test)
    if len(line) != len(types):
        raise UntranslatedError(node)
    values = [_value(each.strip(), held, context) for each, held in zip(line, types, strict=True)]
    return f"({', '.join(values)})" if len(values) > 1 else values[0]


def _value(written: str, held: str, context: Context) -> str:
    if not written:
        return "None"
    if held in NUMBERS:
        number = written.rstrip("lLdDfF")
        return str(int(number)) if held in INTEGERS else str(float(number))
    if held in ("boolean", "Boolean"):
        return str(written.lower() == "true")
    if held in ("String", "CharSequence", "Object", "char", "Character"):
        return f'"{written}"'
    return f"{class_reference(held, context)}.{words.name(written)}"
