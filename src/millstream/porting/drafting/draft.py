"""A first Python draft of a Java file, with a header that counts the places that are left."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tree_sitter import Node

from millstream.core.errors import IllegalArgumentException
from millstream.core.replaced_names import INSTEAD
from millstream.porting.checking.counterparts import python_class
from millstream.porting.checking.names import Definitions, FileNames
from millstream.porting.checking.tracker import Tracker
from millstream.porting.checking.verdicts import Status
from millstream.porting.drafting import (
    arithmetic,
    classes,
    data,
    decimals,
    expressions,
    formats,
    lists,
    lombok,
    mappings,
    optional,
    ordered,
    printing,
    sequences,
    statements,
    static_imports,
    texts,
    waiting,
    words,
)
from millstream.porting.drafting.context import ClassShape, Context
from millstream.porting.drafting.layout import MARK
from millstream.porting.drafting.members import annotations_of
from millstream.porting.drafting.near import Near
from millstream.porting.drafting.shapes import all_shapes
from millstream.porting.reading import java
from millstream.porting.reading.java import CLASSES
from millstream.porting.reading.nodes import inner, unread_lines
from millstream.porting.reading.sources import as_utf8
from millstream.porting.reading.syntax import Unit

SPLIT = '''
def split(text, pattern, limit=0):
    """Split as Java does: no empty texts at the end, and none before a first empty match."""
    compiled = re.compile(pattern, re.ASCII) if isinstance(pattern, str) else pattern
    parts, start = [], 0
    for found in compiled.finditer(text):
        if found.end() == 0:
            continue
        if 0 < limit <= len(parts) + 1:
            break
        parts.append(text[start : found.start()])
        start = found.end()
    if not parts:
        return [text]
    parts.append(text[start:])
    while limit == 0 and parts and not parts[-1]:
        parts.pop()
    return parts
'''
HASH_CODE = '''
def hash_code(text):
    """Return the hash code that Java's String has."""
    number, units = 0, text.encode("utf-16-le", "surrogatepass")
    for low, high in zip(units[::2], units[1::2]):
        number = (31 * number + (high << 8 | low)) & 0xFFFFFFFF
    return number - (1 << 32) if number >> 31 else number
'''
BRANCHES = '''
def branch_by(parts, *predicates):
    """Return a stream for each predicate, as KStream.branch() of earlier versions did."""
    for predicate in predicates:
        parts = parts.branch(predicate)
    return list(parts.noDefaultBranch().values())
'''
COPIED = '''
def copied_with(record, **changes):
    """Return a copy of a record with other values, as a builder that is made from it does."""
    made = deepcopy(record)
    for name, value in changes.items():
        setattr(made, name, value)
    return made
'''
HELPERS = {
    "branch_by": BRANCHES, "split": SPLIT, "text_of": texts.TEXT_OF, "hash_code": HASH_CODE,
    "added": texts.ADDED, "text_from": texts.TEXT_FROM, "required": texts.REQUIRED,
    "same_letters": texts.SAME_LETTERS,
    "BigDecimal": decimals.BIG_DECIMAL,
    **ordered.HELPERS, **lists.HELPERS, "TextBuilder": texts.TEXT_BUILDER,
    "remove_if": mappings.REMOVE_IF, "merged": mappings.MERGED, "computed": mappings.COMPUTED,
    "made_if_absent": mappings.MADE_IF_ABSENT,
    **formats.HELPERS,
    **optional.HELPERS, "to_map": sequences.TO_MAP, "grouped_by": sequences.GROUPED_BY,
    "copied_with": COPIED,
    "parse_int": arithmetic.PARSE_INT, "parse_double": arithmetic.PARSE_DOUBLE,
    "quotient": arithmetic.QUOTIENT, "remainder": arithmetic.REMAINDER, "fixed": printing.FIXED,
}  # fmt: skip
STANDARD = (
    "logging", "math", "os", "random", "re", "sys", "time", "uuid", "contextlib", "dataclasses",
    "enum", "typing", "bisect", "tempfile", "decimal", "fractions", "functools", "itertools",
    "copy",
)  # fmt: skip


# Names of classes of earlier versions that are those of other classes today.
EARLIER = {
    "Processor": "write process(record), and context.forward(record)",
    "MockProcessorContext": "write with that of processor.api",
}
# Python refuses some of them, and the layout uses one.
CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
# Libraries that turn objects into JSON.
# Packages whose classes are here under the same names, as far as they are here.
AS_HERE = (
    "java.", "javax.", "org.apache.kafka.", "io.confluent.kafka.", "org.springframework.kafka.",
    "org.apache.avro.", "org.rocksdb.",
)  # fmt: skip
JSON_OF_JAVA = (
    "com.fasterxml.jackson", "tools.jackson", "com.google.gson",
    "io.quarkus.kafka.client.serialization",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Draft:
    """A Python source, and the Java lines of what is left to do in it."""

    text: str
    left: tuple[int, ...]
    unread: tuple[int, ...] = ()
    """Lines that the parser found no sense in: what they say may be missing."""


def draft_file(path: Path) -> Draft:
    """Draft a Java file.

    Raises:
        IllegalArgumentException: It is no Java file, or cannot be read.
    """
    if path.suffix in (".kt", ".kts"):
        raise IllegalArgumentException(
            f'cannot draft "{path}"',
            detail="Drafts are made of Java, not of Kotlin.",
            hint="millstream port-check reads Kotlin and says for each use of Kafka Streams what to"
            " write. The names are the same here: port by hand, and compare the texts of"
            " topology.describe().",
        )
    if path.is_dir():
        raise IllegalArgumentException(
            f'cannot draft "{path}"',
            detail="It is a folder.",
            hint="Draft each .java file of it by itself; the others are read for its types.",
        )
    if path.suffix != ".java":
        raise IllegalArgumentException(
            f'cannot draft "{path}"',
            detail="Drafts are made of .java files.",
            hint="Port another language by hand, from the table of classes in docs/porting, and"
            " compare the texts of topology.describe().",
        )
    try:
        source = path.read_bytes()
    except OSError as error:
        raise IllegalArgumentException(
            f'cannot read "{path}"', detail=f"{error.strerror}."
        ) from error
    near = Near.of(path, source)
    return draft(source, path, near.shapes, near.units)


def draft(
    source: bytes,
    path: Path = Path("Program.java"),
    near: dict[str, ClassShape] | None = None,
    units: Sequence[Unit] = (),
) -> Draft:
    """Draft a Java source; the result is always valid Python.

    Args:
        source: The Java text.
        path: Its file, for the header.
        near: Classes of other files, whose getters become attributes.
        units: These files as read, whose methods tell what streams carry.

    Raises:
        IllegalArgumentException: An expression is nested too deeply.
    """
    readable = CONTROLS.sub(b" ", as_utf8(source).replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    try:
        unit = java.read(path, readable)
        whole = java.parse(readable)
        readable = static_imports.qualified(readable, whole, unit.imports, near or {})
        root = java.parse(readable)
        context = _context(root, [java.read(path, readable), *units], readable)
        beside = (near or {}).items()
        context.near = {name: shape for name, shape in beside if name not in context.shapes}
        body = _body(root, context)
    except RecursionError as error:
        raise IllegalArgumentException(
            f'cannot draft "{path}"', detail="An expression is nested too deeply."
        ) from error
    gone = _gone(context, readable.decode("utf-8", "replace"))
    # What the parser could not place is in no statement, or was guessed.
    unread = sorted({*unread_lines(root)} - {*context.left})
    head = _header(path, context, unread)
    made = "\n".join([*head, *_imports(context, gone), *body]).rstrip() + "\n"
    made = re.sub(r"\n{4,}", "\n\n\n", made).replace(MARK, "")
    made = re.sub(r"\n{3,}(?=    )", "\n\n", made)
    made = re.sub(r":\n\n(?=    )", ":\n", made)
    return _valid(made, [*context.left, *unread], tuple(unread), readable, path)


def _context(root: Node, units: list[Unit], source: bytes) -> Context:
    unit, definitions = units[0], Definitions.of(units)
    tracker = Tracker(unit, definitions)
    uses = tracker.run()
    names = FileNames(unit, definitions)
    context = Context(
        express=lambda node: expressions.express(node, context),
        state=lambda node: statements.block(node, context),
        step=lambda node: statements.statement(node, context),
        nested=lambda node: classes.declaration(node, context),
        define=lambda body, name, bases: classes.define(body, name, bases, context),
        kafka_calls={
            (use.line, use.column): use.owner
            for use in uses
            if use.kind == "call" and use.verdict.status is not Status.UNKNOWN
        },
        java_classes={
            each.simple
            for each in unit.imports
            if each.name.startswith(("java.", "javax.")) and python_class(each.simple) is None
        }.union(*(words.OF_PACKAGES.get(each.name, ()) for each in unit.imports if each.wildcard)),
        kafka_classes=names.kafka(),
        parameters=tracker.parameters,
        shapes=all_shapes(root),
        referred=set(re.findall(r"::\s*(\w+)", source.decode("utf-8", "replace"))),
        libraries=_libraries(unit),
        elsewhere={
            each.simple
            for each in unit.imports
            if not each.static and not each.wildcard and not each.name.startswith(AS_HERE)
            if python_class(each.simple) is not None
        },
        static_names={
            "*" if each.wildcard else each.simple for each in unit.imports if each.static
        },
        missing={
            (use.line, use.name): f"{use.shown} is missing here: {use.verdict.how}."
            for use in uses
            if use.kind == "call" and use.verdict.status is Status.MISSING
        },
    )
    context.waits = waiting.waits(root)
    context.function_names.update(context.shapes)
    if any(lombok.logs(annotations_of(node)) for node in inner(root) if node.type in CLASSES):
        context.declare("log", "Logger")
        context.use("logging")
    return context


def _libraries(unit: Unit) -> dict[str, tuple[int, str]]:
    """Return what a file imports from packages that do not begin as its own one does."""
    parts = unit.package.split(".")
    # Of com.example.shop the program's own part is com.example, of shop.model it is shop.
    named = 2 if len(parts[0]) == 2 or parts[0] in ("com", "org", "net", "edu", "gov") else 1
    own = ".".join(parts[:named]) + "."
    return {
        each.simple: (each.line, each.name.rpartition(".")[0])
        for each in unit.imports
        if unit.package and not each.wildcard and not f"{each.name}.".startswith(own)
    }


def _body(root: Node, context: Context) -> list[str]:
    lines: list[str] = []
    if context.local("log") is not None:
        lines.extend(["", "log = logging.getLogger(__name__)"])
    skipped = ("package_declaration", "import_declaration")
    ordered = iter(data.in_order([each for each in inner(root) if each.type in CLASSES]))
    for node in inner(root):
        if node.type in CLASSES:
            lines.extend(classes.declaration(next(ordered), context))
        elif node.type not in skipped:
            lines.extend(["", *statements.statement(node, context)])
    for shape in context.shapes.values():
        if "main" in shape.static_methods:
            context.use("sys")
            call = "main" if shape.loose else f"{shape.name}.main"
            given = "*sys.argv[1:]" if "main" in shape.spread else "sys.argv[1:]"
            lines.extend(["", "", 'if __name__ == "__main__":', f"    {call}({given})"])
            break
    for helper, source in HELPERS.items():
        if helper in context.helpers:
            lines = ["", *source.splitlines(), *lines]
    return lines


def _header(path: Path, context: Context, unread: list[int]) -> list[str]:
    count = len(context.left)
    places = f"{count} places are" if count != 1 else "1 place is"
    rows = [f'"""A draft of {path.name}, made by `millstream port`.', ""]
    if count:
        listed = ", ".join(str(at) for at in sorted(set(context.left)))
        rows.append(
            f"{places} left, each with the Java text above it. Lines of the Java file: {listed}."
        )
    elif not unread:
        rows.append("Nothing is left. Read it, and run it with TopologyTestDriver.")
    if unread:
        listed = ", ".join(map(str, unread))
        rows.append(f"The parser finds no sense in lines of the Java file: {listed}. What they say")
        rows.append("is missing here, or may be wrong. Does the Java compiler accept them?")
    return [*rows, '"""', "", "from __future__ import annotations", ""]


def _gone(context: Context, written: str) -> list[str]:
    """Return notes about classes that are not here or are others now, and about numbers.

    Each is a place that is left: where the Java source names the class first.
    """
    own = {*context.shapes, *context.near}
    notes = {
        name: f"millstream has no {name}; write {INSTEAD[name]}."
        for name in sorted((context.foreign & set(INSTEAD)) - own)
    }
    used = {name for package in context.imports for name in context.imports[package]} - own
    for name, how in EARLIER.items():
        full = context.kafka_classes.get(name, "")
        if name in used and full.endswith(f".processor.{name}"):
            notes[name] = f"this {name} is gone from Kafka Streams 4; {how}."
    for name in sorted((context.foreign & set(context.libraries)) - own - set(notes)):
        package = context.libraries[name][1]
        how = "; write JsonSerde.of(YourClass)" if package.startswith(JSON_OF_JAVA) else ""
        notes[name] = f"{name} is of {package}, which is not here{how}."
    rows: list[str] = []
    for note, at in context.told.items():
        context.left.append(at)
        rows.append(f"# Java, line {at}: {note}")
    for name, note in notes.items():
        context.foreign.discard(name)
        found = re.search(rf"\b{name}\b", written)
        at = written.count("\n", 0, found.start() if found else 0) + 1
        context.left.append(at)
        rows.append(f"# Java, line {at}: {note}")
    return rows


def _imports(context: Context, gone: list[str]) -> list[str]:
    rows: list[str] = []
    for group in (STANDARD, ("pytest",), ("millstream", "millstream.testing")):
        made: list[str] = []
        for module in sorted(set(group) & set(context.imports)):
            names = context.imports[module]
            if "" in names:
                made.append(f"import {module}")
            named = sorted(name for name in names if name)
            if len(named) > 4:
                made.extend([f"from {module} import (", *(f"    {n}," for n in named), ")"])
            elif named:
                made.append(f"from {module} import {', '.join(named)}")
        made.sort(key=lambda row: row.startswith("from ")) if group is STANDARD else None
        rows.extend([*made, ""] if made else [])
    rows.extend([*gone, ""] if gone else [])
    foreign = sorted(context.foreign - set(context.shapes))
    if foreign:
        rows.extend(
            [f"# Names of other files, to be ported and imported: {', '.join(foreign)}", ""]
        )
    return rows


def _valid(made: str, left: list[int], unread: tuple[int, ...], source: bytes, path: Path) -> Draft:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(made, str(path), "exec")
    except (SyntaxError, ValueError):
        # Not to happen; but a draft is valid Python always.
        rows = [f"# {row}".rstrip() for row in source.decode("utf-8", "replace").splitlines()]
        text = '"""A draft that could not be made."""\n\n' + "\n".join(rows)
        return Draft(text + '\n\nraise NotImplementedError("line 1")\n', (1,), (1,))
    return Draft(made, tuple(sorted(left)), unread)
