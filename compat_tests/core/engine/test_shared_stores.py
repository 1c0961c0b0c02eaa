"""What a cache or a buffer releases goes on record by record where nodes below share a store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.topology.running import new_task
from millstream import (
    Consumed,
    Joined,
    KStream,
    KTable,
    Materialized,
    Processor,
    Produced,
    Record,
    Serdes,
    StreamsBuilder,
    Suppressed,
    Topology,
    ValueAndTimestamp,
)
from millstream.core.chunk import RawChunk

TEXT = Serdes.String()
NEXT = {"a": "b", "b": "c"}


class ChangesNext(Processor[str, str, str, str]):
    """Changes the row of the next key, which the next record is joined with."""

    def init(self, context: Any) -> None:
        self.context = context
        self.rows = context.getStateStore("rows")

    def process(self, record: Record[str, str]) -> None:
        key = record.key()
        if key in NEXT:
            self.rows.put(NEXT[key], ValueAndTimestamp.make(f"after {key}", 1))
        self.context.forward(record)


def both(left: str, right: str) -> str:
    return f"{left}+{right}"


def stream_joined(changes: KTable[str, str], rows: KTable[str, str]) -> KStream[str, str]:
    """A stream of updates, joined with the table."""
    return changes.toStream().join(rows, both, Joined.with_(TEXT, TEXT, TEXT))


def table_joined(changes: KTable[str, str], rows: KTable[str, str]) -> KStream[str, str]:
    """Two tables that are joined."""
    return changes.join(rows, both).toStream()


def suppressed(changes: KTable[str, str], rows: KTable[str, str]) -> KStream[str, str]:
    """Updates that wait."""
    waits = Suppressed.untilTimeLimit(5, Suppressed.BufferConfig.unbounded())
    return stream_joined(changes.suppress(waits), rows)


SHAPES: list[Callable[..., KStream[str, str]]] = [stream_joined, table_joined, suppressed]


def program(shape: Callable[..., KStream[str, str]]) -> Topology:
    """A join whose results change the rows of the next ones."""
    builder = StreamsBuilder()
    kept: Materialized[str, str, Any] = Materialized.as_("rows")
    read = Consumed.with_(TEXT, TEXT)
    rows = builder.table("rows", read, kept.withKeySerde(TEXT).withValueSerde(TEXT))
    changes = builder.table("changes", read, Materialized.with_(TEXT, TEXT))
    changing: Any = ChangesNext
    shape(changes, rows).process(changing, "rows").to("out", Produced.with_(TEXT, TEXT))
    return builder.build()


def sent(topology: Topology, cache: int, *, by_chunks: bool) -> list[bytes | None]:
    """Return the values that are sent."""
    config = {"statestore.cache.max.bytes": cache}
    task, host = new_task(topology.plan(), config, by_chunks=by_chunks)
    keys: list[bytes | None] = [b"a", b"b", b"c"]
    for topic, value, first in (("rows", b"x", 0), ("changes", b"1", 5), ("changes", b"2", 100)):
        places = range(first, first + 3)
        task.add(RawChunk(topic, 0, places, places, keys, [value] * 3, None))
        task.run()
        task.commit()
    # A flush may leave changes to the next one.
    task.commit()
    task.close()
    return [each.value for each in host.sent]


@pytest.mark.parametrize("cache", [0, 1 << 20])
@pytest.mark.parametrize("shape", SHAPES)
def test_each_record_finds_what_the_one_before_it_has_changed(
    shape: Callable[..., KStream[str, str]], cache: int
) -> None:
    values = sent(program(shape), cache, by_chunks=True)

    assert values == sent(program(shape), cache, by_chunks=False)
    assert values[0] in (b"1+x", b"2+x")
    assert values[1] in (b"1+after a", b"2+after a")
