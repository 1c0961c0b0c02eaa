"""Decoder of many Avro records at once: field by field instead of record by record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from millstream.serdes.avro.code import Code
from millstream.serdes.avro.column_leaves import (
    Boolean,
    Bytes,
    DataRun,
    Enum,
    Floating,
    Int,
    Leaf,
    Long,
    Numbers,
    Text,
    Unsuited,
    longs,
)
from millstream.serdes.avro.logical import reader_of
from millstream.serdes.avro.schema import RECORDS, AvroSchema, kind_of, logical_of
from millstream.serdes.avro.targets import DecodingTarget, Making, target_of

FEWEST = 128
"""Fewer data are read faster one by one."""
SLICE = 4096
"""Data that are read together: columns of them stay in the processor's caches."""
_MOST_ITEMS = 64
"""Items of one array: they are read by their place in it."""
_MOST_MISSES = 3
"""Runs in a row that could not be read so: others will not be, either."""
_LEAVES: Mapping[str, Callable[[Sequence[Callable[[Any], Any]]], Leaf]] = {
    "int": Int,
    "long": Long,
    "boolean": Boolean,
    "bytes": Bytes,
    "string": Text,
}
Objects = Callable[[], list[Any]]


class Column(Protocol):
    """Reader of one field, or of the whole."""

    def read(self, data: DataRun, at: Numbers) -> tuple[Objects, Numbers]:
        """Return a function that makes the objects at places, and the next places."""


class ColumnDecoder:
    """Decoder of many data of one schema.

    It gives up where data that it has no way for come again and again.

    Args:
        writer: The schema of the data.
        reader: The schema of the objects; one with another meaning is not read by columns.
        wanted: The class of the objects; None for dicts.
    """

    def __init__(self, writer: AvroSchema, reader: AvroSchema, wanted: Any) -> None:
        same = writer == reader or writer.digest() == reader.digest()
        self._root = _root(reader, wanted) if same else None
        self._misses = 0

    def decoded(self, values: Sequence[bytes | None], start: int = 0) -> list[Any] | None:
        """Return the objects of data; None if they are to be read one by one.

        Args:
            values: The data; None is None.
            start: Bytes before the datum in each of them.
        """
        if self._root is None or len(values) < FEWEST or self._misses >= _MOST_MISSES:
            return None
        present = [each for each in values if each is not None]
        found: list[Any] = []
        try:
            for first in range(0, len(present), SLICE):
                found += _read(self._root, present[first : first + SLICE], start)
        except Exception:  # noqa: BLE001 - one by one, the first that fails is told
            self._misses += 1
            return None
        self._misses = 0
        if len(present) == len(values):
            return found
        each = iter(found)
        return [None if value is None else next(each) for value in values]


def _read(root: Column, values: Sequence[bytes], start: int) -> list[Any]:
    data = DataRun(values, start)
    objects, after = root.read(data, data.starts)
    if not np.array_equal(after, data.ends):
        raise Unsuited
    return objects()


@lru_cache(maxsize=256)
def _root(schema: AvroSchema, wanted: Any) -> Column | None:
    try:
        return _Planner(schema).record(schema.root, target_of(wanted, schema))
    except Unsuited:
        return None


class _Planner:
    """Plans how the types of a schema are read.

    Its methods raise ``Unsuited`` for maps, unions but with null, arrays of arrays or of records,
    and records inside themselves.
    """

    def __init__(self, schema: AvroSchema) -> None:
        self._schema = schema
        self._inside: list[str] = []

    def record(self, node: Any, target: DecodingTarget) -> Column:
        if kind_of(node) not in RECORDS or not node["fields"] or node["name"] in self._inside:
            raise Unsuited
        self._inside.append(node["name"])
        plan = target.plan(node)
        fields = [
            self.column(each["type"], plan.fields.get(each["name"], DecodingTarget()))
            for each in node["fields"]
        ]
        self._inside.pop()
        return _Record(fields, _builder([each["name"] for each in node["fields"]], plan))

    def column(self, node: Any, target: DecodingTarget) -> Column:
        node = self._schema.resolved(node)
        kind = kind_of(node)
        if kind == "union":
            branches = [self._schema.resolved(each) for each in node]
            if len(branches) != 2 or "null" not in branches:
                raise Unsuited
            null = branches.index("null")
            return _Nullable(self.column(branches[1 - null], target), null)
        if kind in RECORDS:
            return self.record(node, target)
        plan = target.plan(node)
        if kind == "array":
            item = self._schema.resolved(node["items"])
            return _Array(_leaf(item, plan.item.plan(item)), plan.convert)
        return _Single(_leaf(node, plan))


def _leaf(node: Any, plan: Making) -> Leaf:
    kind, logical = kind_of(node), logical_of(node)
    converts = [] if logical is None else [reader_of(logical, node)]
    if plan.convert is not None:
        converts.append(plan.convert)
    if kind == "enum":
        return Enum(converts, node["symbols"])
    if kind == "fixed":
        return Bytes(converts, node["size"])
    if kind in ("float", "double"):
        return Floating(converts, 4 if kind == "float" else 8)
    if kind not in _LEAVES:
        raise Unsuited
    return _LEAVES[kind](converts)


def _builder(names: Sequence[str], plan: Making) -> Callable[..., list[Any]]:
    """Return the function from columns to a record's objects."""
    code = Code()
    columns, values = ([code.fresh(kind) for _ in names] for kind in ("column", "value"))
    pairs = list(zip(names, values, strict=True))
    if plan.make is None:
        made = "{" + ", ".join(f"{name!r}: {value}" for name, value in pairs) + "}"
    else:
        items = ", ".join(f"{plan.attributes[name]}={value}" for name, value in pairs)
        made = f"{code.constant(plan.make)}({items})"
    if plan.convert is not None:
        made = f"{code.constant(plan.convert)}({made})"
    with code.block(f"def build({', '.join(columns)})"):
        rows = f"zip({', '.join(columns)}, strict=True)"
        code.line(f"return [{made} for {', '.join(values)}, in {rows}]")
    build: Callable[..., list[Any]] = code.compiled("Avro records of columns")["build"]
    return build


class _Record:
    def __init__(self, fields: Sequence[Column], build: Callable[..., list[Any]]) -> None:
        self._fields = fields
        self._build = build

    def read(self, data: DataRun, at: Numbers) -> tuple[Objects, Numbers]:
        columns = []
        for field in self._fields:
            objects, at = field.read(data, at)
            columns.append(objects)
        return lambda: self._build(*(objects() for objects in columns)), at


class _Single:
    def __init__(self, leaf: Leaf) -> None:
        self._leaf = leaf

    def read(self, data: DataRun, at: Numbers) -> tuple[Objects, Numbers]:
        columns, after = self._leaf.raw(data, at)
        return partial(self._leaf.objects, data, columns), after


class _Nullable:
    """Union with null, which is its branch ``null``."""

    def __init__(self, column: Column, null: int) -> None:
        self._column = column
        self._null = null

    def read(self, data: DataRun, at: Numbers) -> tuple[Objects, Numbers]:
        branch, after = longs(data, at)
        if bool(((branch < 0) | (branch > 1)).any()):
            raise Unsuited
        places = np.flatnonzero(branch != self._null)
        objects, after[places] = self._column.read(data, after[places])

        def spread() -> list[Any]:
            found: list[Any] = [None] * len(at)
            for place, each in zip(places.tolist(), objects(), strict=True):
                found[place] = each
            return found

        return spread, after


class _Array:
    """Array that is written as one block."""

    def __init__(self, leaf: Leaf, convert: Callable[[Any], Any] | None) -> None:
        self._leaf = leaf
        self._convert = convert

    def read(self, data: DataRun, at: Numbers) -> tuple[Objects, Numbers]:
        counts, after = longs(data, at)
        if bool(((counts < 0) | (counts > _MOST_ITEMS)).any()):
            raise Unsuited
        bounds = np.zeros(len(counts) + 1, np.int64)
        np.cumsum(counts, out=bounds[1:])
        filled = rows = np.flatnonzero(counts)
        flat: list[Numbers] = []
        place = 0
        while rows.size:
            columns, after[rows] = self._leaf.raw(data, after[rows])
            flat = flat or [np.empty(int(bounds[-1]), each.dtype) for each in columns]
            for whole, part in zip(flat, columns, strict=True):
                whole[bounds[rows] + place] = part
            place += 1
            rows = rows[counts[rows] > place]
        more, after[filled] = longs(data, after[filled])
        if bool(more.any()):
            raise Unsuited

        def lists() -> list[Any]:
            items = self._leaf.objects(data, flat) if flat else []
            found = [items[a:b] for a, b in pairwise(bounds.tolist())]
            return found if self._convert is None else list(map(self._convert, found))

        return lists, after
