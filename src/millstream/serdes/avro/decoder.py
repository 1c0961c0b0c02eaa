"""Decoders: a Python function generated for two schemas and a type, from bytes to objects."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from millstream.serdes.avro.code import Code
from millstream.serdes.avro.logical import reader_of
from millstream.serdes.avro.records import NamedRecord
from millstream.serdes.avro.resolution import Resolution
from millstream.serdes.avro.schema import RECORDS, AvroSchema, kind_of, logical_of, name_of
from millstream.serdes.avro.targets import ANY, DecodingTarget, Making, target_of
from millstream.serdes.avro.wire import Malformed, count_empty, int_rest, long_rest, truth


@lru_cache(maxsize=512)
def decoder(writer: AvroSchema, reader: AvroSchema, wanted: Any) -> Callable[[bytes], Any]:
    """Return the function from bytes to an object.

    Args:
        writer: The schema that the bytes were written with.
        reader: The schema of the object; the writer's if nothing has changed.
        wanted: The class of the object; None for dicts.

    It raises ``Malformed``, ``IndexError``, ``struct.error`` or ``ValueError`` for bytes that are
    not the writer's, and ``Malformed`` for a part that the reader's schema has no place for.
    """
    generator = _Generator(Resolution(writer, reader))
    code = generator.code
    with code.block("def decode(data, at=0)"):
        code.line("end = len(data)")
        value = generator.outermost(target_of(wanted, reader))
        with code.block("if at != end"):
            code.line('raise Malformed(f"{end - at} bytes are left over")')
        code.line(f"return {value}")
    found: Callable[[bytes], Any] = generator.finished()["decode"]
    return found


class _Generator:
    def __init__(self, resolution: Resolution) -> None:
        self.code = Code()
        self.code.names |= {
            "Malformed": Malformed,
            "NamedRecord": NamedRecord,
            "count_empty": count_empty,
            "long_rest": long_rest,
            "int_rest": int_rest,
            "truth": truth,
            "unpack_float": struct.Struct("<f").unpack_from,
            "unpack_double": struct.Struct("<d").unpack_from,
        }
        self._resolution = resolution
        self._past = Resolution(resolution.writer, resolution.writer)
        self._records: dict[Any, str] = {}
        self._waiting: list[tuple[str, Resolution, Any, Any, Making]] = []

    def finished(self) -> dict[str, Any]:
        while self._waiting:
            name, self._resolution, written, wanted, plan = self._waiting.pop()
            with self.code.block(f"def {name}(data, at, end)"):
                self.code.line(f"return {self._fields(written, wanted, plan)}, at")
        return self.code.compiled(f"Avro decoder of {self._resolution.writer.name}")

    def outermost(self, target: DecodingTarget) -> str:
        """Add lines that read the whole; a record without a function of its own."""
        written, wanted = self._resolution.writer.root, self._resolution.reader.root
        plain = kind_of(written) in RECORDS and kind_of(wanted) in RECORDS
        if not plain or self._resolution.matching(written, wanted) is None:
            return self.read(written, wanted, target)
        plan = target.plan(wanted)
        if plan.convert is not None:
            return self.read(written, wanted, target)
        return self._fields(written, wanted, plan)

    def read(self, written: Any, wanted: Any, target: DecodingTarget) -> str:
        """Add lines that read a value of the writer's type at ``at``; return its variable."""
        written = self._resolution.writer.resolved(written)
        if kind_of(written) == "union":
            return self._union(written, wanted, target)
        match = self._resolution.matching(written, wanted)
        if match is None:
            reason = f"{name_of(written)} was written, and the reader's schema has no place for it"
            self.code.line(f"raise Malformed({reason!r})")
            return "None"
        plan = target.plan(match)
        value = self._value(written, match, plan)
        if plan.make is None and plan.convert is None and self._is_ambiguous(match, wanted):
            self.code.line(f"{value} = NamedRecord({match['name']!r}, {value})")
        if plan.convert is not None:
            self.code.line(f"{value} = {self.code.constant(plan.convert)}({value})")
        return value

    def _is_ambiguous(self, match: Any, wanted: Any) -> bool:
        """Tell whether a dict alone does not tell which record of a union it is."""
        wanted = self._resolution.reader.resolved(wanted)
        if kind_of(match) not in RECORDS or kind_of(wanted) != "union":
            return False
        branches = map(self._resolution.reader.resolved, wanted)
        return sum(kind_of(each) in RECORDS for each in branches) > 1

    def _value(self, written: Any, wanted: Any, plan: Making) -> str:
        kind = kind_of(written)
        if kind in RECORDS:
            value = self.code.fresh()
            name = self._function(written, wanted, plan)
            self.code.line(f"{value}, at = {name}(data, at, end)")
        elif kind in ("array", "map"):
            value = getattr(self, f"_{kind}")(written, wanted, plan.item)
        elif kind == "enum":
            value = self._enum(written, wanted)
        else:
            value = self._primitive(kind, written)
            self._promote(kind, kind_of(wanted), value)
            if (logical := logical_of(wanted)) is not None:
                read = self.code.constant(reader_of(logical, wanted))
                self.code.line(f"{value} = {read}({value})")
        return value

    def _function(self, written: Any, wanted: Any, plan: Making) -> str:
        key = (self._resolution is self._past, written["name"], wanted["name"], plan.key)
        if key not in self._records:
            self._records[key] = self.code.fresh("record")
            self._waiting.append((self._records[key], self._resolution, written, wanted, plan))
        return self._records[key]

    def _fields(self, written: Any, wanted: Any, plan: Making) -> str:
        """Add lines that read a record's fields; return the expression of the record."""
        pairs, missing = self._resolution.fields(written, wanted)
        values = {}
        for field, match in pairs:
            if match is None:
                self._read_past(field["type"])
            else:
                target = plan.fields.get(match["name"], ANY)
                values[match["name"]] = self.read(field["type"], match["type"], target)
        for field in missing:
            target = plan.fields.get(field["name"], ANY)
            values[field["name"]] = self._default(field, target, wanted)
        ordered = [(each["name"], values[each["name"]]) for each in wanted["fields"]]
        if plan.make is None:
            items = ", ".join(f"{name!r}: {value}" for name, value in ordered)
            return f"{{{items}}}"
        # The names of Avro are those of Python's variables, and words of Python got an underscore.
        assert all(plan.attributes[name].isidentifier() for name, _ in ordered)
        items = ", ".join(f"{plan.attributes[name]}={value}" for name, value in ordered)
        return f"{self.code.constant(plan.make)}({items})"

    def _default(self, field: Any, target: DecodingTarget, record: Any) -> str:
        if "default" not in field:
            reason = f'the field "{field["name"]}" of {record["name"]} was not written'
            self.code.line(f"raise Malformed({reason + ', and has no default'!r})")
            return "None"
        value, make = self.code.fresh(), target.default(self._resolution.reader, field)
        self.code.line(f"{value} = {self.code.constant(make)}()")
        return value

    def _read_past(self, node: Any) -> None:
        """Add lines that read a value which the reader does not want."""
        resolution, self._resolution = self._resolution, self._past
        self.read(node, node, ANY)
        self._resolution = resolution

    def _union(self, written: list[Any], wanted: Any, target: DecodingTarget) -> str:
        code, index, value = self.code, self._number("long"), self.code.fresh()
        head = "if"
        for place, branch in enumerate(written):
            with code.block(f"{head} {index} == {place}"):
                code.line(f"{value} = {self.read(branch, wanted, target)}")
            head = "elif"
        with code.block("else" if written else "if True"):
            code.line(f'raise Malformed(f"a union has no branch {{{index}}}")')
        return value

    def _array(self, written: Any, wanted: Any, item: DecodingTarget) -> str:
        value = self.code.fresh()
        self.code.line(f"{value} = []")
        with self._blocks(written["items"]):
            found = self.read(written["items"], wanted["items"], item)
            self.code.line(f"{value}.append({found})")
        return value

    def _map(self, written: Any, wanted: Any, item: DecodingTarget) -> str:
        value = self.code.fresh()
        self.code.line(f"{value} = {{}}")
        with self._blocks("string"):
            key = self._primitive("string", "string")
            found = self.read(written["values"], wanted["values"], item)
            self.code.line(f"{value}[{key}] = {found}")
        return value

    @contextmanager
    def _blocks(self, item: Any) -> Iterator[None]:
        code = self.code
        with code.block("while True"):
            count = self._number("long")
            with code.block(f"if {count} == 0"):
                code.line("break")
            with code.block(f"if {count} < 0"):
                code.line(f"{count} = -{count}")
                self._number("long")  # the block's size in bytes
            empty = _may_be_empty(self._resolution.writer, item, frozenset())
            if empty:
                code.line(f"count_empty(data, {count})")
            else:
                with code.block(f"if {count} > end - at"):
                    code.line(
                        f'raise Malformed(f"{{{count}}} items are announced, too few bytes left")'
                    )
            with code.block(f"for _ in range({count})"):
                yield

    def _enum(self, written: Any, wanted: Any) -> str:
        known = set(wanted["symbols"])
        symbols = [each if each in known else wanted.get("default") for each in written["symbols"]]
        index, value = self._number("int"), self.code.fresh()
        names, of = self.code.constant(tuple(symbols)), self.code.constant(written["symbols"])
        with self.code.block(f"if not 0 <= {index} < {len(symbols)}"):
            self.code.line(f'raise Malformed(f"an enum has no symbol {{{index}}}")')
        self.code.line(f"{value} = {names}[{index}]")
        if None in symbols:
            with self.code.block(f"if {value} is None"):
                self.code.line(
                    f'raise Malformed(f"the reader has no symbol {{{of}[{index}]}}, nor a default")'
                )
        return value

    def _primitive(self, kind: str, node: Any) -> str:
        code, value = self.code, self.code.fresh()
        if kind == "null":
            code.line(f"{value} = None")
        elif kind == "boolean":
            code.line(f"{value} = truth(data[at])\nat += 1")
        elif kind in ("int", "long"):
            return self._number(kind)
        elif kind in ("float", "double"):
            code.line(f"({value},) = unpack_{kind}(data, at)\nat += {4 if kind == 'float' else 8}")
        else:
            stop = code.fresh()
            size = node["size"] if kind == "fixed" else self._number("long")
            with code.block(f"if not 0 <= {size} <= end - at"):
                code.line(f'raise Malformed(f"{{{size}}} bytes are announced, {{end - at}} left")')
            code.line(f"{stop} = at + {size}")
            text = ".decode()" if kind == "string" else ""
            code.line(f"{value} = data[at:{stop}]{text}\nat = {stop}")
        return value

    def _number(self, kind: str) -> str:
        value = self.code.fresh()
        self.code.line(f"{value} = data[at]\nat += 1")
        more = self.code.fresh()
        with self.code.block(f"if {value} & 128"):
            self.code.line(f"{more} = data[at]")
            # Two bytes are so frequent that a call would be felt.
            with self.code.block(f"if {more} < 128"):
                self.code.line(f"{value} = {value} & 127 | {more} << 7\nat += 1")
            with self.code.block("else"):
                self.code.line(f"{value}, at = {kind}_rest(data, at, {value})")
        self.code.line(f"{value} = ({value} >> 1) ^ -({value} & 1)")
        return value

    def _promote(self, written: str, wanted: str, value: str) -> None:
        if written in ("int", "long") and wanted in ("float", "double"):
            self.code.line(f"{value} = float({value})")
        elif written == "string" and wanted == "bytes":
            self.code.line(f"{value} = {value}.encode()")
        elif written == "bytes" and wanted == "string":
            self.code.line(f"{value} = {value}.decode()")


def _may_be_empty(schema: AvroSchema, node: Any, inside: frozenset[str]) -> bool:
    """Tell whether a value of a type may have no bytes at all."""
    node = schema.resolved(node)
    kind = kind_of(node)
    if kind in RECORDS:
        if node["name"] in inside:
            return False
        inside |= {node["name"]}
        return all(_may_be_empty(schema, each["type"], inside) for each in node["fields"])
    return kind == "null" or (kind == "fixed" and node["size"] == 0)
