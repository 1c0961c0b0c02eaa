"""The tables of evictions of KIP-328, row by row.

The text lets an update move its key to the update's own time. Kafka Streams, as released, leaves
it where the first update put it, and evicts by key bytes at equal times; rows that differ for that
reason say what the text has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from compat_tests.topology.running import Event, new_task, raw_chunk
from millstream import ContextualProcessor, Record, Serdes, Topology
from millstream.core.records import Change
from millstream.topology.dsl.suppress import SuppressionStoreBuilder
from millstream.topology.operators.suppress import Suppression, SuppressTable
from millstream.topology.operators.suppression_store import BufferKind
from millstream.topology.operators.table_settings import TableSettings

TEXT = Serdes.String()

LETTER = 1_000
"""Bytes that stand for one byte of the text, which counts values only."""
REST = 200
"""Room for all the rest that an entry counts for: key, coordinates, time."""

Held = tuple[str, str, int]


@dataclass(frozen=True)
class Row:
    """An update, what is then in the buffer, and what has been emitted."""

    update: Held
    buffer: Sequence[Held]
    emitted: Sequence[Held] = ()
    text: tuple[Sequence[Held], Sequence[Held]] | None = None
    """Buffer and emitted records in the KIP, where Kafka does something else."""


def two_keys() -> Suppression:
    return Suppression(store="held", wait_ms=1_000_000, max_records=2, emits_early=True)


def three_bytes() -> Suppression:
    size = 3 * LETTER + REST
    return Suppression(store="held", wait_ms=1_000_000, max_bytes=size, emits_early=True)


def two_milliseconds() -> Suppression:
    return Suppression(store="held", wait_ms=2)


TABLES: dict[str, tuple[Suppression, list[Row]]] = {
    "an update takes the place of the one before": (
        two_keys(),
        [
            Row(("A", "x", 0), [("A", "x", 0)]),
            Row(("A", "y", 1), [("A", "y", 1)]),
        ],
    ),
    "also if its time is earlier": (
        two_keys(),
        [
            Row(("A", "x", 1), [("A", "x", 1)]),
            Row(("A", "w", 0), [("A", "w", 0)]),
        ],
    ),
    "two keys": (
        two_keys(),
        [
            Row(("A", "w", 0), [("A", "w", 0)]),
            Row(("A", "x", 1), [("A", "x", 1)]),
            Row(("B", "y", 2), [("A", "x", 1), ("B", "y", 2)]),
            Row(("C", "z", 3), [("B", "y", 2), ("C", "z", 3)], [("A", "x", 1)]),
        ],
    ),
    "three bytes": (
        three_bytes(),
        [
            Row(("A", "xx", 0), [("A", "xx", 0)]),
            Row(("A", "yy", 1), [("A", "yy", 1)]),
            Row(("B", "zz", 2), [("B", "zz", 2)], [("A", "yy", 1)]),
        ],
    ),
    "two milliseconds": (
        two_milliseconds(),
        [
            Row(("A", "w", 0), [("A", "w", 0)]),
            Row(("A", "x", 1), [("A", "x", 1)]),
            Row(
                ("B", "y", 2),
                [("B", "y", 2)],
                [("A", "x", 1)],
                text=([("A", "x", 1), ("B", "y", 2)], []),
            ),
            Row(
                ("C", "z", 3),
                [("B", "y", 2), ("C", "z", 3)],
                text=([("B", "y", 2), ("C", "z", 3)], [("A", "x", 1)]),
            ),
        ],
    ),
    "late records are evicted at once: two milliseconds": (
        two_milliseconds(),
        [
            Row(("A", "w", 3), [("A", "w", 3)]),
            Row(("A", "x", 1), [("A", "x", 1)], text=([], [("A", "x", 1)])),
            Row(("B", "y", 1), [("A", "x", 1)], [("B", "y", 1)], text=([], [("B", "y", 1)])),
        ],
    ),
    "late records are evicted at once: two keys": (
        two_keys(),
        [
            Row(("A", "w", 1), [("A", "w", 1)]),
            Row(("A", "x", 2), [("A", "x", 2)]),
            Row(("B", "y", 3), [("A", "x", 2), ("B", "y", 3)]),
            Row(("C", "z", 0), [("A", "x", 2), ("B", "y", 3)], [("C", "z", 0)]),
        ],
    ),
    "two keys with a late record, at the times of the text": (
        two_keys(),
        [
            Row(("A", "w", 0), [("A", "w", 0)]),
            Row(("A", "x", 1), [("A", "x", 1)]),
            Row(("B", "y", 2), [("A", "x", 1), ("B", "y", 2)]),
            Row(
                ("C", "z", 0),
                [("B", "y", 2), ("C", "z", 0)],
                [("A", "x", 1)],
                text=([("A", "x", 1), ("B", "y", 2)], [("C", "z", 0)]),
            ),
        ],
    ),
    "late records are evicted at once: three bytes": (
        three_bytes(),
        [
            Row(("A", "xx", 1), [("A", "xx", 1)]),
            Row(("A", "yy", 2), [("A", "yy", 2)]),
            Row(("B", "zz", 0), [("A", "yy", 2)], [("B", "zz", 0)]),
        ],
    ),
    "three bytes with a late record, at the times of the text": (
        three_bytes(),
        [
            Row(("A", "xx", 0), [("A", "xx", 0)]),
            Row(("A", "yy", 1), [("A", "yy", 1)]),
            Row(
                ("B", "zz", 0),
                [("B", "zz", 0)],
                [("A", "yy", 1)],
                text=([("A", "yy", 1)], [("B", "zz", 0)]),
            ),
        ],
    ),
    "a big record pushes several out": (
        three_bytes(),
        [
            Row(("A", "x", 0), [("A", "x", 0)]),
            Row(("B", "y", 1), [("A", "x", 0), ("B", "y", 1)]),
            Row(("C", "zzz", 2), [("C", "zzz", 2)], [("A", "x", 0), ("B", "y", 1)]),
        ],
    ),
    "an oversize record is emitted at once": (
        three_bytes(),
        [
            Row(("A", "x", 0), [("A", "x", 0)]),
            Row(("B", "y", 1), [("A", "x", 0), ("B", "y", 1)]),
            Row(("C", "zzzz", 2), [], [("A", "x", 0), ("B", "y", 1), ("C", "zzzz", 2)]),
        ],
    ),
}


class Wrap(ContextualProcessor[Any, Any, Any, Any]):
    """Makes an update of a record, with letters of the text's size and no old value."""

    def process(self, record: Record[Any, Any]) -> None:
        letters = "".join(letter * LETTER for letter in record.value())
        self.context().forward(record.withValue(Change(letters, None)))


class Unwrap(ContextualProcessor[Any, Any, Any, Any]):
    def process(self, record: Record[Any, Any]) -> None:
        self.context().forward(record.withValue(letters_of(record.value().new)))


def letters_of(value: str) -> str:
    return value[::LETTER]


def topology(rule: Suppression) -> Topology:
    built = Topology().addSource("source", TEXT.deserializer(), TEXT.deserializer(), "in")
    built.addProcessor("wrap", Wrap, "source")
    built.addProcessor("suppress", lambda: SuppressTable(rule, settings=TableSettings()), "wrap")
    builder = SuppressionStoreBuilder(
        store="held", kind=BufferKind(), key_serde=TEXT, value_serde=TEXT
    )
    built.addStateStore(builder, "suppress")
    built.addProcessor("unwrap", Unwrap, "suppress")
    return built.addSink("sink", "out", TEXT.serializer(), TEXT.serializer(), "unwrap")


@pytest.mark.parametrize("table", TABLES)
def test_the_buffer_does_what_the_table_says(table: str) -> None:
    rule, rows = TABLES[table]
    task, host = new_task(topology(rule).plan(), {})
    for number, row in enumerate(rows):
        task.add(raw_chunk([Event(*row.update)], number))
        task.run()
        buffer = task.stores["held"]._buffer
        held = [(key, buffer.get(key.encode())) for key in "ABC"]
        shown = [
            (key, letters_of((change.new or b"").decode()), change.context.timestamp())
            for key, change in held
            if change is not None
        ]
        emitted = [
            ((each.key or b"").decode(), (each.value or b"").decode(), each.timestamp)
            for each in host.sent
        ]
        host.sent.clear()
        assert (shown, emitted) == (list(row.buffer), list(row.emitted)), row.update
        assert row.text != (shown, emitted)
