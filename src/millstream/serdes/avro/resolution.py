"""Schema resolution: which of a reader's types a writer's type becomes.

Source: Avro specification, "Schema Resolution".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from millstream.serdes.avro.schema import NAMED, RECORDS, AvroSchema, kind_of

_PROMOTIONS: Mapping[str, frozenset[str]] = {
    "int": frozenset({"long", "float", "double"}),
    "long": frozenset({"float", "double"}),
    "float": frozenset({"double"}),
    "string": frozenset({"bytes"}),
    "bytes": frozenset({"string"}),
}

Field = Mapping[str, Any]


class Resolution:
    """Two schemas, and what of the one matches what of the other."""

    def __init__(self, writer: AvroSchema, reader: AvroSchema) -> None:
        self.writer = writer
        self.reader = reader
        self._same = writer == reader

    def matching(self, written: Any, wanted: Any) -> Any:
        """Return the reader's type for a writer's type that is no union; None if there is none."""
        wanted = self.reader.resolved(wanted)
        if kind_of(wanted) != "union":
            # As in Java, the name of a record counts only among several.
            both = kind_of(written) in RECORDS and kind_of(wanted) in RECORDS
            fits = both or self._exact(written, wanted) or _promoted(written, wanted)
            return wanted if fits else None
        branches = [self.reader.resolved(each) for each in wanted]
        exact = [each for each in branches if self._exact(written, each)]
        if len(exact) > 1:
            full = [each for each in exact if _name(each) == _name(written)]
            exact = full or exact
        if not exact and kind_of(written) in RECORDS:
            records = [each for each in branches if kind_of(each) in RECORDS]
            exact = records if len(records) == 1 else []
        promoted = [each for each in branches if _promoted(written, each)]
        return next(iter(exact + promoted), None)

    def fields(
        self, written: Mapping[str, Any], wanted: Mapping[str, Any]
    ) -> tuple[Iterator[tuple[Field, Field | None]], list[Field]]:
        """Return the writer's fields with the reader's, and those that only the reader has."""
        by_name = {each["name"]: each for each in wanted["fields"]}
        aliases = {alias: each for each in wanted["fields"] for alias in each.get("aliases", ())}
        pairs: list[tuple[Field, Field | None]] = []
        found = set()
        for field in written["fields"]:
            match = by_name.get(field["name"])
            if match is None and (other := aliases.get(field["name"])) is not None:
                # An alias does not take the place of a field that the writer has.
                names = {each["name"] for each in written["fields"]}
                match = None if other["name"] in names else other
            if match is not None and match["name"] in found:
                match = None
            if match is not None:
                found.add(match["name"])
            pairs.append((field, match))
        return iter(pairs), [each for each in wanted["fields"] if each["name"] not in found]

    def _exact(self, written: Any, wanted: Any) -> bool:
        kind = kind_of(written)
        if kind != kind_of(wanted) and not (kind in RECORDS and kind_of(wanted) in RECORDS):
            return False
        if kind == "fixed" and written["size"] != wanted["size"]:
            return False
        return self._same_name(written, wanted) if kind in NAMED else True

    def _same_name(self, written: Any, wanted: Any) -> bool:
        if self._same:
            return bool(written["name"] == wanted["name"])
        short = written["name"].rpartition(".")[2]
        aliases = wanted.get("aliases", ())
        return (
            short == wanted["name"].rpartition(".")[2]
            or written["name"] in _full(aliases, wanted["name"])
            or short in aliases
        )


def _full(aliases: Any, name: str) -> set[str]:
    space = name.rpartition(".")[0]
    return {alias if "." in alias or not space else f"{space}.{alias}" for alias in aliases}


def _promoted(written: Any, wanted: Any) -> bool:
    return kind_of(wanted) in _PROMOTIONS.get(kind_of(written), ())


def _name(node: Any) -> Any:
    return node.get("name") if isinstance(node, Mapping) else None
