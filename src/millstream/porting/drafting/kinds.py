"""Simple types of Java expressions, as far as declarations and literals tell them."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.checking.counterparts import python_class
from millstream.porting.drafting import words
from millstream.porting.drafting.context import Context
from millstream.porting.drafting.generics import NamedType, counting, given_by
from millstream.porting.drafting.names import bases
from millstream.porting.reading.nodes import first, inner, text

TEXTS = ("String", "CharSequence", "char", "Character")
CHARS = ("char", "Character")
WHOLE = ("int", "long", "short", "byte", "Integer", "Long", "Short", "Byte")
FLOATS = ("double", "float", "Double", "Float")
SORTED_MAPS = ("TreeMap", "SortedMap", "NavigableMap", "ConcurrentSkipListMap", "EnumMap")
MAPS = ("Map", "HashMap", "LinkedHashMap", "ConcurrentHashMap", "Properties", *SORTED_MAPS)
SORTED_SETS = ("TreeSet", "SortedSet", "NavigableSet", "ConcurrentSkipListSet", "EnumSet")
SETS = ("Set", "HashSet", "LinkedHashSet", *SORTED_SETS)
QUEUES = (
    "Queue", "Deque", "ArrayDeque", "LinkedList", "PriorityQueue", "ConcurrentLinkedQueue",
    "ConcurrentLinkedDeque",
)  # fmt: skip
LISTS = ("List", "ArrayList", "Collection", *SETS, *QUEUES)
# How collections are called that a library has.
COLLECTIONS = ("List", "Set", "Map", "Queue", "Deque", "Collection", "Array")
# Of a test's topics and contexts.
GIVES_LIST = (
    "readKeyValuesToList", "readValuesToList", "readRecordsToList", "forwarded",
    "scheduledPunctuators",
)  # fmt: skip
COLLECTED = {
    "joining": "String", "toMap": "Map", "groupingBy": "Map", "toList": "List", "toSet": "Set",
}  # fmt: skip
GIVES = {"createInputTopic": "TestInputTopic", "createOutputTopic": "TestOutputTopic"}
BUILDING = ("append", "insert", "reverse", "delete", "deleteCharAt", "replace")
DECIMALS_GIVE = (
    "add", "subtract", "multiply", "divide", "remainder", "negate", "abs", "setScale", "max", "min",
    "stripTrailingZeros",
)  # fmt: skip
GIVES_TEXT = (
    "toLowerCase", "toUpperCase", "trim", "substring", "toString", "concat", "replace",
    "replaceAll", "format", "formatted", "valueOf", "strip", "getProperty", "name", "join",
    "getMessage",
)  # fmt: skip
GIVES_WHOLE = (
    "length", "size", "parseInt", "parseLong", "intValue", "longValue", "indexOf", "timestamp",
    "currentTimeMillis", "start", "end", "hashCode", "toMillis", "toSeconds", "toMinutes",
    "toHours", "toDays", "toEpochMilli", "getEpochSecond", "nextInt",
)  # fmt: skip


def simple(node: Node | None) -> str:
    """Return the simple name of a declared type: no package, no type arguments."""
    if node is None:
        return ""
    if node.type == "generic_type":
        made = NamedType(simple(inner(node)[0]))
        made.inside = tuple(simple(each) for each in inner(first(node, "type_arguments")))
        return made
    if node.type == "wildcard":
        return simple(next(reversed(inner(node)), None))
    if node.type == "array_type":
        return simple(node.child_by_field_name("element")) + "[]"
    if node.type == "annotated_type":
        return simple(inner(node)[-1])
    return text(node).rpartition(".")[2]


def kind(node: Node | None, context: Context) -> str:
    """Return the simple Java type of an expression, or "" if it is not known."""
    if node is None:
        return ""
    match node.type:
        case "string_literal":
            return "String"
        case "character_literal":
            return "char"
        case "true" | "false" | "instanceof_expression":
            return "boolean"
        case "unary_expression":
            negated = text(node.child_by_field_name("operator")) == "!"
            return "boolean" if negated else kind(node.child_by_field_name("operand"), context)
        case "decimal_integer_literal" | "hex_integer_literal" | "octal_integer_literal":
            return "int"
        case "decimal_floating_point_literal":
            return "double"
        case "parenthesized_expression":
            return kind(inner(node)[0], context)
        case "cast_expression":
            return simple(node.child_by_field_name("type"))
        case "array_creation_expression":
            return f"{simple(node.child_by_field_name('type'))}[]"
        case "object_creation_expression":
            return simple(node.child_by_field_name("type"))
        case "identifier":
            return _named(text(node), context)
        case "field_access":
            return _field(node, context)
        case "binary_expression":
            return _binary(node, context)
        case "ternary_expression":
            branches = [node.child_by_field_name(each) for each in ("consequence", "alternative")]
            found = [made for each in branches if (made := kind(each, context))]
            mixed = {*found} & {*FLOATS} and {*found} & {*WHOLE}
            return "double" if mixed else next(iter(found), "")
        case "method_invocation":
            return _called(node, context)
        case "array_access":
            return kind(node.child_by_field_name("array"), context).removesuffix("[]")
    return ""


def _named(java: str, context: Context) -> str:
    local = context.local(java)
    if local is not None:
        return local
    for shape in reversed(context.around):
        for held in (shape, *bases(shape, context)):
            if java in held.fields:
                return held.fields[java]
            for interface in map(context.known, held.interfaces):
                if interface is not None and java in interface.static_fields:
                    return interface.fields[java]
    return ""


def _field(node: Node, context: Context) -> str:
    held, name = node.child_by_field_name("object"), text(node.child_by_field_name("field"))
    if name == "this":
        return text(held)
    if text(held) == "this":
        return context.around[-1].fields.get(name, "") if context.around else ""
    known = kind(held, context)
    shape = context.known(known) or context.known(text(held))
    if name == "length" and (shape is None or name not in shape.fields):
        return "int"
    if shape is None and text(held) == "BigDecimal":
        return "BigDecimal"
    if shape is None and known == "KeyValue":
        return given_by(known, name)
    return shape.fields.get(name, "") if shape is not None else ""


def _binary(node: Node, context: Context) -> str:
    sides = [kind(node.child_by_field_name(side), context) for side in ("left", "right")]
    operator = text(node.child_by_field_name("operator"))
    if operator in ("==", "!=", "<", ">", "<=", ">=", "&&", "||"):
        return "boolean"
    if operator == "+" and any(side in ("String", "CharSequence") for side in sides):
        return "String"
    if any(side in FLOATS for side in sides):
        return "double"
    return "int" if all(side in (*WHOLE, *CHARS) for side in sides) else ""


def _called(node: Node, context: Context) -> str:
    name = text(node.child_by_field_name("name"))
    if node.child_by_field_name("object") is None:
        for shape in reversed(context.around):
            if name in shape.returns:
                return shape.returns[name]
            if shape.enum and name == "values":
                return f"{shape.name}[]"
    of = kind(node.child_by_field_name("object"), context)
    held = context.known(of)
    if held is None and (made := given_by(of, name)):
        return made
    shapes = context.all_known() if held is None else context.line(held)
    returns = () if held is None else (each.returns.get(name, "") for each in shapes)
    if made := next((each for each in returns if each), ""):
        return made
    static = context.known(text(node.child_by_field_name("object")))
    if static is not None and name in static.returns:
        return static.returns[name]
    owner = text(node.child_by_field_name("object"))
    if static is not None and static.enum and name in ("valueOf", "values"):
        return static.name if name == "valueOf" else f"{static.name}[]"
    if made := _of_static(owner, name, node):
        return made
    if (owner, name) == ("BigDecimal", "valueOf") or (of == "BigDecimal" and name in DECIMALS_GIVE):
        return "BigDecimal"
    found = {
        shape.fields.get(shape.accessors[name], "") for shape in shapes if name in shape.accessors
    }
    if len(found) == 1:
        return found.pop()
    if name in ("split", "charAt"):
        return "String[]" if name == "split" else "char"
    if of in ("StringBuilder", "StringBuffer") and name in BUILDING:
        return of
    if owner == "Math" and name in ("max", "min", "abs"):
        return _of_numbers(inner(node.child_by_field_name("arguments")), context)
    if owner == "Math" and name in (*words.OF_MATH, "floor", "ceil", "toRadians", "toDegrees"):
        return "double"
    if name == "toArray":
        return "Object[]"
    if name in GIVES:
        return GIVES[name]
    if owner == "Optional" or (of == "Optional" and name in ("map", "flatMap", "filter", "or")):
        return "Optional"
    chained = node.child_by_field_name("object")
    if name in ("findFirst", "findAny") or (
        name in ("max", "min") and chained is not None and chained.type == "method_invocation"
    ):
        return "Optional"
    if name in ("sum", "count") and chained is not None:
        return _of_stream(name, chained)
    if name in GIVES_LIST:
        return "List"
    if name == "collect":
        collector = text(next(iter(inner(node.child_by_field_name("arguments"))), None))
        way = collector.removeprefix("Collectors.").partition("(")[0]
        if way in COLLECTED:
            return COLLECTED[way]
    if name == "orElse":
        return kind(next(iter(inner(node.child_by_field_name("arguments"))), None), context)
    if name == "computeIfAbsent":
        given = inner(node.child_by_field_name("arguments"))
        return kind(given[-1].child_by_field_name("body"), context) if given else ""
    if name in GIVES_TEXT and not (name == "valueOf" and text(first(node)) != "String"):
        return "String"
    return "int" if name in GIVES_WHOLE else ""


def _of_static(owner: str, name: str, node: Node) -> str:
    """Return the type that a static method of Java's gives; "" if it is none of these."""
    if owner in WHOLE and name == "valueOf":
        return owner
    if owner in ("List", "Set", "Map") and name in ("of", "copyOf"):
        return owner
    if (owner, name) == ("System", "getenv"):
        return "String" if inner(node.child_by_field_name("arguments")) else "Map"
    if owner in ("IntStream", "LongStream") and name.startswith("range"):
        return counting()
    if (owner, name) == ("Arrays", "asList"):
        return "List"
    return ""


def _of_numbers(nodes: list[Node], context: Context) -> str:
    """Return the type of the largest of some numbers; "" if one of them is not known."""
    kinds = [kind(each, context) for each in nodes]
    if not all(each in (*WHOLE, *FLOATS) for each in kinds):
        return ""
    floats = any(each in FLOATS for each in kinds)
    return "double" if floats else next((each for each in kinds if each in ("long", "Long")), "int")


def _of_stream(name: str, chained: Node) -> str:
    """Return the type of the sum, or of the number, of what a stream has; "" if it is none."""
    steps: list[str] = []
    held: Node | None = chained
    while held is not None and held.type == "method_invocation":
        steps.append(text(held.child_by_field_name("name")))
        held = held.child_by_field_name("object")
    if name == "count":
        return "long" if "stream" in steps else ""
    mapped = [each for each in steps if each in ("mapToDouble", "mapToLong", "mapToInt")]
    return {"mapToDouble": "double"}.get(mapped[0], "long") if mapped else ""


def is_elsewhere(held: str, context: Context) -> bool:
    """Tell whether a class is one of the program or of a library that is not among the files."""
    if held in (*words.TYPES, *words.JDK, *context.java_classes, *context.kafka_classes):
        return False
    if context.known(held) is not None or python_class(held) is not None:
        return False
    # A type variable, an array, an error, a collection of a library.
    other = held.isupper() or held.endswith(("[]", "Exception", "Error", "Throwable", *COLLECTIONS))
    return held[:1].isupper() and not other
