"""Null and booleans in texts, and regular expressions, as Java has them."""

from __future__ import annotations

import json
import re

from tree_sitter import Node

from millstream.porting.drafting import words
from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.drafting.generics import OF_ENTRIES, OF_LISTS, OF_MAPS, OF_NEAR
from millstream.porting.drafting.kinds import FLOATS, TEXTS, WHOLE, kind
from millstream.porting.drafting.layout import tightened
from millstream.porting.reading.nodes import bare, inner, text

PRIMITIVE = ("int", "long", "short", "byte", "char", "")
BOOLEANS = ("boolean", "Boolean")
# What a map, a list or a store may well have no value for.
MAY_BE_NULL = (
    *OF_MAPS, *OF_ENTRIES, *OF_LISTS, *(f"{each}Key" for each in OF_NEAR), "getenv", "getProperty",
)  # fmt: skip
BUILDERS = ("StringBuilder", "StringBuffer")
TEXT_BUILDER = '''
class TextBuilder:
    """A text that changes, as Java's StringBuilder."""

    def __init__(self, text=""):
        self.text = str(text)

    def __len__(self):
        return len(self.text)

    def __str__(self):
        return self.text

    def append(self, value):
        return self.replace(len(self), len(self), value)

    def insert(self, at, value):
        return self.replace(at, at, value)

    def replace(self, start, end, value=""):
        if not 0 <= start <= min(end, len(self)):
            raise IndexError(f"start {start}, end {end}, length {len(self)}")
        self.text = self.text[:start] + text_of(value) + self.text[end:]
        return self

    def reverse(self):
        self.text = self.text[::-1]
        return self

    def setLength(self, length):
        self.text = self.text[:length].ljust(length, "\\0")
'''
# By method and number of arguments, on a builder {o}.
OF_BUILDERS = {
    ("append", 1): "{o}.append({all})", ("insert", 2): "{o}.insert({all})",
    ("reverse", 0): "{o}.reverse()", ("setLength", 1): "{o}.setLength({0})",
    ("deleteCharAt", 1): "{o}.replace({0}, {0} + 1)", ("delete", 2): "{o}.replace({0}, {1})",
    ("setCharAt", 2): "{o}.replace({0}, {0} + 1, {1})", ("replace", 3): "{o}.replace({all})",
    ("length", 0): "len({o})", ("isEmpty", 0): "not len({o})", ("toString", 0): "str({o})",
    ("charAt", 1): "str({o})[{0}]", ("indexOf", 1): "str({o}).find({0})",
    ("substring", 1): "str({o})[{0}:]", ("substring", 2): "str({o})[{0}:{1}]",
}  # fmt: skip
CLASSES_OF_SIGNS = re.compile(r"\\[wWdDsSbB]")
TEXT_OF = '''
def text_of(value):
    """Write a value as Java does: null, true, 1.0E10, [a, b], {a=1}, Place[x=1]."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float):
        if not math.isfinite(value):
            return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
        if value == 0 or 1e-3 <= abs(value) < 1e7:
            return str(value)
        tried = (f"{value:.{digits}E}".split("E") for digits in range(1, 18))
        return next(f"{a}E{int(b)}" for a, b in tried if float(f"{a}E{b}") == value)
    if isinstance(value, type({}.items())):
        return f"[{', '.join(f'{text_of(key)}={text_of(each)}' for key, each in value)}]"
    if isinstance(value, (list, tuple, set, frozenset, type({}.keys()), type({}.values()))):
        return f"[{', '.join(map(text_of, value))}]"
    if isinstance(value, dict):
        pairs = (f"{text_of(key)}={text_of(each)}" for key, each in value.items())
        return f"{{{', '.join(pairs)}}}"
    made = getattr(type(value), "__dataclass_params__", None)
    if made is not None and type(value).__str__ is object.__str__:
        names = value.__dataclass_fields__
        pairs = ", ".join(f"{name}={text_of(getattr(value, name))}" for name in names)
        left, right = "[]" if made.frozen else "()"  # of a record, or of a class of Lombok
        return f"{type(value).__name__}{left}{pairs}{right}"
    return str(value)
'''
REQUIRED = '''
def required(value, message="null"):
    """Return a value that must not be null."""
    if value is None:
        raise TypeError(message() if callable(message) else message)
    return value
'''
SAME_LETTERS = '''
def same_letters(a, b):
    """Tell whether two texts are the same in small letters; none is the same as None."""
    return b is not None and a.lower() == b.lower()
'''
TEXT_FROM = '''
def text_from(value):
    """Return a text of bytes, of signs or of another text."""
    return value.decode() if isinstance(value, (bytes, bytearray)) else "".join(value)
'''
ADDED = '''
def added(a, b):
    """Add as Java does: if one of them is a text, both are written, null as well."""
    return text_of(a) + text_of(b) if isinstance(a, str) or isinstance(b, str) else a + b
'''
# Whose texts Python writes as Java does.
PLAIN = (*TEXTS, *WHOLE, "UUID", "Instant", "Duration", "BigInteger", "Bytes", "Headers")


def shown(node: Node, made: str, context: Context) -> str:
    """Return what stands in a text for a value: null, booleans, doubles as Java writes them."""
    null = node.type == "identifier" and text(node) in context.nullable
    null = null or may_be_null(node) or _is_a_field(node, context)
    if not null and _plain(kind(node, context), context):
        return made
    return f"{text_of(context)}({made})"


def may_be_null(node: Node) -> bool:
    """Tell whether a value is null, or what a map, a list or a store may have none for."""
    called = node.type == "method_invocation" and _name(node) in MAY_BE_NULL
    return called or node.type == "null_literal"


def _is_a_field(node: Node, context: Context) -> bool:
    """Tell whether a value is an object's field, or its getter, which may well be null."""
    name, around = text(node), context.around[-1] if context.around else None
    if kind(node, context) in PRIMITIVE:
        return False
    if node.type == "identifier":
        own = around if context.local(name) is None else None
        return own is not None and name in own.fields and name not in own.static_fields
    of = node.child_by_field_name("object")
    if node.type == "field_access":
        field = text(node.child_by_field_name("field"))
        own = context.known(kind(of, context)) or around
        return not field.isupper() and own is not None and field in own.fields
    if node.type != "method_invocation" or inner(node.child_by_field_name("arguments")):
        return False
    own = around if of is None else context.known(kind(of, context))
    return own is not None and _name(node) in own.accessors


def required(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str:
    """Return ``Objects.requireNonNull(x, "message")``."""
    context.helpers.add("required")
    return f"required({', '.join(context.express(each) for each in nodes)})"


def ignoring_case(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``a.equalsIgnoreCase(b)``, which is false where b is null."""
    if len(nodes) != 1:
        return None
    held, given = context.express(receiver), context.express(nodes[0])
    if nodes[0].type == "string_literal":
        return f"{tightened(held)}.lower() == {tightened(given)}.lower()"
    context.helpers.add("same_letters")
    return f"same_letters({held}, {given})"


def text_of(context: Context) -> str:
    """Return the name of the function that writes any value as Java does."""
    context.helpers.add("text_of")
    context.use("math")
    return "text_of"


def added(left: Node, right: Node, context: Context) -> str | None:
    """Return a sum of two values that may be texts or numbers; None if they are known."""
    known = [_is_known(side, context) for side in (left, right)]
    if all(known) or (any(known) and not _in_text(left, context)):
        return None
    context.helpers.add("added")
    text_of(context)
    return f"added({context.express(left)}, {context.express(right)})"


def _in_text(left: Node, context: Context) -> bool:
    """Tell whether a sum becomes a part of a text: then one of its sides may be a text, too."""
    around = left.parent.parent if left.parent is not None else None
    sums = around is not None and text(around.child_by_field_name("operator")) == "+"
    return sums and kind(around, context) in TEXTS


def _is_known(node: Node, context: Context) -> bool:
    """Tell whether a value is known to be a text or a number, or is a constant."""
    node = bare(node)
    if node.type == "binary_expression":
        sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
        sums = text(node.child_by_field_name("operator")) == "+"
        return not sums or any(side is not None and _is_known(side, context) for side in sides)
    if node.type in ("identifier", "field_access") and text(node).rpartition(".")[2].isupper():
        return True
    return kind(node, context) in (*TEXTS, *WHOLE, *FLOATS)


def _plain(held: str, context: Context) -> bool:
    if context.known(held) is not None:
        return False
    return held in PLAIN or held in context.kafka_classes


def as_text(node: Node, context: Context) -> str:
    """Return a value as a text."""
    made = context.express(node)
    written = shown(node, made, context)
    if kind(node, context) in TEXTS and written == made:
        return tightened(made)
    return written if written != made else f"str({made})"


def to_string(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``x.toString()``, or of a function of Java's that writes an array."""
    made = built(node, receiver, nodes, context)
    if made is not None or len(nodes) > 1:
        return made
    if text(receiver) in ("Arrays", "Objects") and nodes:
        return f"{text_of(context)}({context.express(nodes[0])})"
    held = kind(receiver, context)
    plain = nodes or receiver.type == "super" or _plain(held, context) or held in BUILDERS
    return None if plain else f"{text_of(context)}({context.express(receiver)})"


def built(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return a text that a new StringBuilder is given in parts, within one expression."""
    parts: list[Node] = []
    held: Node | None = receiver
    while held is not None and held.type == "method_invocation" and _name(held) == "append":
        given = inner(held.child_by_field_name("arguments"))
        if len(given) != 1:
            return None
        parts.insert(0, given[0])
        held = held.child_by_field_name("object")
    if held is None or held.type != "object_creation_expression" or not parts:
        return None
    if text(held.child_by_field_name("type")) not in ("StringBuilder", "StringBuffer"):
        return None
    parts = [*inner(held.child_by_field_name("arguments"))[:1], *parts]
    return " + ".join(as_text(each, context) for each in parts)


def builder(nodes: list[Node], context: Context) -> str:
    """Return ``new StringBuilder(...)``, whose number would be a size only."""
    context.helpers.add("TextBuilder")
    text_of(context)
    given = [context.express(each) for each in nodes if kind(each, context) not in WHOLE]
    return f"TextBuilder({', '.join(given)})"


CHARSETS = {
    "UTF_8": "", "UTF-8": "", "ISO_8859_1": '"latin-1"', "ISO-8859-1": '"latin-1"',
    "UTF_16BE": '"utf-16-be"', "UTF_16LE": '"utf-16-le"',
}  # fmt: skip


def charset(nodes: list[Node]) -> str:
    """Return a charset that is given, in Python; "" for UTF-8."""
    if not nodes:
        return ""
    written = text(nodes[-1]).strip('"').rpartition("StandardCharsets.")[2]
    if written not in CHARSETS:
        raise UntranslatedError(nodes[-1], "a charset that is not known")
    return CHARSETS[written]


def to_bytes(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``s.getBytes(charset)``."""
    if kind(receiver, context) not in ("", *TEXTS) or len(nodes) > 1:
        return None
    return f"{tightened(context.express(receiver))}.encode({charset(nodes)})"


def _name(node: Node) -> str:
    return text(node.child_by_field_name("name"))


def pattern(made: str) -> str:
    """Return a regular expression, as a raw text where that reads better."""
    made = re.sub(r"\(\?<(?=[A-Za-z])", "(?P<", made)
    doubled = "\\\\" in made and not re.search(r"(?<!\\)\\(?:\\\\)*[^\\]", made)
    return "r" + made.replace("\\\\", "\\") if doubled else made


def flags(made: str) -> str:
    """Return the flags that make a pattern mean what it does in Java: signs of ASCII only."""
    plain = made.startswith(('"', 'r"')) and not CLASSES_OF_SIGNS.search(made)
    return "" if plain else ", flags=re.ASCII"


def replacement(node: Node, context: Context) -> str:
    """Return what replaces a match: groups are written otherwise in Python."""
    made = context.express(node)
    if node.type != "string_literal" or text(node).startswith('"""'):
        return made
    if "\\" not in made and "$" not in made:
        return made
    try:
        value = json.loads(words.string(node))
    except ValueError as error:
        raise UntranslatedError(node) from error
    parts = re.findall(r"\\.|\$\{\w+\}|\$\d|[^\\$]+", value, re.DOTALL)
    if "".join(parts) != value:
        raise UntranslatedError(node)
    return json.dumps("".join(_part(each) for each in parts), ensure_ascii=False)


def _part(part: str) -> str:
    if part.startswith("$"):
        return f"\\g<{part.strip('${}')}>"
    return part[1:].replace("\\", "\\\\") if part.startswith("\\") else part
