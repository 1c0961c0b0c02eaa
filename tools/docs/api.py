"""The reference of the API: every public class and function, by chapter."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import griffe

from tools.docs.docstrings import first_sentence, rendered
from tools.docs.markdown import FENCE, fenced
from tools.docs.surface import PublicName, counterpart, kafka_names, public_names

FOLDER = "reference/api/"

CHAPTERS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("dsl", "Streams and tables", ("millstream.topology",)),
    ("options", "Options of operators", ("millstream.topology.dsl.options",)),
    ("functions", "Functions of programs", ("millstream.topology.dsl.functions",)),
    ("running", "Running: KafkaStreams", ("millstream.topology.spark", "millstream.core")),
    ("windows", "Windows and time", ("millstream.core.windows", "millstream.core.timestamps")),
    ("processors", "Processors", ("millstream.core.processor", "millstream.core.record")),
    ("stores", "Stores", ("millstream.core.state", "millstream.stores")),
    ("queries", "Interactive queries", ("millstream.core.query", "millstream.core.metadata")),
    ("serdes", "Serdes of Kafka", ("millstream.core.serdes",)),
    ("formats", "Serdes of schema formats", ("millstream.serdes",)),
    ("configuration", "Configuration", ("millstream.core.config",)),
    ("handlers", "Exception handlers", ("millstream.core.handlers",)),
    ("metrics", "Metrics", ("millstream.core.metrics",)),
    ("assignment", "Task assignors", ("millstream.core.assignment", "millstream.topology.assign")),
    ("testing", "Tests", ("millstream.testing",)),
    (
        "plugins",
        "Plugins",
        (
            *("millstream.plugins", "millstream.core.buffers", "millstream.core.chunk"),
            *("millstream.core.chunk_processor", "millstream.core.store"),
        ),
    ),
)
"""File, title and homes of each chapter; the longest home that fits decides."""

ERRORS = ("millstream.core.errors",)
"""Homes that a reference of their own has."""

HEAD = """# API

Every public name, made from the code. Names are those of Kafka Streams, letter for letter;
[Java to Python](../../porting/classes.md) has the exceptions. Errors have a [page](../errors.md)
of their own.

| name | import from | |
|---|---|---|
"""


@dataclass(frozen=True)
class Entry:
    """One public name, as its source has it."""

    public: PublicName
    source: griffe.Object
    chapter: str

    @property
    def place(self) -> str:
        """Return its place in the folder of the reference."""
        return f"{self.chapter}.md#{self.public.name}"


def pages(root: Path) -> dict[str, str]:
    """Return the pages of the reference: path in the site to text."""
    entries = _entries(root)
    kafkas = kafka_names(root)
    uses = examples(root, [entry.public.name for entry in entries])
    found = {f"{FOLDER}index.md": HEAD + "\n".join(map(_row, entries)) + "\n"}
    known = {entry.public.name: entry for entry in entries}
    for file, title, _ in CHAPTERS:
        sections = [
            _section(entry, counterpart(entry.public.name, entry.public.home, kafkas), uses, known)
            for entry in entries
            if entry.chapter == file
        ]
        found[f"{FOLDER}{file}.md"] = f"# {title}\n\n" + "\n".join(sections)
    return found


@cache
def package(root: Path) -> griffe.Module:
    """Return the sources of the package, read once."""
    loaded = griffe.load("millstream", search_paths=[root / "src"], allow_inspection=False)
    assert isinstance(loaded, griffe.Module)
    return loaded


def source(root: Path, public: PublicName) -> griffe.Object:
    """Return what the source has for a public name."""
    below = f"{public.home}.{public.name}".removeprefix("millstream.")
    found: griffe.Object | griffe.Alias = package(root)[below]
    return found.final_target if isinstance(found, griffe.Alias) else found


def chapter_of(home: str) -> str:
    """Return the file of the chapter to which a module belongs."""
    fitting = [
        (len(prefix), file)
        for file, _, prefixes in CHAPTERS
        for prefix in prefixes
        # ``core.record`` stands for ``core.records`` and ``core.record_context``.
        if home.startswith(prefix)
    ]
    return max(fitting)[1]


def examples(root: Path, names: list[str]) -> Mapping[str, list[str]]:
    """Return the pages and programs in whose code each name stands, at most three."""
    places = [*sorted((root / "docs").rglob("*.md")), *sorted((root / "examples").glob("*.py"))]
    found: dict[str, list[str]] = defaultdict(list)
    wanted = set(names)
    for path in places:
        text = path.read_text(encoding="utf-8")
        shown = [b[0] for b in FENCE.finditer(text) if b["language"] == "python"]
        code = "\n".join(shown) if path.suffix == ".md" else text
        for name in set(re.findall(r"\b[A-Za-z_]\w+\b", code)) & wanted:
            found[name].append(path.relative_to(root).as_posix())
    return {name: where[:3] for name, where in found.items()}


def _entries(root: Path) -> list[Entry]:
    return [
        Entry(public, source(root, public), chapter_of(public.home))
        for public in public_names()
        if not public.home.startswith(ERRORS)
    ]


def _row(entry: Entry) -> str:
    said = first_sentence(entry.source.docstring).replace("|", "\\|").replace("<", "&lt;")
    return f"| [`{entry.public.name}`]({entry.place}) | `{entry.public.door}` | {said} |"


def _section(
    entry: Entry, java: str, uses: Mapping[str, list[str]], known: Mapping[str, Entry]
) -> str:
    public, found = entry.public, entry.source
    lines = [f"## `{public.name}` {{#{public.name}}}", ""]
    init = found.members.get("__init__") if isinstance(found, griffe.Class) else found
    signature = _signature(public.name, init) if isinstance(init, griffe.Function) else ""
    lines.append(fenced(f"from {public.door} import {public.name}\n{signature}", "python"))
    lines.append(rendered(found.docstring))
    origin = "millstream's own" if not java else f"Kafka: `{java}`"
    if java.startswith("Confluent."):
        origin = f"Confluent's `{public.name}` for Java"
    where = [f"[{each}]({_link(each)})" for each in uses.get(public.name, ())]
    lines.append(f"\n{origin}." + (f" Examples: {', '.join(where)}." if where else ""))
    if isinstance(found, griffe.Attribute):
        lines.append(f"\nAnother name of `{found.value}`.")
    if isinstance(found, griffe.Class):
        lines += _members(entry, found, known)
    return "\n".join(lines) + "\n"


def _link(name: str) -> str:
    page = name.removeprefix("docs/").replace("README.md", "index.md")
    return f"../../{page}" if name.startswith("docs/") else f"../../code/{name}.md"


def _members(entry: Entry, found: griffe.Class, known: Mapping[str, Entry]) -> Iterator[str]:
    bases = [
        base for base in _bases(found) if base.name in known and base.name != entry.public.name
    ]
    theirs = {name for base in bases for name in base.all_members}
    if bases:
        linked = ", ".join(f"[`{b.name}`]({known[b.name].place})" for b in bases)
        yield f"\nHas the members of {linked}, too."
    own = {name for name in found.members if not name.startswith("_")}
    members = [
        (name, member.final_target if isinstance(member, griffe.Alias) else member)
        for name, member in found.all_members.items()
        if not name.startswith("_") and (name in own or name not in theirs)
    ]
    plain = [(n, m) for n, m in members if isinstance(m, griffe.Attribute)]
    if plain:
        yield "\n" + "\n".join(_attribute(name, member) for name, member in plain)
    for name, member in members:
        if isinstance(member, griffe.Function):
            yield f"\n### `{name}` {{#{entry.public.name}.{name}}}\n"
            overloads = member.overloads or [member]
            yield fenced("\n".join(_signature(name, each) for each in overloads), "python")
            yield rendered(member.docstring)
        elif isinstance(member, griffe.Class):
            yield f"\n### `{entry.public.name}.{name}` {{#{entry.public.name}.{name}}}\n"
            yield rendered(member.docstring)


def _bases(found: griffe.Class) -> list[griffe.Class]:
    try:
        return found.mro()
    except (ValueError, griffe.GriffeError):
        return []


def _attribute(name: str, member: griffe.Attribute) -> str:
    value = str(member.value) if member.value is not None else ""
    shown = f" = `{value}`" if value and len(value) < 60 and "`" not in value else ""
    said = first_sentence(member.docstring).replace("<", "&lt;")
    return f"- `{name}`{shown}" + (f": {said}" if said else "")


def _signature(name: str, function: griffe.Function) -> str:
    parameters = [p for p in function.parameters if p.name not in ("self", "cls")]
    shown: list[str] = []
    last = None
    for parameter in parameters:
        if parameter.kind is griffe.ParameterKind.keyword_only and last not in (
            griffe.ParameterKind.keyword_only,
            griffe.ParameterKind.var_positional,
        ):
            shown.append("*")
        if (
            last is griffe.ParameterKind.positional_only
            and parameter.kind is not griffe.ParameterKind.positional_only
        ):
            shown.append("/")
        shown.append(_parameter(parameter))
        last = parameter.kind
    if last is griffe.ParameterKind.positional_only:
        shown.append("/")
    returned = f" -> {function.returns}" if function.returns is not None else ""
    line = f"{name}({', '.join(shown)}){returned}"
    if len(line) <= 100 or not shown:
        return line
    rows = "".join(f"    {each},\n" for each in shown)
    return f"{name}(\n{rows}){returned}"


def _parameter(parameter: griffe.Parameter) -> str:
    stars = {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}
    mark = stars.get(parameter.kind, "") if parameter.kind is not None else ""
    kind = f": {parameter.annotation}" if parameter.annotation is not None else ""
    if parameter.default is None or mark:
        return f"{mark}{parameter.name}{kind}"
    return f"{parameter.name}{kind}{' = ' if kind else '='}{parameter.default}"
