"""References of a draft to variables, methods and classes."""

from __future__ import annotations

from importlib import import_module

from tree_sitter import Node

from millstream.porting.checking.counterparts import PACKAGES, python_class
from millstream.porting.drafting import words
from millstream.porting.drafting.context import ClassShape, Context, UntranslatedError
from millstream.porting.reading.nodes import text

# What Kafka calls otherwise now, and what has another name here.
REPLACED = {
    "Bytes": "bytes", "RecordHeaders": "Headers", "RecordHeader": "Header",
    "Serialized": "Grouped",
    "UsePreviousTimeOnInvalidTimestamp": "UsePartitionTimeOnInvalidTimestamp",
}  # fmt: skip
CONSTANTS = {"EXACTLY_ONCE": "EXACTLY_ONCE_V2", "EXACTLY_ONCE_BETA": "EXACTLY_ONCE_V2"}
TESTING = (
    "TopologyTestDriver", "TestInputTopic", "TestOutputTopic", "TestRecord", "MockProcessorContext",
)  # fmt: skip


def variable(java: str, context: Context) -> str:
    """Return a plain name: a local, a field of a class around, a constant of Kafka, a class."""
    if context.local(java) is not None:
        return context.items.get(java) or words.name(java)
    for depth, shape in enumerate(reversed(context.around)):
        if java in shape.static_fields:
            inside = context.in_class and depth == 0
            bare = shape.loose or inside
            return words.name(java) if bare else f"{shape.name}.{words.method_name(java)}"
        if java in shape.fields:
            return f"{around(depth, context)}.{shape.attribute(java)}"
        for interface in map(context.known, sorted(shape.interfaces)):
            if interface is not None and java in interface.static_fields:
                return f"{class_reference(interface.name, context)}.{words.method_name(java)}"
    if inherited(java, context):
        for base in bases(context.around[-1], context):
            if java in base.static_fields:  # of the class alone, not of each object
                held = f"{class_reference(base.name, context)}."
                return words.name(java) if base.loose else held + words.method_name(java)
        return f"{itself(context)}.{words.method_name(java)}"
    if java in context.kafka_classes:
        owner = context.kafka_classes[java]
        if owner.rpartition(".")[2] != java:  # a constant that was imported by itself
            constant = CONSTANTS.get(java, java)
            return f"{imported_class(owner, context)}.{constant}"
    if java[:1].isupper() and not java.isupper():
        return class_reference(java, context)
    if java not in ("super", "args"):
        context.foreign.add(java)
    return words.name(java)


def label(node: Node, wanted: str, context: Context) -> str:
    """Return a label of a switch; a constant of an enum stands there without its class."""
    if node.type in ("pattern", "guard", "type_pattern", "record_pattern"):
        raise UntranslatedError(node)
    java = text(node)
    if node.type == "identifier" and context.local(java) is None:
        known = context.known(wanted)
        owners = [known] if known is not None else context.all_known()
        for shape in owners:
            if shape.enum and java in shape.static_fields:
                return f"{class_reference(shape.name, context)}.{words.name(java)}"
        if wanted[:1].isupper() and wanted not in words.TYPES and wanted not in words.JDK:
            return f"{class_reference(wanted, context)}.{words.name(java)}"
    return context.express(node)


def itself(context: Context) -> str:
    """Return what a method calls its object: the class, if the method is static."""
    return words.name(context.around[-1].name) if context.static else "self"


def closure(index: int, context: Context) -> str:
    """Return the variable of a method with the object that a class within it has around."""
    number = sum(shape.closes for shape in context.around[: index + 1])
    return f"outer_{number + 1}" if number else "outer"


def around(depth: int, context: Context) -> str:
    """Return what a method calls its object, or one further out.

    A class within a method finds it in a variable there, one within a class in its own field.

    Raises:
        UntranslatedError: The object does not know the one around.
    """
    found = "self"
    for step in range(depth):
        shape = context.around[-1 - step]
        if shape.closes:
            found = closure(len(context.around) - 2 - step, context)
        elif shape.outer:
            found = f"{found}.outer"
        else:
            raise UntranslatedError(
                why="the object around an inner class; give it to the constructor"
            )
    return found


def inherited(java: str, context: Context) -> bool:
    """Tell whether a field or a method is one of a class that the class around extends."""
    if not context.around:
        return False
    line = [context.around[-1], *bases(context.around[-1], context)]
    if any(java in base.fields or java in base.methods | base.static_methods for base in line[1:]):
        return True
    # Of a class that is not at hand it may be, if it comes from nowhere else.
    plain = java[:1].islower() and not context.static_names & {java, "*"}
    return plain and line[-1].base not in ("", *context.kafka_classes)


def bases(shape: ClassShape, context: Context) -> list[ClassShape]:
    """Return the classes that a class extends, as far as they are at hand.

    A class may extend one of its own name, of another package: that one is not at hand.
    """
    return context.line(shape)[1:]


def has_method(known: str, method: str, context: Context) -> bool:
    """Tell whether a class of the program, or one that it extends, has a method itself."""
    shape = context.known(known)
    line = [] if shape is None else [shape, *bases(shape, context)]
    return any(method in each.methods or method in each.accessors for each in line)


def own_field(method: str, context: Context, *, sets: bool = False) -> str:
    """Return the field that a getter or setter of this object or a base stands for; "" for none."""
    if not context.around or context.static or context.around[-1].local:
        return ""
    own = context.around[-1]
    for shape in (own, *bases(own, context)):
        field = shape.setters.get(method) if sets else context.accessor(shape, method)
        if field is not None:
            return f"self.{words.method_name(field)}"
    return ""


def owner_of(method: str, context: Context) -> tuple[ClassShape, int] | None:
    """Return the class around that has a method, and how far out it is."""
    for depth, shape in enumerate(reversed(context.around)):
        if method in shape.methods or method in shape.static_methods:
            return shape, depth
    return None


def class_reference(java: str, context: Context) -> str:
    """Return a class in Python, and note what has to be imported for it."""
    java = "".join(java.split())  # a name may be written over several lines
    first, _, rest = java.partition(".")
    if first in context.shapes:
        last = java.rpartition(".")[2]
        known = context.shapes.get(last)
        return words.name(java if known is None else known.name)
    if first in context.elsewhere or (
        first in context.near and first not in context.kafka_classes
    ):  # The program's own class, also where Kafka has one of that name.
        context.foreign.add(first)
        return words.name(java)
    if java in words.TYPES:
        if java == "BigDecimal":
            context.use("decimal", "Decimal")
        return words.TYPES[java]
    if java in words.ERRORS and python_class(java) is None:
        return words.ERRORS[java]
    if first in context.kafka_classes or python_class(java) is not None:
        full = context.kafka_classes.get(first, java)
        return _of_kafka(full, first, rest, context)
    if first in context.java_classes or first in words.JDK:
        raise UntranslatedError(why="")
    around = _around_nested(first, context)
    if around:
        return f"{class_reference(around, context)}.{java}"
    if first[:1].isupper():
        context.foreign.add(first)
    return words.name(first) + (f".{rest}" if rest else "")


def _around_nested(first: str, context: Context) -> str:
    """Return the class of Kafka whose nested class a file uses, as one that implements it may."""
    owners = [each for each in sorted(context.kafka_classes) if each != first]
    nested = (isinstance(getattr(python_class(each), first, None), type) for each in owners)
    return next((each for each, found in zip(owners, nested, strict=True) if found), "")


def imported_class(full: str, context: Context) -> str:
    """Return the class of a constant or a method that was imported by itself."""
    simple = full.rpartition(".")[2]
    if python_class(full) is None:
        return class_reference(simple, context)
    return _of_kafka(full, simple, "", context)


def base_of_own_name(full: str, context: Context) -> str:
    """Return a base that has the name of the class that extends it: one of another package."""
    simple = full.rpartition(".")[2]
    if python_class(full) is not None:
        return _of_kafka(full, simple, "", context)
    context.foreign.add(simple)
    return words.name(simple)


def _of_kafka(full: str, first: str, rest: str, context: Context) -> str:
    if first in REPLACED:
        if first != "Bytes":
            context.use("millstream", REPLACED[first])
        return f"{REPLACED[first]}.{rest}" if rest else REPLACED[first]
    if python_class(full) is None:
        context.foreign.add(first)
        return first
    outer = _outer(full, first)
    of_tests = outer in TESTING or not hasattr(import_module("millstream"), outer)
    context.use("millstream.testing" if of_tests else "millstream", outer)
    return ".".join(
        part for part in (outer if outer == first else f"{outer}.{first}", rest) if part
    )


def _outer(full: str, first: str) -> str:
    """Return the class that has to be imported: of a nested one, the class around it."""
    if any(hasattr(import_module(package), first) for package in PACKAGES):
        return first
    parts = [part for part in full.split(".") if part[:1].isupper()]
    return parts[0] if parts[-1] == first else first
