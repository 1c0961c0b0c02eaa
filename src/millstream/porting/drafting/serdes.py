"""Serdes that Java makes by a class: of JSON, of numbers, of windowed keys."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting.context import Context
from millstream.porting.drafting.kinds import simple
from millstream.porting.drafting.names import class_reference
from millstream.porting.reading.nodes import inner, text

# What the parts of a serde of Spring or Quarkus give.
JSON = {
    f"{name}{part}": half
    for name in ("Json", "JacksonJson", "ObjectMapper")
    for part, half in {
        "Serde": "", "Serializer": ".serializer()", "Deserializer": ".deserializer()",
    }.items()
}  # fmt: skip
# Of Spring: its serdes write the name of a class into a header, which these methods are about.
ON_TYPES = ("noTypeInfo", "ignoreTypeHeaders", "dontRemoveTypeHeaders", "forKeys")
TYPES_TOLD = (
    "Spring's serde writes the name of a class into a header (__TypeId__), JsonSerde does not:"
    " readers that use Spring need a type by default."
)
# Their classes are of Python's int or float, too, which stand for a longer number.
SHORTER = ("Integer", "Short", "Float")
WINDOWED = {
    "timeWindowedSerdeFrom": "TimeWindowedSerde",
    "sessionWindowedSerdeFrom": "SessionWindowedSerde",
}


def of_json(node: Node, made: str, context: Context) -> str:
    """Return a serde of JSON for a class that is given as an argument or in angle brackets."""
    other = context.known(made) is not None or made in context.elsewhere
    if made not in JSON or other:
        return ""
    nodes = inner(node.child_by_field_name("arguments"))
    classes = [context.express(each) for each in nodes if each.type == "class_literal"]
    inside = getattr(simple(node.child_by_field_name("type")), "inside", ())
    classes = classes or [class_reference(each, context) for each in inside if context.known(each)]
    if not classes:
        return ""
    context.use("millstream", "JsonSerde")
    of_spring = context.libraries.get(made, (0, ""))[1].startswith("org.springframework.")
    if of_spring and not made.endswith("Deserializer"):
        around = node.parent
        if around is None or text(around.child_by_field_name("name")) != "noTypeInfo":
            context.tell(node, TYPES_TOLD)
    return f"JsonSerde.of({classes[-1]}){JSON[made]}"


def configured(node: Node, receiver: Node, method: str, context: Context) -> str:
    """Return ``new JsonSerde<>(Order.class).noTypeInfo()`` as the serde; "" for another call."""
    if receiver.type != "object_creation_expression" or method not in ON_TYPES:
        return ""
    return of_json(receiver, simple(receiver.child_by_field_name("type")), context)


def by_class(node: Node, owner: str, method: str, context: Context) -> str:
    """Return ``Serdes.serdeFrom(Integer.class)`` as ``Serdes.Integer()``; "" for another call.

    In Python the class would be ``int``, whose serde is that of Java's long.
    """
    nodes = inner(node.child_by_field_name("arguments"))
    number = text(nodes[0]).removesuffix(".class") if nodes else ""
    if number not in SHORTER or nodes[0].type != "class_literal":
        return ""
    context.use("millstream", "Serdes")
    if owner.endswith(".Serdes") and method == "serdeFrom":
        return f"Serdes.{number}()"
    if not owner.endswith(".WindowedSerdes") or method not in WINDOWED:
        return ""
    context.use("millstream", "WindowedSerdes")
    rest = "".join(f", {context.express(each)}" for each in nodes[1:])
    return f"WindowedSerdes.{WINDOWED[method]}(Serdes.{number}(){rest})"
