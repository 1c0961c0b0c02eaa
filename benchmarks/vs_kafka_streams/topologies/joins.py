"""Workloads that join two topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.vs_kafka_streams.topologies.serdes import READ, TEXT, TEXTS
from benchmarks.vs_kafka_streams.workloads import (
    FOREIGN_NAME,
    GRACE_MS,
    HISTORY_MS,
    JOIN_DIFFERENCE_MS,
)
from millstream import (
    Joined,
    JoinWindows,
    Materialized,
    Stores,
    StreamJoined,
    StreamsBuilder,
    TableJoined,
)


def _table_join(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    left, right = (builder.table(source, READ) for source in sources)
    left.join(right, _both).toStream().to(output, TEXTS)


def _foreign_key_join(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    left, right = (builder.table(source, READ) for source in sources)
    named: TableJoined[Any, Any] = TableJoined.as_(FOREIGN_NAME)
    table = left.join(right, lambda row: row[: row.index("|")], _both, named)
    table.toStream().to(output, TEXTS)


def _stream_join(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    left, right = (builder.stream(source, READ) for source in sources)
    windows = JoinWindows.ofTimeDifferenceAndGrace(JOIN_DIFFERENCE_MS, GRACE_MS)
    left.join(right, _both, windows, StreamJoined.with_(TEXT, TEXT, TEXT)).to(output, TEXTS)


def _stream_left_join(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    left, right = (builder.stream(source, READ) for source in sources)
    windows = JoinWindows.ofTimeDifferenceAndGrace(JOIN_DIFFERENCE_MS, GRACE_MS)
    joined = StreamJoined.with_(TEXT, TEXT, TEXT)
    left.leftJoin(right, _either, windows, joined).to(output, TEXTS)


def _stream_outer_join(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    left, right = (builder.stream(source, READ) for source in sources)
    windows = JoinWindows.ofTimeDifferenceAndGrace(JOIN_DIFFERENCE_MS, GRACE_MS)
    joined = StreamJoined.with_(TEXT, TEXT, TEXT)
    left.outerJoin(right, _either, windows, joined).to(output, TEXTS)


def _global_join(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    rows = builder.globalTable(sources[1], READ)
    stream = builder.stream(sources[0], READ)
    stream.join(rows, lambda key, _value: key, _both).to(output, TEXTS)


def _versioned_join(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    history = Stores.persistentVersionedKeyValueStore("right", HISTORY_MS)
    kept: Materialized[str, str, Any] = Materialized.as_(history)
    rows = builder.table(sources[1], READ, kept)
    # Without it, what a record finds would depend on how the two topics were read.
    waiting = Joined.with_(TEXT, TEXT, TEXT).withGracePeriod(JOIN_DIFFERENCE_MS)
    builder.stream(sources[0], READ).join(rows, _both, waiting).to(output, TEXTS)


def _both(left: str, right: str) -> str:
    return left + right


def _either(left: str | None, right: str | None) -> str:
    return (left or "-") + (right or "-")


BUILDERS: Mapping[str, Callable[[StreamsBuilder, Sequence[str], str], None]] = {
    "table-join": _table_join,
    "stream-join": _stream_join,
    "stream-left-join": _stream_left_join,
    "stream-outer-join": _stream_outer_join,
    "fk-join": _foreign_key_join,
    "fk-join-few-keys": _foreign_key_join,
    "global-join": _global_join,
    "versioned-join": _versioned_join,
}
