"""Java classes that only hold fields, as dataclasses."""

from __future__ import annotations

import re

from tree_sitter import Node

from millstream.porting.drafting import arithmetic, constructors, json_names, lombok, words
from millstream.porting.drafting.context import ClassShape, Context, UntranslatedError, indented
from millstream.porting.drafting.kinds import simple
from millstream.porting.drafting.members import (
    FIELDS,
    annotations_of,
    interfaces_of,
    is_given,
    is_of_tests,
    members,
)
from millstream.porting.drafting.names import class_reference
from millstream.porting.reading.nodes import first, has, inner, line, of_kind, text

ZERO = {"int": "0", "long": "0", "short": "0", "byte": "0", "double": "0.0", "float": "0.0",
        "boolean": "False"}  # fmt: skip
DROPPED_BASES = (
    "Serializable", "Comparable", "Runnable", "Closeable", "AutoCloseable", "Cloneable", "Callable",
    "Comparator", "JSONSerdeCompatible", "Iterable", "Iterator",
    # Of Spring, which is not there.
    "InitializingBean", "DisposableBean", "CommandLineRunner", "ApplicationRunner",
)  # fmt: skip
# Of java.time, and here.
OF_TIME = ("Instant", "Duration")
# What JSON would not read back as what it was.
JAVA_ONLY = (
    "LocalDate", "LocalDateTime", "LocalTime", "OffsetDateTime", "ZonedDateTime", "Year",
    "YearMonth", "DayOfWeek", "Month", "Period", "Date", "Calendar", "Timestamp", "AtomicInteger",
    "AtomicLong", "AtomicBoolean", "AtomicReference", "PriorityQueue", "EnumMap", "EnumSet",
    "TreeMap", "SortedMap", "NavigableMap",
    "TreeSet", "SortedSet", "NavigableSet",
)  # fmt: skip
DECIMAL_IN_JSON = "JsonSerde writes a Decimal as a text, Jackson as a number; both are read."
# Annotations of classes that a framework makes objects of, and of classes of values.
SERVICES = {
    "Service", "Component", "Configuration", "Controller", "RestController", "Repository", "Named",
    "SpringBootApplication", "ApplicationScoped", "Singleton", "Factory", "Path", "KafkaListener",
}  # fmt: skip
OF_VALUES = {
    "Data", "Value", "Getter", "Setter", "AllArgsConstructor", "NoArgsConstructor", "Builder",
}  # fmt: skip


def bases(node: Node) -> list[Node]:
    """Return the classes and interfaces that a class extends."""
    return [*inner(first(node, "superclass")), *interfaces_of(node)]


def own_bases(node: Node, shape: ClassShape, context: Context) -> list[str]:
    """Return the interfaces of the program that a record or an enum implements.

    Raises:
        UntranslatedError: A field would hide a method that an interface has.
    """
    found: list[str] = []
    for name in map(simple, interfaces_of(node)):
        known = context.known(name)
        if known is None or name in DROPPED_BASES:
            continue
        for hidden in set(shape.fields) & (known.methods - known.abstract):
            raise UntranslatedError(node, f"{hidden} is a field and a method")
        found.append(class_reference(name, context))
    return found


def in_order(classes: list[Node]) -> list[Node]:
    """Return classes with those that they extend before them."""
    named = {text(each.child_by_field_name("name")): each for each in classes}
    found: list[Node] = []

    def add(node: Node, path: tuple[Node, ...]) -> None:
        for each in bases(node):
            other = named.get(simple(each))
            if other is not None and other not in (*path, node):
                add(other, (*path, node))
        if node not in found:
            found.append(node)

    for each in classes:
        add(each, ())
    return found


def is_data(node: Node, body: Node | None, shape: ClassShape, context: Context) -> bool:
    """Tell whether a class is one of values: it holds fields, and may compute something of them."""
    fields = set(shape.fields) - shape.static_fields
    matter = any(_matters(each, node, context) for each in bases(node))
    begun = list(of_kind(body, "static_initializer", "block"))
    more = does_more(shape)
    more_ = more and not _is_of_values(node, shape, more)
    if begun or not fields or matter or shape.outer or more_:
        return False
    full, made = constructors.of(body)
    if full is not None and not all(constructors.set_by(full)):
        return False
    plainly = all(constructors.only_sets(each, fields) for each in made)
    return plainly and constructors.stands_alone(node, shape)


def does_more(shape: ClassShape) -> set[str]:
    """Return the methods of a class besides getters, setters, equals and such."""
    plain = {"equals", "hashCode", "toString"} | set(shape.accessors) | set(shape.setters)
    return (shape.methods - plain) | shape.static_methods


def is_made_by_hand(node: Node, body: Node | None, shape: ClassShape, context: Context) -> bool:
    """Tell whether a class is one of values whose constructors do more than to set fields."""
    fields = set(shape.fields) - shape.static_fields
    if not fields or shape.outer or any(_matters(each, node, context) for each in bases(node)):
        return False
    kinds = {shape.fields[java].removesuffix("[]") for java in fields}
    values = all(
        each in (*words.TYPES, *OF_TIME, *JAVA_ONLY) or context.known(each) for each in kinds
    )
    return values and _is_of_values(node, shape, does_more(shape))


def with_fields(
    lines: list[str], node: Node, body: Node | None, shape: ClassShape, context: Context
) -> list[str]:
    """Return the lines of a class with its fields: by these, a serde knows what it writes."""
    context.use("dataclasses", "dataclass")
    declared = _declared(node, body)
    made: list[str] = []
    for java in shape.fields:
        if java in shape.static_fields:
            continue
        field, part = declared.get(java, (None, None))
        made.extend(json_names.of_field(field, java, node, shape, context))
        others = {*shape.fields, *shape.methods} - {java}
        free = part is not None and constructors.is_free(part, others)
        kept = part if free else None
        made.append(_row(java, shape.fields[java], (field, kept), record=False, context=context))
    at = next(index for index, row in enumerate(lines) if row.startswith("class "))
    hashed = "hashCode" in shape.methods  # it has a method for that
    marked = "@dataclass" if hashed else mark(node, shape)
    return [*lines[:at], marked, lines[at], *indented(made), "", *lines[at + 1 :]]


def mark(node: Node, shape: ClassShape) -> str:
    """Return the mark of a dataclass: how its objects are compared, and whether they are keys."""
    if node.type == "record_declaration":
        return "@dataclass(frozen=True)"
    if has_hash(node, shape):
        return "@dataclass(unsafe_hash=True)"
    # One that does more may be in a set, as the object that it is.
    equal = "equals" in shape.methods or not does_more(shape)
    return "@dataclass" if equal else "@dataclass(eq=False)"


def _is_of_values(node: Node, shape: ClassShape, more: set[str]) -> bool:
    """Tell whether a class with methods of its own is one of values, such as serdes write.

    Its fields are public, or have getters or setters.
    """
    marks = set(annotations_of(node))
    tests = is_of_tests(node.child_by_field_name("body"))
    if tests or marks & SERVICES or more & set(shape.fields):
        return False
    declared = of_kind(node.child_by_field_name("body"), *FIELDS)
    mine = [each for each in declared if not has(first(each, "modifiers"), "static")]
    if any(map(is_given, mine)):
        return False
    open_ = bool(marks & OF_VALUES) or bool(shape.accessors) or bool(shape.setters)
    return open_ or all(has(first(each, "modifiers"), "public") for each in mine)


def _matters(base: Node, node: Node, context: Context) -> bool:
    """Tell whether a class has more of what it extends than names of getters and setters."""
    if simple(base) in DROPPED_BASES:
        return False
    known = context.known(simple(base)) if base in interfaces_of(node) else None
    return known is None or known.methods != known.abstract or bool(known.interfaces)


def rows(node: Node, body: Node | None, shape: ClassShape, context: Context) -> list[str]:
    """Return the fields of a dataclass, in the order in which its constructor takes them."""
    record = node.type == "record_declaration"
    declared = _declared(node, body)
    uncompared = set() if record else _uncompared(body, shape)
    full, made = (None, []) if record else constructors.of(body)
    order = lombok.arguments(node) if full is None else constructors.set_by(full)
    order = [name for name in order if name in shape.fields]
    own = [name for name in shape.fields if name not in shape.static_fields]
    defaults, others = constructors.implied(made, order, own, shape, context)
    lines: list[str] = []
    for java in [*order, *(name for name in own if name not in order)]:
        field, part = declared.get(java, (None, None))
        lines.extend(json_names.of_field(field, java, node, shape, context))
        made_row = _row(java, shape.fields[java], (field, part), record=record, context=context)
        if defaults.get(java):
            made_row = f"{made_row.partition(' = ')[0]} = {default(*defaults[java], context)}"
        if ": Decimal" in made_row and not any(DECIMAL_IN_JSON in each for each in lines):
            context.left.append(line(field or node))
            lines.append(f"# Java, line {line(field or node)}: {DECIMAL_IN_JSON}")
        foreign = _foreign(field, context)
        if foreign:
            context.left.append(line(field or node))
            lines.append(
                f"# Java, line {line(field or node)}: {foreign} is Java's own; name a type of"
                " Python here, or JSON does not read it back as that."
            )
        lines.append(_left_out(made_row, context) if java in uncompared else made_row)
    for other, given in others:
        context.left.append(line(other))
        named = ", ".join(name or "?" for name in given) or "nothing"
        why = "give these by name" if given != order[: len(given)] else "its values are others"
        lines.append(f"# Java, line {line(other)}: another constructor, of {named}; {why}.")
    return lines


def has_hash(node: Node, shape: ClassShape) -> bool:
    """Tell whether objects of a class may be keys of maps, by their fields."""
    return "hashCode" in shape.methods or bool(
        {"Data", "Value", "EqualsAndHashCode"} & set(annotations_of(node))
    )


def _uncompared(body: Node | None, shape: ClassShape) -> set[str]:
    """Return the fields that equals() leaves out; a dataclass is equal by all."""
    for each in members(body):
        if each.type == "method_declaration" and text(each.child_by_field_name("name")) == "equals":
            own = set(shape.fields) - shape.static_fields
            used = set(re.findall(r"\w+", text(each.child_by_field_name("body"))))
            asked = {shape.accessors[java] for java in used & set(shape.accessors)}
            return own - used - asked if own & (used | asked) else set()
    return set()


def _declared(node: Node, body: Node | None) -> dict[str, tuple[Node, Node | None]]:
    """Return where each field is declared, and the part with its first value."""
    found: dict[str, tuple[Node, Node | None]] = {
        text(each.child_by_field_name("name")): (each, None)
        for each in of_kind(node.child_by_field_name("parameters"), "formal_parameter")
    }
    for each in members(body):
        if each.type in FIELDS:
            for part in of_kind(each, "variable_declarator"):
                found[text(part.child_by_field_name("name"))] = (each, part)
    return found


def _row(
    java: str,
    kind: str,
    declared: tuple[Node | None, Node | None],
    *,
    record: bool,
    context: Context,
) -> str:
    field, part = declared
    note = _note(None if field is None else field.child_by_field_name("type"), context)
    zero = "" if record else f" = {_default(kind, part, context)}"
    empty = zero.endswith(" None") or (record and kind not in (*ZERO, "char"))
    note = f"{note} | None" if empty and note != "Any" else note
    return f"{words.method_name(java)}: {note}{zero}"


def _note(node: Node | None, context: Context) -> str:
    """Return the type of a field, by which JSON knows what to make: enums, lists of classes."""
    kind, inside = simple(node), _type_arguments(node)
    if kind.endswith("[]") and node is not None:
        held = node.child_by_field_name("element")
        return "bytes" if kind == "byte[]" else f"list[{_note(held, context)}]"
    note = words.TYPES.get(kind, "Any")
    if note in ("list", "set", "dict") and len(inside) == (2 if note == "dict" else 1):
        return f"{note}[{', '.join(_note(each, context) for each in inside)}]"
    if note == "Decimal":
        context.use("decimal", "Decimal")
        return note
    if note == "UUID":
        context.use("uuid", "UUID")
        return note
    if note in ("Any", "None"):
        if context.known(kind) is not None or kind in OF_TIME:
            return class_reference(kind, context)
        context.use("typing", "Any")
        return "Any"
    return note


def _foreign(field: Node | None, context: Context) -> str:
    """Return the class of Java's own in a field's type that has no counterpart; "" for none."""
    declared = None if field is None else field.child_by_field_name("type")
    for each in re.findall(r"\w+", text(declared)):
        if each in JAVA_ONLY and each in context.java_classes and context.known(each) is None:
            return str(each)
    return ""


def _type_arguments(node: Node | None) -> list[Node]:
    return inner(first(node, "type_arguments")) if node is not None else []


def _left_out(row: str, context: Context) -> str:
    """Return a field that is not compared."""
    context.use("dataclasses", "field")
    named, _, value = row.partition(" = ")
    inside = value.removeprefix("field(").removesuffix(")") if value.startswith("field(") else ""
    return f"{named} = field({inside or f'default={value}'}, compare=False)"


def _default(kind: str, part: Node | None, context: Context) -> str:
    value = None if part is None else part.child_by_field_name("value")
    if value is None:
        return ZERO.get(kind, "None")
    try:
        made = arithmetic.as_declared(context.express(value), value, kind, context)
    except UntranslatedError:
        context.left.append(line(value))
        return "..."
    return default(made, value, context)


def default(made: str, value: Node, context: Context) -> str:
    """Return what stands behind a field for its value by default."""
    if value.type.endswith("_literal") or value.type in ("true", "false"):
        return made
    context.use("dataclasses", "field")
    plain = {"[]": "list", "{}": "dict", "set()": "set"}.get(made)
    return f"field(default_factory={plain or f'lambda: {made}'})"
