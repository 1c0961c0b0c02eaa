"""Rows of a store's table: its columns, and its entries as Arrow batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from millstream.core.errors import IllegalArgumentException, StreamsException
from millstream.core.headers import Headers, headers_from_pairs
from millstream.core.serdes.base import Serde, deserializer_call, serializer_call
from millstream.core.serdes.checks import deserializer_of, serializer_of
from millstream.core.serdes.identity import format_of
from millstream.topology.savepoints.manifest import SavepointManifest
from millstream.topology.savepoints.notes import note_of
from millstream.topology.savepoints.records import RowReader, StoredRecord
from millstream.topology.spark.checkpoint.store_notes import StoreNote
from millstream.topology.spark.frames.columns import (
    MOMENT,
    ONE_FORM,
    TEXT,
    arrow_column,
    reason_of,
    serde_named,
    stock_serde,
    times_column,
    type_of,
)

_RAW = ("unmatched records", "waiting records")
"""Types of stores whose values are an operator's own bytes."""
_MOST_ROWS, _MOST_BYTES = 4096, 4 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What the reader of a store says about its columns; empty texts say nothing."""

    key_serde: str = ""
    value_serde: str = ""
    key_type: str = ""
    value_type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreTable:
    """A store as a table: picklable, so that workers can read it."""

    store: str
    topic: str
    """The topic that its serdes are told."""
    note: StoreNote
    choice: Choice
    parts: tuple[str, ...]
    """The store and its parts, such as what a buffer has on disk."""

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Name and type of each column."""
        kind = self.note.type
        found = [("partition", "int"), ("key", self._type("key")), ("value", self._type("value"))]
        found.append(("timestamp", MOMENT))
        if kind in ("window", "session"):
            found += [("window_start", MOMENT), ("window_end", MOMENT)]
        if kind == "versioned":
            found += [("valid_from", MOMENT), ("valid_to", MOMENT)]
        return found

    @property
    def ddl(self) -> str:
        """The schema as Spark reads it."""
        return ", ".join(f"{name} {kind}" for name, kind in self.columns)

    def key_bytes(self, key: Any) -> bytes | None:
        """Return the bytes of each key that equals a value of the column; None if they differ."""
        serde = self.serde("key")
        if format_of(serde) not in ONE_FORM:
            return None
        call = serializer_call(serializer_of(serde, "keySerde"))
        try:
            return call(self.topic, Headers(), key)
        except Exception:  # noqa: BLE001 - a serde may raise anything
            return None

    def serde(self, role: str) -> Serde[Any]:
        """Return the serde of keys or values.

        Raises:
            IllegalArgumentException: It is not known.
        """
        is_key = role == "key"
        named = self.choice.key_serde if is_key else self.choice.value_serde
        if named:
            return serde_named(named, is_key=is_key)
        own_bytes = self.note.type in _RAW and not is_key
        if own_bytes or self.note.layout.get("subscriptions"):
            return serde_named("bytes", is_key=is_key)
        text = self.note.serdes.get(role, "")
        found = stock_serde(text, is_key=is_key)
        if found is None:
            raise IllegalArgumentException(
                f'the {role} serde of store "{self.store}" is not known',
                detail=f"It is {text}." if text else "The state does not say what it is.",
                hint=f"Name it with the option {role}Serde: string, long, json, bytes, or "
                "package.module:name.",
            )
        return found

    def batches(
        self,
        partition: int,
        rows: Iterable[tuple[bytes, bytes]],
        schema: pa.Schema,
        key: bytes | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Yield the entries of a partition as batches of the table.

        Args:
            partition: The partition.
            rows: Its rows, of the store and its parts.
            schema: The table's columns.
            key: The only key to read; None for all.

        Raises:
            StreamsException: An entry cannot be read, or does not fit its column.
        """
        records = RowReader(self.store, self.note).records(partition, rows)
        found = (
            self._versions(records)
            if self.note.type == "versioned"
            else ((r, None) for r in records)
        )
        kept = ((r, end) for r, end in found if key is None or r.key == key)
        reader = _Columns(self, schema)
        some: list[tuple[StoredRecord, int | None]] = []
        size = 0
        for record, end in kept:
            some.append((record, end))
            size += len(record.key) + len(record.value or b"")
            if len(some) >= _MOST_ROWS or size >= _MOST_BYTES:
                yield reader.batch(partition, some)
                some, size = [], 0
        if some:
            yield reader.batch(partition, some)

    @staticmethod
    def _versions(
        records: Iterable[StoredRecord],
    ) -> Iterator[tuple[StoredRecord, int | None]]:
        """Yield each version that has a value, with the time at which it ends."""
        last: dict[bytes, StoredRecord] = {}
        for record in records:
            before = last.get(record.key)
            if before is not None and before.value is not None:
                yield before, record.timestamp
            last[record.key] = record
        yield from ((record, None) for record in last.values() if record.value is not None)

    def _type(self, role: str) -> str:
        chosen = self.choice.key_type if role == "key" else self.choice.value_type
        return chosen or type_of(self.serde(role)) or TEXT


def table_of(manifest: SavepointManifest, store: str, choice: Choice, where: str) -> StoreTable:
    """Return the table of a store.

    Args:
        manifest: Of the savepoint, or what one would have.
        store: The store's name; empty if the state has only one.
        choice: What is said about its columns.
        where: Names the state in an error.

    Raises:
        IllegalArgumentException: There is no such store, or the meaning of its bytes is not known.
    """
    stores = manifest.stores
    named = sorted(name for name in stores if stores[name].note)
    if not store and len(named) == 1:
        store = named[0]
    if store not in stores:
        raise IllegalArgumentException(
            f'{where} has no store "{store}"' if store else f"no store of {where} is named",
            detail=f"It has: {', '.join(sorted(stores)) or 'none'}.",
            hint="Name one of them: the option store.",
        )
    note = note_of(manifest, store)
    if note is None:
        raise IllegalArgumentException(
            f'the bytes of store "{store}" cannot be read',
            detail=f"{where} does not say what type of store it is.",
            hint="Start the application once with this version, and read its state again.",
        )
    parts = [
        name
        for name, each in stores.items()
        if name == store
        or (not each.note and name.startswith(store) and note_of(manifest, name) == note)
    ]
    topic = f"{manifest.application_id}-{store}-changelog"
    return StoreTable(store=store, topic=topic, note=note, choice=choice, parts=tuple(parts))


class _Columns:
    """Maker of batches of one table."""

    def __init__(self, table: StoreTable, schema: pa.Schema) -> None:
        self._table = table
        self._schema = schema
        self._read = {
            role: deserializer_call(deserializer_of(table.serde(role), f"{role}Serde"))
            for role in ("key", "value")
        }

    def batch(
        self, partition: int, found: Sequence[tuple[StoredRecord, int | None]]
    ) -> pa.RecordBatch:
        records = [record for record, _ in found]
        windows = [record.window or (None, None) for record in records]
        times = [record.timestamp for record in records]
        columns: dict[str, Any] = {
            "partition": lambda: pa.array([partition] * len(records), pa.int32()),
            "key": lambda: self._objects("key", [(r, r.key) for r in records]),
            "value": lambda: self._objects("value", [(r, r.value) for r in records]),
            "timestamp": lambda: times_column(times),
            "window_start": lambda: times_column([start for start, _ in windows]),
            "window_end": lambda: times_column([end for _, end in windows]),
            "valid_from": lambda: times_column(times),
            "valid_to": lambda: times_column([end for _, end in found]),
        }
        arrays = [columns[name]() for name in self._schema.names]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _objects(self, role: str, cells: Sequence[tuple[StoredRecord, bytes | None]]) -> pa.Array:
        read, topic = self._read[role], self._table.topic
        objects = []
        for record, data in cells:
            headers = headers_from_pairs(record.headers)
            try:
                objects.append(None if data is None else read(topic, headers, data))
            except Exception as error:
                raise StreamsException(
                    f'cannot read a {role} of store "{self._table.store}"',
                    detail=f"{reason_of(error)}; its bytes are 0x{(data or b'')[:32].hex()}.",
                    hint=f"Name another serde with the option {role}Serde.",
                ) from error
        kind = self._schema.field(role).type
        return arrow_column(objects, kind, f'a {role} of store "{self._table.store}"')
