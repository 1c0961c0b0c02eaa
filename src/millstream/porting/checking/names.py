"""The classes that names in a source mean: imports, classes of the sources, full names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from millstream.porting.checking import api
from millstream.porting.checking.knowledge import differences
from millstream.porting.checking.typed import Typed
from millstream.porting.reading.syntax import (
    Class,
    Expression,
    Method,
    Name,
    Part,
    TypeName,
    Unit,
)


@dataclass(slots=True)
class Definitions:
    """All classes of the sources by plain name, and the functions of Kotlin files."""

    classes: dict[str, tuple[Class, FileNames]] = field(default_factory=dict)
    functions: dict[str, tuple[Method, FileNames]] = field(default_factory=dict)

    @classmethod
    def of(cls, units: Iterable[Unit]) -> Definitions:
        """Collect those of some files; of two classes with one name the first counts."""
        sources = cls()
        for unit in units:
            names = FileNames(unit, sources)
            for each in _all(unit.top):
                sources.classes.setdefault(each.name, (each, names))
            for method in unit.top.methods:
                sources.functions.setdefault(method.name, (method, names))
        return sources


def _all(holder: Class) -> Iterator[Class]:
    for each in holder.classes:
        yield each
        yield from _all(each)


class FileNames:
    """The names of one file."""

    def __init__(self, unit: Unit, sources: Definitions) -> None:
        self._sources = sources
        self._imported = {
            each.simple: each.name for each in unit.imports if not each.static and not each.wildcard
        }
        self._packages = [each.name for each in unit.imports if each.wildcard and not each.static]
        self._static = {each.simple: each.name for each in unit.imports if not each.wildcard}
        self._static_classes = [each.name for each in unit.imports if each.wildcard]
        self._own = {each.name for each in _all(unit.top)}
        self.uses_streams = any(each.name.startswith(api.STREAMS) for each in unit.imports) or (
            unit.package.startswith(api.STREAMS)
        )

    def class_name(self, written: str) -> str | None:
        """Return the full name of a class as it is written; None if it is no class known here.

        A class of the sources has its plain name.
        """
        first, _, rest = written.partition(".")
        if first in self._own:
            return written.rpartition(".")[2]
        if first in self._imported:
            full = self._imported[first] + ("." + rest if rest else "")
            if api.is_kafka(full):
                return full
            plain = full.rpartition(".")[2]
            return plain if plain in self._sources.classes else full
        if first[:1].islower() and rest:  # with its package
            return written if any(part[:1].isupper() for part in rest.split(".")) else None
        wild = [f"{package}.{written}" for package in self._packages]
        found = [full for full in wild if full in api.classes() or full in differences()]
        if found:  # two packages may have had it at different times: what is not gone counts
            return min(found, key=lambda full: full in differences())
        return written.rpartition(".")[2] if first in self._sources.classes else None

    def kafka(self) -> dict[str, str]:
        """Return the full names of the classes and members of Kafka that the file may name."""
        found = {n: full for n, full in self._imported.items() if api.is_kafka(full)}
        for package in self._packages:
            for full in api.classes():
                holder, _, name = full.rpartition(".")
                # Two packages may have had it at different times: what is not gone counts.
                gone = full in differences() and name in found
                if holder == package and name not in self._imported and not gone:
                    found[name] = full
        for owner in self._static_classes:
            facts = api.classes().get(owner, {"methods": {}, "fields": {}})
            found.update(dict.fromkeys((*facts["methods"], *facts["fields"]), owner))
        for name, full in self._static.items():
            owner = full.rpartition(".")[0]
            if api.is_kafka(full) and owner.rpartition(".")[2][:1].isupper():
                found.setdefault(name, owner)
        return {name: full for name, full in found.items() if name not in self._own}

    def typed(self, name: TypeName | None) -> Typed | None:
        """Return the type of a declaration; None for what is not known, as a type variable."""
        if name is None or not name.name or name.name in ("var", "val", "?"):
            return None
        arguments = tuple(self.typed(each) for each in name.arguments)
        if name.name == "[]":
            return Typed("[]", arguments)
        full = self.class_name(name.name)
        if full is not None:
            return Typed(full, arguments)
        if name.name.isupper() and len(name.name) <= 2:
            return None
        return Typed(name.name, arguments)

    def static_member(self, name: str) -> tuple[str, str] | None:
        """Return class and member of a name that was imported by itself."""
        if name in self._static:
            owner, _, member = self._static[name].rpartition(".")
            if owner.rpartition(".")[2][:1].isupper():
                return owner, member
        for owner in self._static_classes:
            if owner.rpartition(".")[2][:1].isupper() and api.declaring(owner, name):
                return owner, name
        return None


def dotted(node: Expression) -> str | None:
    """Return a name with dots as it is written; None for another expression."""
    if isinstance(node, Name):
        return node.text
    if isinstance(node, Part):
        before = dotted(node.receiver)
        return None if before is None else f"{before}.{node.name}"
    return None
