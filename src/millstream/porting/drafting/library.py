"""Methods of Java's own classes in Python."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from millstream.porting.drafting import (
    arithmetic,
    comparators,
    environment,
    errors,
    lists,
    mappings,
    ordered,
    printing,
    sequences,
    tables,
    texts,
    times,
    words,
)
from millstream.porting.drafting.context import Context, UntranslatedError, filled
from millstream.porting.drafting.kinds import GIVES, SETS, TEXTS, is_elsewhere, kind
from millstream.porting.drafting.layout import tightened
from millstream.porting.drafting.names import has_method
from millstream.porting.drafting.patterns import placed
from millstream.porting.reading.nodes import inner, text

# By class and method: arguments are {0}, {1}, all of them {all}.
STATIC = {
    "Integer.valueOf": "int({0})", "Long.valueOf": "int({0})", "Double.valueOf": "float({0})",
    "Float.valueOf": "float({0})", "String.valueOf": "str({0})", "Integer.toString": "str({0})",
    "Long.toString": "str({0})", "Short.valueOf": "int({0})",
    "Objects.equals": "{0} == {1}", "Objects.isNull": "{0} is None",
    "Objects.nonNull": "{0} is not None", "Arrays.equals": "{0} == {1}",
    "Math.abs": "abs({0})",
    "Math.floor": "float(math.floor({0}))", "Math.ceil": "float(math.ceil({0}))",
    **{f"Math.{each}": f"math.{each}({{all}})" for each in words.OF_MATH},
    "Math.toRadians": "math.radians({0})", "Math.toDegrees": "math.degrees({0})",
    "Math.random": "random.random()", "Math.round": "math.floor({0} + 0.5)",
    "Math.floorMod": "{0} % {1}", "Math.floorDiv": "{0} // {1}",
    "Arrays.asList": "[{all}]",
    "Long.sum": "{0} + {1}", "Integer.sum": "{0} + {1}", "Double.sum": "{0} + {1}",
    **{f"{each}.compare": "({0} > {1}) - ({0} < {1})" for each in ("Long", "Integer", "Double")},
    "List.of": "[{all}]", "Set.of": "{{{all}}}", "ImmutableList.of": "[{all}]",
    "Collections.emptyList": "[]", "Collections.emptyMap": "{{}}", "Collections.emptySet": "set()",
    "Collections.singletonList": "[{0}]", "Collections.singleton": "{{{0}}}",
    "Collections.singletonMap": "{{{0}: {1}}}", "Collections.unmodifiableList": "{0}",
    "Collections.unmodifiableMap": "{0}", "List.copyOf": "list({0})", "Map.copyOf": "dict({0})",
    "Collections.reverse": "{0}.reverse()", "Collections.max": "max({0})",
    "Collections.min": "min({0})", "Arrays.sort": "{0}.sort()",
    "System.out.print": "print({0}, end=\"\")", "System.exit": "sys.exit({0})",
    "System.currentTimeMillis": "int(time.time() * 1000)", "System.getProperties": "os.environ",
    "System.setProperty": "os.environ[{0}] = {1}",
    "System.clearProperty": "os.environ.pop({0}, None)",
    "Thread.sleep": "time.sleep({0} / 1000)", "UUID.randomUUID": "uuid.uuid4()",
    "String.join": "{0}.join({1})", "Arguments.arguments": "({all},)",
    "Stream.of": "[{all}]", "Arguments.of": "({all},)",
    "Pattern.quote": "re.escape({0})", "Character.toUpperCase": "{0}.upper()",
    "Character.toLowerCase": "{0}.lower()",
    "Character.isDigit": "{0}.isdigit()", "Character.isLetter": "{0}.isalpha()",
}  # fmt: skip
MODULES = {"sys.": "sys", "time.time": "time", "time.sleep": "time", "uuid.": "uuid",
           "os.": "os", "re.": "re", "math.": "math", "random.random()": "random",
           "logging.": "logging"}  # fmt: skip
# By method and number of arguments, on a receiver {o}, where the name tells enough.
ANY = {
    ("toLowerCase", 0): "{o}.lower()", ("toLowerCase", 1): "{o}.lower()",
    ("toUpperCase", 0): "{o}.upper()", ("toUpperCase", 1): "{o}.upper()",
    ("trim", 0): "{o}.strip()", ("length", 0): "len({o})", ("size", 0): "len({o})",
    ("isEmpty", 0): "not {o}", ("isBlank", 0): "not {o}.strip()", ("equals", 1): "{o} == {0}",
    ("startsWith", 1): "{o}.startswith({0})", ("endsWith", 1): "{o}.endswith({0})",
    ("contains", 1): "{0} in {o}", ("containsKey", 1): "{0} in {o}",
    ("containsValue", 1): "{0} in {o}.values()", ("substring", 1): "{o}[{0}:]",
    ("substring", 2): "{o}[{0}:{1}]", ("charAt", 1): "{o}[{0}]", ("toString", 0): "str({o})",
    ("intValue", 0): "int({o})", ("longValue", 0): "int({o})", ("doubleValue", 0): "float({o})",
    ("floatValue", 0): "float({o})",
    ("compareToIgnoreCase", 1): "({o}.lower() > {0}.lower()) - ({o}.lower() < {0}.lower())",
    ("getOrDefault", 2): "{o}.get({0}, {1})", ("keySet", 0): "{o}.keys()",
    ("entrySet", 0): "{o}.items()", ("getProperty", 1): "{o}.get({0})",
    ("getProperty", 2): "{o}.get({0}, {1})", ("compareTo", 1): "({o} > {0}) - ({o} < {0})",
    ("addAll", 1): "{o}.extend({0})", ("concat", 1): "{o} + {0}", ("repeat", 1): "{o} * {0}",
    ("putAll", 1): "{o}.update({0})", ("getClass", 0): "type({o})", ("booleanValue", 0): "{o}",
    ("printStackTrace", 0): "print(repr({o}))",
    ("getMessage", 0): "str({o})", ("getCause", 0): "{o}.__cause__",
    ("toCharArray", 0): "list({o})", ("lastIndexOf", 1): "{o}.rfind({0})",
    ("asProperties", 0): "{o}", ("isDebugEnabled", 0): "{o}.isEnabledFor(logging.DEBUG)",
    ("isTraceEnabled", 0): "{o}.isEnabledFor(logging.DEBUG)",
    ("isInfoEnabled", 0): "{o}.isEnabledFor(logging.INFO)",
}  # fmt: skip
OF_OBJECTS = ("equals", "hashCode", "toString")
# What a class that is not among the files given has as well, or no other one does.
OF_ANY = (
    *OF_OBJECTS, "getClass", "compareTo", "asProperties", "isDebugEnabled", "isTraceEnabled",
    "isInfoEnabled",
)  # fmt: skip
# Of errors; other classes may have getters of a field that are called so.
OF_ERRORS = ("getMessage", "getCause", "printStackTrace")
# What changes a collection, and gives something in Java only.
CHANGES = (
    "{o}.append({0})", "{o}.insert(0, {0})", "{o}.add({0})", "{o}.extend({0})", "{o}.update({0})",
    "{o}.__setitem__({0}, {1})", "{o}.setdefault({0}, {1})", "{o}.insert({0}, {1})",
    "{o}.difference_update({0})", "{o}.intersection_update({0})", "{0}.reverse()", "{0}.sort()",
)  # fmt: skip
IGNORING = ("forEach", "foreach", "peek", "ifPresent", "forEachRemaining", "submit", "execute")


def is_used(node: Node) -> bool:
    """Tell whether anything is done with what a call gives."""
    parent = node.parent
    if parent is None or parent.type == "expression_statement":
        return False
    if parent.type != "lambda_expression":
        return True
    around = parent.parent.parent if parent.parent is not None else None
    method = "" if around is None else text(around.child_by_field_name("name"))
    return method not in IGNORING and not method.startswith("assert")


def call(node: Node, receiver: Node, method: str, context: Context) -> str | None:
    """Return a call of Java's library; None if it is none that is known here."""
    nodes = inner(node.child_by_field_name("arguments"))
    if method not in OF_OBJECTS and has_method(kind(receiver, context), method, context):
        return None
    owner = text(receiver)
    if owner.startswith(("java.", "org.slf4j.")):
        owner = owner.rpartition(".")[2]
    named = SPECIAL.get(f"{owner}.{method}") if context.local(owner) is None else None
    special = named or SPECIAL.get(f"?.{method}")
    if special is not None:
        made = special(node, receiver, nodes, context)
        if made is not None:
            return made
    pattern = STATIC.get(f"{owner}.{method}") if context.local(owner) is None else None
    if pattern is None:
        pattern = by_type(kind(receiver, context), method, len(nodes), context)
        if method in OF_ERRORS and not errors.is_error(receiver, context):
            return None
    if pattern is None:
        return None
    if _drops(pattern, len(nodes)):
        raise UntranslatedError(node, "an argument that Python's counterpart does not have")
    held = _held(receiver, context) if "{o}" in pattern else ""
    if pattern in CHANGES and is_used(node):
        if method != "add" or nodes[0].type != "identifier" or kind(receiver, context) not in SETS:
            other = "the new value" if method == "putIfAbsent" else "nothing"
            raise UntranslatedError(node, f"what it gives is used; in Python it gives {other}")
        given_ = context.express(nodes[0])
        return f"({given_} not in {held} and not {held}.add({given_}))"
    # An argument that the pattern drops, as a locale, need not have a counterpart.
    wanted = [
        index for index in range(len(nodes)) if f"{{{index}}}" in pattern or "{all}" in pattern
    ]
    given = [context.express(each) if at in wanted else "" for at, each in enumerate(nodes)]
    one_by_one = placed(pattern, given)
    made = filled(node, pattern, *one_by_one, all=", ".join(given), o=held)
    if pattern.startswith("taken("):
        context.helpers.add("taken")
    for use, module in MODULES.items():
        if use in made and use not in held:
            context.use(module)
    return made


def _drops(pattern: str, count: int) -> bool:
    """Tell whether a function of Java's is given more than its pattern takes."""
    last = f"{{{count - 1}}}"
    return count > 0 and not any(taken in pattern for taken in ("{o}", "{all}", last))


def _held(receiver: Node, context: Context) -> str:
    return tightened(context.express(receiver))


def by_type(held: str, method: str, count: int, context: Context) -> str | None:
    """Return the pattern of a method of a class of Java's; None if it has none."""
    key = (method, count)
    own = context.shapes.get(held)
    if key == ("equals", 1):
        return ANY[key]  # Python's own method gives NotImplemented for another class, which is true
    if own is not None and method in own.methods | set(own.accessors):
        return None
    if held in texts.BUILDERS:
        return texts.OF_BUILDERS.get(key)
    for table in tables.of(held):
        if key in table:
            return table[key]
    if held in GIVES.values():
        return None  # of Kafka
    if method not in OF_ANY and is_elsewhere(held, context):
        return None
    java = held in words.TYPES and context.known(held) is None
    if not java and any(method in shape.methods for shape in context.shapes.values()):
        return None
    return ANY.get(key)


# --- what needs more than a pattern


def _split(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    if not nodes or len(nodes) > 2:
        return None
    context.helpers.add("split")
    context.use("re")
    held, given = context.express(receiver), context.express(nodes[0])
    limit = f", {context.express(nodes[1])}" if len(nodes) == 2 else ""
    if kind(receiver, context) == "Pattern":
        return f"split({given}, {held}{limit})"
    return f"split({held}, {texts.pattern(given)}{limit})"


def _replace_all(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    if len(nodes) != 2 or kind(receiver, context) not in ("", *TEXTS):
        return None
    held, given = context.express(receiver), texts.pattern(context.express(nodes[0]))
    context.use("re")
    new = texts.replacement(nodes[1], context)
    return f"re.sub({given}, {new}, {held}{texts.flags(given)})"


def _matches(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    if len(nodes) != 1 or kind(receiver, context) not in ("", *TEXTS):
        return None
    given = texts.pattern(context.express(nodes[0]))
    context.use("re")
    held = context.express(receiver)
    return f"re.fullmatch({given}, {held}{texts.flags(given)}) is not None"


def _boolean(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    if len(nodes) != 1:
        return None
    made = context.express(nodes[0])
    known = kind(nodes[0], context)
    if known in texts.BOOLEANS:
        return made
    return f'{tightened(made) if known in TEXTS else f"str({made})"}.lower() == "true"'


def _value_of(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    if len(nodes) != 1:
        return None
    made = context.express(nodes[0])
    if kind(nodes[0], context) == "char[]":
        return f'"".join({made})'
    shown = texts.shown(nodes[0], made, context)
    return shown if shown != made else f"str({made})"


def _of_double(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str:
    made = arithmetic.as_declared(context.express(nodes[0]), nodes[0], "double", context)
    return f"{texts.text_of(context)}({made})"


def _hash_code(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return a hash code; Python's own differ from Java's, and those of texts in each process."""
    if _method(node) == "hashCode" and nodes:
        return None
    if inside_hash_code(node):
        given = ", ".join(context.express(each) for each in nodes) + "," if nodes else ""
        return f"hash({f'({given})' if nodes else context.express(receiver)})"
    if kind(receiver, context) == "String" and _method(node) == "hashCode":
        context.helpers.add("hash_code")
        return f"hash_code({context.express(receiver)})"
    raise UntranslatedError(node, "Python's hash() is another number in each process")


def inside_hash_code(node: Node) -> bool:
    """Tell whether a place is in a method that makes a hash code itself."""
    around: Node | None = node
    while around is not None and around.type != "method_declaration":
        around = around.parent
    return around is not None and _method(around) == "hashCode"


def _compile(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str:
    context.use("re")
    flags = "" if len(nodes) > 1 else ", re.ASCII"
    if len(nodes) > 1 and "CASE_INSENSITIVE" in text(nodes[1]):
        flags = ", re.IGNORECASE"
    return f"re.compile({texts.pattern(context.express(nodes[0]))}{flags})"


def _as_list(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    if len(nodes) == 1 and kind(nodes[0], context).endswith("[]"):
        made = context.express(nodes[0])
        return made if made.startswith("split(") else f"list({made})"
    return None


def _join(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return a join of parts that are given one by one; a list has the pattern."""
    if len(nodes) == 2 and kind(nodes[1], context) not in TEXTS:
        return None
    between, *parts = [context.express(each) for each in nodes]
    return f"{tightened(between)}.join([{', '.join(parts)}])"


def _method(node: Node) -> str:
    return text(node.child_by_field_name("name"))


def _class_name(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return a class where its name is a value of the configuration."""
    made = context.express(receiver)
    if receiver.type == "class_literal":
        around = node.parent.parent if node.parent is not None else None
        configured = around is not None and _method(around) in ("put", "setProperty", "putIfAbsent")
        if context.in_class and made == words.name(context.around[-1].name):
            return f'"{made}"'  # the class is not there yet
        # A name of Kafka's class is asked for to be a value of the configuration.
        kafka = made.partition(".")[0] in context.kafka_classes
        return made if configured or (kafka and _method(node) == "getName") else f"{made}.__name__"
    if receiver.type != "method_invocation" or _method(receiver) != "getClass" or nodes:
        return None
    return made if _is_serde(receiver.child_by_field_name("object")) else f"{made}.__name__"


def _simple_name(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    if receiver.type == "class_literal":
        return _class_name(node, receiver, nodes, context)
    return f"{tightened(context.express(receiver))}.__name__"


def _is_serde(node: Node | None) -> bool:
    """Tell whether an expression is a serde, or half of one, by its words."""
    return any(word in text(node).lower() for word in ("serde", "serializer"))


def _get_class(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    # A serde's class is a value of the configuration; the serde itself is one, too.
    if not _is_serde(receiver):
        return None
    inside = receiver.type == "method_invocation" and context.kafka_owner(receiver)
    return context.express(receiver) if inside else None


def _get_key(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    if kind(receiver, context) not in ("Entry", "Map.Entry") or nodes:
        return None
    return f"{context.express(receiver)}[{0 if _method(node) == 'getKey' else 1}]"


SPECIAL: dict[str, Callable[[Node, Node, list[Node], Context], str | None]] = {
    "?.split": _split, "Pattern.compile": _compile, "Arrays.asList": _as_list,
    "String.join": _join, "List.of": _as_list, "Set.of": mappings.set_of,
    "Map.of": mappings.map_of, "ImmutableMap.of": mappings.map_of,
    "String.format": printing.formatted, "?.formatted": printing.formatted,
    "System.out.printf": printing.printf, "LoggerFactory.getLogger": printing.logger,
    "LogManager.getLogger": printing.logger, "Logger.getLogger": printing.logger,
    "?.getName": _class_name, "?.getCanonicalName": _class_name, "?.getSimpleName": _simple_name,
    "?.getClass": _get_class, "?.getKey": _get_key, "?.getValue": _get_key,
    **{f"?.{each}": printing.log for each in ("info", "warn", "error", "debug", "trace")},
    **{f"?.{each}": printing.log for each in ("atInfo", "atWarn", "atError", "atDebug")},
    "?.remove": lists.remove, "?.subList": lists.part, "?.iterator": lists.iterator,
    "?.computeIfAbsent": mappings.compute_if_absent, "?.removeIf": mappings.remove_if,
    "?.sort": comparators.sort, "Collections.sort": comparators.sort,
    "?.merge": mappings.merge, "?.compute": mappings.compute,
    "?.computeIfPresent": mappings.compute, "?.replaceAll": _replace_all, "?.matches": _matches,
    "Boolean.valueOf": _boolean, "Boolean.parseBoolean": _boolean, "String.valueOf": _value_of,
    **dict.fromkeys(arithmetic.READS, arithmetic.read),
    "Objects.requireNonNull": texts.required,
    **dict.fromkeys(sequences.COUNTED, sequences.counted),
    "Boolean.toString": _value_of, "Double.toString": _of_double,
    "?.hashCode": _hash_code, "Objects.hash": _hash_code,
    **dict.fromkeys(environment.TEMPORARY, environment.temporary),
    "System.getenv": environment.variable,
    **{f"?.{each}": environment.path
       for each in ("getAbsolutePath", "toAbsolutePath", "getPath", "toFile")},
    **{f"?.{each}": times.shifted for each in times.SHIFTS},
    "?.plus": times.moved, "?.minus": times.moved, "Duration.of": times.of_unit,
    **dict.fromkeys(times.TO_UNITS, times.of_time_unit),
    "?.getTime": times.of_date, "?.toString": texts.to_string, "?.getBytes": texts.to_bytes,
    "Arrays.deepToString": texts.to_string, "System.out.println": printing.println,
    "System.err.println": printing.println,
    "System.getProperty": environment.of_system,
    "Arrays.hashCode": _hash_code, "Objects.hashCode": _hash_code,
    "Math.max": arithmetic.extreme, "Math.min": arithmetic.extreme,
    **{f"EnumSet.{each}": ordered.enum_set for each in ("of", "noneOf", "allOf")},
    "?.equalsIgnoreCase": texts.ignoring_case,
}  # fmt: skip
