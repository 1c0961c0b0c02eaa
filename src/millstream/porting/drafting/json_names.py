"""Annotations by which Jackson or Gson write other JSON than JsonSerde."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from millstream.porting.drafting import constructors, words
from millstream.porting.drafting.context import ClassShape, Context
from millstream.porting.drafting.members import annotations_of, is_given, members
from millstream.porting.reading.nodes import first, has, inner, line, of_kind, text

# Annotations that give a field another name in JSON.
NAMING = ("JsonProperty", "SerializedName", "JsonbProperty")
OF_CLASSES = {
    "JsonTypeInfo": "JSON names the class of an object (@JsonTypeInfo), which JsonSerde does not.",
    "JsonNaming": "JSON calls the fields otherwise (@JsonNaming); call them so.",
    "JsonInclude": "JSON leaves fields out (@JsonInclude), where JsonSerde writes null.",
}
OF_FIELDS = {
    "JsonIgnore": "JSON leaves it out (@JsonIgnore).",
    "JsonInclude": "JSON leaves it out (@JsonInclude), where JsonSerde writes null.",
    **{
        mark: f"JSON has another form of it (@{mark})."
        for mark in ("JsonFormat", "JsonSerialize", "JsonDeserialize", "JsonUnwrapped")
    },
}


def of_class(node: Node, context: Context) -> list[str]:
    """Return notes above a class whose JSON is not what its fields say."""
    marks = annotations_of(node)
    return [_noted(node, note, context) for mark, note in OF_CLASSES.items() if mark in marks]


def of_field(
    field: Node | None, java: str, node: Node, shape: ClassShape, context: Context
) -> list[str]:
    """Return the note above a field that JSON calls otherwise, or of which it has another form.

    Args:
        field: Where it is declared.
        java: Its name.
        node: Its class, whose getter, setter or constructor may say it.
        shape: The same.
        context: The draft.
    """
    if field is not None and is_given(field):
        return [_noted(field, "a framework gives it; give it yourself.", context)]
    named = False
    for place in (*([] if field is None else [field]), *_places(java, node, shape)):
        for mark, written in annotations_of(place).items():
            json = name_in_json(written) if mark in NAMING else ""
            named = named or json[1:-1] == java
            if json and json[1:-1] != java:
                return [_noted(place, f"JSON calls it {json}; call the field so.", context)]
            if mark in OF_FIELDS:
                return [_noted(place, OF_FIELDS[mark], context)]
    bean = "" if named else _bean_name(java, shape)
    public = field is not None and has(first(field, "modifiers"), "public")
    if bean and not public and node.type != "record_declaration":
        note = f'JSON calls it "{bean}", after its getter; call the field so.'
        return [_noted(node if field is None else field, note, context)]
    if words.method_name(java) != java:
        how = "a word of Python; a msgspec.Struct can, by field(name=...)"
        note = f'JSON calls it "{java}", {how}.'
        return [_noted(node if field is None else field, note, context)]
    return []


def _bean_name(java: str, shape: ClassShape) -> str:
    """Return what Jackson calls a field after its getter, if it is not the field's name.

    ``isDead()`` gives ``dead``, and ``getXId()`` gives ``xid``.
    """
    found: set[str] = set()
    boolean = shape.fields.get(java) == "boolean"
    for method, field in shape.accessors.items():
        asked = re.fullmatch(r"(is|get)([A-Z]+)(.*)", method)
        if field == java and asked and boolean == (asked[1] == "is"):
            found.add(asked[2].lower() + asked[3])
    return "" if java in found else min(found, default="")


def _places(java: str, node: Node, shape: ClassShape) -> Iterator[Node]:
    """Yield what sets and gives a field: its getter, its setter, parameters of constructors."""
    body = node.child_by_field_name("body")
    for each in members(body):
        name = text(each.child_by_field_name("name"))
        if each.type == "method_declaration":
            if java in (shape.accessors.get(name), shape.setters.get(name)):
                yield each
        elif each.type == "constructor_declaration":
            declared = of_kind(each.child_by_field_name("parameters"), "formal_parameter")
            for field, parameter in zip(constructors.set_by(each), declared, strict=False):
                if field == java:
                    yield parameter


def _noted(node: Node, note: str, context: Context) -> str:
    context.left.append(line(node))
    return f"# Java, line {line(node)}: {note}"


def name_in_json(mark: Node) -> str:
    """Return the name that an annotation gives, with its quotes; "" if it gives none."""
    for given in inner(mark.child_by_field_name("arguments")):
        value: Node | None = given
        if given.type == "element_value_pair":
            named = text(given.child_by_field_name("key")) == "value"
            value = given.child_by_field_name("value") if named else None
        if value is not None and value.type == "string_literal":
            return text(value)
    return ""
