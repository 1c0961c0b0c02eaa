"""Calls and constructors of Java in Python."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.checking.counterparts import python_class
from millstream.porting.drafting import (
    arithmetic,
    decimals,
    enums,
    fields_of_tests,
    functions,
    inner_classes,
    interfaces,
    junit,
    library,
    lists,
    optional,
    ordered,
    sequences,
    serdes,
    texts,
    waiting,
    words,
)
from millstream.porting.drafting.context import ClassShape, Context, UntranslatedError
from millstream.porting.drafting.kinds import kind, simple
from millstream.porting.drafting.layout import MARK, tightened
from millstream.porting.drafting.names import (
    bases,
    class_reference,
    imported_class,
    own_field,
    owner_of,
)
from millstream.porting.reading.nodes import first, inner, line, text

# Of Kafka's classes, too: without a known type these are called, as they are there.
OF_KAFKA = ("key", "value", "headers", "timestamp", "topic", "partition", "offset", "window")
FUNCTIONS = ("lambda_expression", "method_reference")
EMPTY = {
    "HashMap": "{}", "LinkedHashMap": "{}", "ConcurrentHashMap": "{}",
    "Properties": "{}", "ArrayList": "[]", "LinkedList": "[]", "HashSet": "set()",
    "ArrayDeque": "[]", "ConcurrentLinkedQueue": "[]", "ConcurrentLinkedDeque": "[]",
    "Object": "object()",
}  # fmt: skip
COPY = {
    "HashMap": "dict", "LinkedHashMap": "dict", "ArrayList": "list",
    "LinkedList": "list", "HashSet": "set", "ArrayDeque": "list",
    "ConcurrentLinkedQueue": "list", "ConcurrentLinkedDeque": "list",
    "Integer": "int", "Long": "int", "Double": "float",
}  # fmt: skip


def arguments(node: Node, context: Context) -> list[str]:
    """Return the arguments of a call; a function that cannot be translated becomes a place left."""
    return [argument(each, context) for each in inner(node.child_by_field_name("arguments"))]


def argument(node: Node, context: Context) -> str:
    """Return one argument."""
    anonymous = node.type == "object_creation_expression" and first(node, "class_body") is not None
    if node.type in FUNCTIONS or anonymous:
        mark = context.mark()
        try:
            return context.express(node)
        except UntranslatedError:
            context.back(mark)
            return functions.placeholder(node, context)
    return context.express(node)


def call(node: Node, context: Context) -> str:
    """Return a method call."""
    receiver = node.child_by_field_name("object")
    method = text(node.child_by_field_name("name"))
    if receiver is None:
        tested = junit.assertion(node, None, method, context)
        if tested is not None:
            return tested
        return _plain(node, method, context)
    if receiver.type != "super" and any(child.type == "super" for child in node.children):
        # Of an interface: Processor.super.close().
        return f"super().{words.method_name(method)}({', '.join(arguments(node, context))})"
    around = fields_of_tests.around_tests(method, context) if receiver.type == "super" else ""
    if around:
        return f"super().{around}()"
    made = interfaces.called(node, receiver, method, context)
    made = made or serdes.configured(node, receiver, method, context) or None
    if made is not None:
        return made
    if context.kafka_owner(node):
        return _of_kafka(node, receiver, method, context)
    sequence = sequences.comprehension(node, context)
    if sequence is not None:
        return sequence
    tested = junit.assertion(node, receiver, method, context)
    if tested is not None:
        return tested
    made = optional.call(node, receiver, method, context)
    if made is not None:
        return made
    made = decimals.call(node, receiver, method, context)
    made = made or _compared(node, receiver, method, context)
    made = made or library.call(node, receiver, method, context)
    if made is not None:
        return made
    return _of_program(node, receiver, method, context)


def _plain(node: Node, method: str, context: Context) -> str:
    found = owner_of(method, context)
    owner_ = found[0] if found is not None else None
    based = bases(context.around[-1], context) if context.around else []
    holder = owner_ or next((each for each in based if method in each.returns), None)
    given = ", ".join(_as_taken(node, method, holder, context))
    field = "" if given else own_field(method, context)
    if field:
        return field
    if owner_of(method, context) is None and method in context.kafka_classes:
        owner = context.kafka_classes[method]
        if owner.rpartition(".")[2] != method:  # a static method that was imported by itself
            return f"{imported_class(owner, context)}.{words.method_name(method)}({given})"
    if context.around and context.around[-1].enum and not context.around[-1].local:
        own = words.name(context.around[-1].name)
        made = {"values": f"list({own})", "ordinal": f"list({own}).index(self)"}
        made |= {"name": f"self.{enums.name_of(context.around[-1])}", "valueOf": f"{own}[{given}]"}
        made["compareTo"] = f"(list({own}).index(self) - list({own}).index({given}))"
        made |= {"equals": f"(self == {given})", "toString": "str(self)"}
        if method in made and owner_of(method, context) is None:
            return made[method]
    if method == "getClass" and not given and owner_of(method, context) is None:
        return "type(self)"
    if context.kafka_owner(node) and owner_of(method, context) is None and context.around:
        return f"self.{words.method_name(method)}({given})"
    count = len(inner(node.child_by_field_name("arguments")))
    return f"{functions.own_method(method, context, count)}({given})"


def _of_kafka(node: Node, receiver: Node, method: str, context: Context) -> str:
    held = _receiver(receiver, context)
    given = arguments(node, context)
    nodes = inner(node.child_by_field_name("arguments"))
    if nodes and kind(nodes[-1], context) == "String[]":  # Kafka takes names one by one, too
        given[-1] = f"*{tightened(given[-1])}"
    owner = context.kafka_owner(node)
    by_class = serdes.by_class(node, owner, method, context)
    if by_class:
        return by_class
    if method == "start" and owner.endswith(".KafkaStreams"):
        return waiting.started(held, context)
    if method == "getClass":
        return held
    if method == "branch" and owner.endswith(".KStream"):
        context.missing.pop((line(node.child_by_field_name("name") or node), method), None)
        context.helpers.add("branch_by")
        named = given and text(inner(node.child_by_field_name("arguments"))[0]).startswith("Named.")
        name, rest = (given[0], given[1:]) if named else ("", given)
        return f"branch_by({', '.join([f'{held}.split({name})', *rest])})"
    return f"{held}{MARK}.{words.method_name(method)}({', '.join(given)})"


def _receiver(node: Node, context: Context) -> str:
    if node.type == "super":
        return "super()"
    if node.type in ("identifier", "field_access", "scoped_identifier"):
        written = text(node)
        if written.rpartition(".")[2][:1].isupper() and context.local(written) is None:
            parts = [part for part in written.split(".") if part[:1].isupper()]
            if not parts[-1].isupper():
                return class_reference(".".join(parts), context)
    return tightened(context.express(node))


def _of_program(node: Node, receiver: Node, method: str, context: Context) -> str:
    """Return a call on a class of the program, or on one that is not known."""
    count = len(inner(node.child_by_field_name("arguments")))
    static = context.shapes.get(text(receiver))
    if static is not None and static.loose and method in static.static_methods:
        return f"{words.name(method)}({', '.join(_as_taken(node, method, static, context))})"
    enum = _of_enum(node, receiver, method, context)
    if enum is not None:
        return enum
    built = _built(node, method, context)
    if built is not None:
        return built
    held, known = _receiver(receiver, context), kind(receiver, context)
    package = context.libraries.get(known, (0, "java"))[1]
    declared = context.known(known)
    if declared is None and not package.startswith("java") and python_class(known) is None:
        context.foreign.add(str(known))  # the draft names no types, but this one is to be told
    shapes = context.line(declared) if declared is not None else context.all_known()
    if declared is None and count == 0 and method not in OF_KAFKA:
        _refuse_several(node, method, context)
    for shape in shapes:
        if declared is None and method in OF_KAFKA:
            break
        field = context.accessor(shape, method) if count == 0 else None
        if field is not None:
            return f"{held}.{words.method_name(field)}"
        if method in shape.setters and count == 1:
            raise UntranslatedError(node, "a setter within an expression")
        if declared is not None and method in shape.methods:
            break  # it takes the place of the base's
    if declared is None and _of_java(receiver, method, held, context):
        raise UntranslatedError(node)
    named = context.known(text(receiver)) if context.local(text(receiver)) is None else None
    given = _as_taken(node, method, declared or named, context)
    return f"{held}.{words.method_name(method, count)}({', '.join(given)})"


def _refuse_several(node: Node, method: str, context: Context) -> None:
    """Refuse a getter of an unknown object that is one field here, another or a method there."""
    having = [each for each in context.all_known() if method in {*each.methods, *each.accessors}]
    fields = {each.accessors.get(method) for each in having if method not in each.abstract}
    if len(fields) > 1:
        names = ", ".join(each.name for each in having)
        raise UntranslatedError(node, f"{method}() is not the same in {names}")


def _of_java(receiver: Node, method: str, held: str, context: Context) -> bool:
    """Tell whether a method is one of Java's own that has no counterpart."""
    java = (*words.TYPES, *words.JDK, *context.java_classes)
    static = text(receiver) if context.local(text(receiver)) is None else ""
    if kind(receiver, context).removesuffix("[]") in java or static in java:
        return True
    # What has been drafted as a list, and streams over whatever it is.
    streams = method in ("stream", "parallelStream") and not any(
        method in each.methods for each in context.all_known()
    )
    return streams or (held.startswith("[") and not hasattr(list, method))


def _built(node: Node, method: str, context: Context) -> str | None:
    """Return a builder of Lombok or Avro as a constructor with names, or as a changed copy."""
    if method != "build" or inner(node.child_by_field_name("arguments")):
        return None
    steps: list[tuple[str, Node]] = []
    held = node.child_by_field_name("object")
    while held is not None and held.type == "method_invocation":
        name = text(held.child_by_field_name("name"))
        nodes = inner(held.child_by_field_name("arguments"))
        receiver = held.child_by_field_name("object")
        if name in ("builder", "newBuilder") and receiver is not None and len(nodes) < 2:
            shape = context.known(text(receiver))
            if nodes:  # of Avro: what it has is copied
                return _copied(nodes[0], steps, shape, context)
            made = class_reference(text(receiver), context) if shape and shape.builder else ""
            return f"{made}({_named(steps, shape, context)})" if made and shape else None
        if name == "toBuilder" and not nodes and receiver is not None:
            context.use("dataclasses", "replace")
            shape = context.known(kind(receiver, context))
            named = _named(steps, shape, context)
            return f"replace({context.express(receiver)}{', ' if named else ''}{named})"
        if len(nodes) != 1:
            return None
        steps.append((name, nodes[0]))
        held = receiver
    return None


def _copied(
    of: Node, steps: list[tuple[str, Node]], shape: ClassShape | None, context: Context
) -> str | None:
    """Return ``Line.newBuilder(line).setCount(2).build()`` as a copy with other values."""
    if shape is None or not shape.builder or "newBuilder" in shape.static_methods:
        return None
    context.helpers.add("copied_with")
    context.use("copy", "deepcopy")
    named = _named(steps, shape, context)
    return f"copied_with({context.express(of)}{', ' if named else ''}{named})"


def _named(steps: list[tuple[str, Node]], shape: ClassShape | None, context: Context) -> str:
    fields = {} if shape is None else shape.fields
    setters = {} if shape is None else shape.setters
    named: list[str] = []
    for java, node in reversed(steps):
        field = java if java in fields else setters.get(java, java)
        given = arithmetic.as_declared(
            argument(node, context), node, fields.get(field, ""), context
        )
        named.append(f"{words.method_name(field)}={given}")
    return ", ".join(named)


def _compared(node: Node, receiver: Node, method: str, context: Context) -> str | None:
    """Return ``compareTo`` of constants of an enum, by their places."""
    shape = context.known(kind(receiver, context)) if method == "compareTo" else None
    if shape is None or not shape.enum:
        return None
    order = f"list({class_reference(shape.name, context)}).index"
    given = ", ".join(arguments(node, context))
    return f"{order}({context.express(receiver)}) - {order}({given})"


def _of_enum(node: Node, receiver: Node, method: str, context: Context) -> str | None:
    """Return a method that all enums have."""
    nodes = inner(node.child_by_field_name("arguments"))
    static = context.known(text(receiver))
    if static is not None and static.enum and method in ("values", "valueOf"):
        held = class_reference(static.name, context)
        return f"list({held})" if method == "values" else f"{held}[{context.express(nodes[0])}]"
    shape = context.known(kind(receiver, context))
    if shape is not None and shape.enum and method == "ordinal" and not nodes:
        held = context.express(receiver)
        return f"list({class_reference(shape.name, context)}).index({held})"
    if shape is not None and shape.enum and method in ("name", "toString") and not nodes:
        return f"{context.express(receiver)}.{enums.name_of(shape)}"
    return None


def _text(nodes: list[Node], context: Context) -> str:
    """Return ``new String(...)``: of another text, of signs, or of bytes."""
    if not nodes:
        return '""'
    given = texts.charset(nodes[1:])
    data, known = context.express(nodes[0]), kind(nodes[0], context)
    if known in ("String", "StringBuilder"):
        return data
    if not known and len(nodes) == 1:  # bytes have a charset more often than not
        context.helpers.add("text_from")
        return f"text_from({data})"
    return f'"".join({data})' if known == "char[]" else f"{tightened(data)}.decode({given})"


def _as_taken(node: Node, method: str, shape: ClassShape | None, context: Context) -> list[str]:
    """Return the arguments of a method or a constructor of the program.

    Java makes a whole number a double for it, and takes an array for any number of arguments.
    """
    nodes, given = inner(node.child_by_field_name("arguments")), arguments(node, context)
    if shape is None or not nodes:
        return given
    count = len(nodes)
    types = shape.takes.get(count) if method == "new" else shape.given.get((method, count))
    if types:
        given = [
            arithmetic.as_declared(*each, context) for each in zip(given, nodes, types, strict=True)
        ]
    if shape.spread.get(method) == count - 1 and kind(nodes[-1], context).endswith("[]"):
        given[-1] = f"*{tightened(given[-1])}"
    return given


def creation(node: Node, context: Context) -> str:
    """Return a constructor call."""
    body = first(node, "class_body")
    if body is not None and inner(body):
        return functions.anonymous(node, body, context)
    made = simple(node.child_by_field_name("type"))
    if made == "String":
        return _text(inner(node.child_by_field_name("arguments")), context)
    if made in texts.BUILDERS and made not in context.shapes:
        return texts.builder(inner(node.child_by_field_name("arguments")), context)
    if made == "BigDecimal" and context.known(made) is None:
        return decimals.made(node, context)
    sorting = ordered.helper(made, node, context)
    if sorting:
        return ordered.created(sorting, node, context)
    given = _as_taken(node, "new", context.known(made), context)
    if made in EMPTY and not given and made not in context.shapes:
        return EMPTY[made]
    if made in COPY and made not in context.shapes:
        nodes = inner(node.child_by_field_name("arguments"))
        sized = nodes and kind(nodes[0], context) in ("int", "long")
        return EMPTY[made] if sized and made in EMPTY else f"{COPY[made]}({given[0]})"
    if made in lists.COUNTERS and made not in context.shapes:
        return lists.counter(made, given, context)
    if made == "KafkaStreamsConfiguration" and len(given) == 1 and made not in context.shapes:
        return given[0]  # of Spring: the properties themselves
    if made == "Random":
        context.use("random")
        return f"random.Random({', '.join(given)})"
    if made in ("Thread", "CountDownLatch", "Date", "Scanner", "File", "BufferedReader"):
        raise UntranslatedError(node)
    json = serdes.of_json(node, made, context)
    if json:
        return json
    written = node.child_by_field_name("type")
    full = text(written).partition("<")[0]
    parts = [part for part in full.split(".") if part[:1].isupper()]
    name = class_reference(".".join(parts) or made, context)
    given = [*inner_classes.given(node, made, context), *given]
    if full.startswith(("java.", "javax.")) and name in context.foreign:
        raise UntranslatedError(node)
    return f"{name}({', '.join(given)})"
