"""Encoders: a Python function generated for each schema, from data to bytes."""

from __future__ import annotations

import struct
import uuid
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from millstream.serdes.avro.classes import quick_fields
from millstream.serdes.avro.code import Code
from millstream.serdes.avro.logical import writer_of
from millstream.serdes.avro.schema import RECORDS, AvroSchema, kind_of, logical_of, name_of
from millstream.serdes.avro.wire import TABLE, Unready, int_bytes, long_bytes, small_numbers

_EXACT_TYPES: Mapping[str, type] = {
    "boolean": bool,
    "int": int,
    "long": int,
    "float": float,
    "double": float,
    "bytes": bytes,
    "string": str,
    "array": list,
    "map": dict,
    "record": dict,
    "error": dict,
}
"""Types that a union tells apart at a glance."""


@lru_cache(maxsize=256)
def encoder(schema: AvroSchema) -> Callable[[Any], bytes]:
    """Return the function from a datum to bytes.

    It takes what ``to_datum`` gives, and plain objects that need no conversion. For anything else
    it raises, most often ``Unready``: what is wrong, and where, is for ``to_datum`` to say.
    """
    generator = _Generator(schema)
    with generator.code.block("def encode(value)"):
        generator.code.line("out = bytearray()")
        generator.outermost("value")
        generator.code.line("return bytes(out)")
    found: Callable[[Any], bytes] = generator.finished()["encode"]
    return found


class _Generator:
    def __init__(self, schema: AvroSchema) -> None:
        self.code = Code()
        self.code.names |= {
            "Unready": Unready,
            "quick_fields": quick_fields,
            "SMALL": small_numbers(),
            "long_bytes": long_bytes,
            "int_bytes": int_bytes,
            "pack_float": struct.Struct("<f").pack,
            "pack_double": struct.Struct("<d").pack,
            "UUID": uuid.UUID,
        }
        self._schema = schema
        self._records: dict[str, str] = {}
        self._waiting: list[tuple[str, Mapping[str, Any]]] = []

    def finished(self) -> dict[str, Any]:
        while self._waiting:
            name, node = self._waiting.pop()
            with self.code.block(f"def {name}(value, out)"):
                self.fields(node)
        return self.code.compiled(f"Avro encoder of {self._schema.name}")

    def outermost(self, value: str) -> None:
        """Add lines for the whole; a record without a function of its own."""
        if kind_of(self._schema.root) in RECORDS:
            self.fields(self._schema.root)
        else:
            self.write(self._schema.root, value)

    def write(self, node: Any, value: str) -> None:
        """Add lines that append the bytes of a variable to ``out``."""
        node = self._schema.resolved(node)
        kind = kind_of(node)
        if kind in RECORDS:
            self.code.line(f"{self._function(node)}({value}, out)")
        elif kind in ("union", "array", "map", "enum", "fixed"):
            getattr(self, f"_{kind}")(node, value)
        else:
            self._primitive(kind, node, value)

    def _function(self, node: Mapping[str, Any]) -> str:
        full = node["name"]
        if full not in self._records:
            self._records[full] = self.code.fresh("record")
            self._waiting.append((self._records[full], node))
        return self._records[full]

    def fields(self, node: Mapping[str, Any]) -> None:
        """Add lines for the fields of the record ``value``."""
        code = self.code
        with code.block("if type(value) is not dict"):
            code.line("value = quick_fields(value)")
        # Another number of fields: defaults have to be filled in, or one is too many.
        with code.block(f"if len(value) != {len(node['fields'])}"):
            code.line("raise Unready")
        for field in node["fields"]:
            item = code.fresh()
            code.line(f"{item} = value[{field['name']!r}]")
            self.write(field["type"], item)

    def _union(self, node: list[Any], value: str) -> None:
        code = self.code
        branches = [self._schema.resolved(each) for each in node]
        if len(branches) == 2 and "null" in branches:
            self._nullable(branches, value)
            return
        kinds = [_EXACT_TYPES.get(kind_of(each)) for each in branches]
        head = "if"
        for place, branch in enumerate(branches):
            known = kinds[place]
            if kind_of(branch) == "null":
                test = f"{value} is None"
            elif known is not None and kinds.count(known) == 1 and not logical_of(branch):
                test = f"type({value}) is {known.__name__}"
            else:
                continue
            with code.block(f"{head} {test}"):
                code.line(f"out += {long_bytes(place)!r}")
                self.write(branch, value)
            head = "elif"
        with code.block(f"{head} type({value}) is not tuple"):
            code.line("raise Unready")
        with code.block("else"):
            name = code.fresh()
            code.line(f"{name}, {value} = {value}")
            head = "if"
            for place, branch in enumerate(branches):
                with code.block(f"{head} {name} == {name_of(branch)!r}"):
                    code.line(f"out += {long_bytes(place)!r}")
                    self.write(branch, value)
                head = "elif"
            with code.block("else" if branches else "if True"):
                code.line("raise Unready")

    def _nullable(self, branches: list[Any], value: str) -> None:
        code = self.code
        null = branches.index("null")
        with code.block(f"if type({value}) is tuple"):
            name = code.fresh()
            code.line(f"{name}, {value} = {value}")
            with code.block(
                f'if {name} != ("null" if {value} is None else {name_of(branches[1 - null])!r})'
            ):
                code.line("raise Unready")
        with code.block(f"if {value} is None"):
            code.line(f"out += {long_bytes(null)!r}")
        with code.block("else"):
            code.line(f"out += {long_bytes(1 - null)!r}")
            self.write(branches[1 - null], value)

    def _array(self, node: Mapping[str, Any], value: str) -> None:
        code, item = self.code, self.code.fresh()
        self._demand(f"type({value}) is not list")
        with code.block(f"if {value}"):
            self._number(f"len({value})", "long")
            with code.block(f"for {item} in {value}"):
                self.write(node["items"], item)
        code.line('out += b"\\0"')

    def _map(self, node: Mapping[str, Any], value: str) -> None:
        code, key, item = self.code, self.code.fresh(), self.code.fresh()
        self._demand(f"type({value}) is not dict")
        with code.block(f"if {value}"):
            self._number(f"len({value})", "long")
            # Equal dicts give equal bytes.
            with code.block(f"for {key}, {item} in sorted({value}.items(), key=first)"):
                self._text(key)
                self.write(node["values"], item)
        code.line('out += b"\\0"')
        code.names["first"] = lambda pair: pair[0]

    def _enum(self, node: Mapping[str, Any], value: str) -> None:
        places = {symbol: long_bytes(place) for place, symbol in enumerate(node["symbols"])}
        self.code.line(f"out += {self.code.constant(places)}[{value}]")

    def _fixed(self, node: Mapping[str, Any], value: str) -> None:
        self._converted(node, value)
        self._demand(f"type({value}) is not bytes or len({value}) != {node['size']}")
        self.code.line(f"out += {value}")

    def _primitive(self, kind: str, node: Any, value: str) -> None:
        code = self.code
        self._converted(node, value)
        if kind == "null":
            self._demand(f"{value} is not None")
        elif kind == "boolean":
            self._demand(f"{value} is not True and {value} is not False")
            code.line(f'out += b"\\1" if {value} else b"\\0"')
        elif kind in ("int", "long"):
            self._demand(f"type({value}) is not int")
            self._number(value, kind)
        elif kind in ("float", "double"):
            self._demand(f"type({value}) is not float and type({value}) is not int")
            code.line(f"out += pack_{kind}({value})")
        elif kind == "bytes":
            self._demand(f"type({value}) is not bytes")
            self._number(f"len({value})", "long")
            code.line(f"out += {value}")
        else:
            if logical_of(node) == "uuid":
                code.line(f"UUID({value})")
            self._text(value)

    def _converted(self, node: Any, value: str) -> None:
        """Add lines that turn an object of a logical type into a plain one."""
        logical = logical_of(node)
        if logical is not None:
            known, write = writer_of(logical, node)
            with self.code.block(f"if type({value}) is {self.code.constant(known)}"):
                self.code.line(f"{value} = {self.code.constant(write)}({value})")

    def _text(self, value: str) -> None:
        self._demand(f"type({value}) is not str")
        self.code.line(f"{value} = {value}.encode()")
        self._number(f"len({value})", "long")
        self.code.line(f"out += {value}")

    def _number(self, value: str, kind: str) -> None:
        number = value
        if not value.isidentifier():
            number = self.code.fresh()
            self.code.line(f"{number} = {value}")
        low = -TABLE if value.isidentifier() else 0
        self.code.line(
            f"out += SMALL[{number}] if {low} <= {number} < {TABLE} else {kind}_bytes({number})"
        )

    def _demand(self, failure: str) -> None:
        with self.code.block(f"if {failure}"):
            self.code.line("raise Unready")
