"""A joiner may return one object for all records, changed each time, or change what it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from compat_tests.core.engine.test_join_merger import TOPICS, Row, run
from millstream import (
    Consumed,
    Joined,
    JoinWindows,
    JsonSerde,
    Materialized,
    Produced,
    Serdes,
    Stores,
    StreamJoined,
    StreamsBuilder,
    Topology,
)
from millstream.core.engine.output import Sent
from millstream.core.engine.shortcuts import SHORTCUTS

TEXT, JSON = Serdes.String(), JsonSerde()
WINDOWS = JoinWindows.ofTimeDifferenceAndGrace(3, 0)

Joiner = Callable[[Any, Any], Any]
Make = Callable[[StreamsBuilder, Joiner, Any], Any]
"""Takes the serde of values; returns a stream."""


def one_dict() -> Joiner:
    shared: dict[str, Any] = {}

    def join(own: Any, other: Any) -> Any:
        shared["both"] = f"{own} {other}"
        return shared

    return join


def the_other() -> Joiner:
    def join(own: Any, other: Any) -> Any:
        if isinstance(other, dict):
            other["own"] = str(own)
        return other or "-"

    return join


def its_own() -> Joiner:
    def join(own: Any, other: Any) -> Any:
        if isinstance(own, dict):
            own["other"] = str(other)
        return own or "-"

    return join


def _stream_table(builder: StreamsBuilder, join: Joiner, serde: Any) -> Any:
    table = builder.table("right", Consumed.with_(TEXT, serde))
    return builder.stream("left", Consumed.with_(TEXT, serde)).leftJoin(table, join)


def _versioned(builder: StreamsBuilder, join: Joiner, serde: Any) -> Any:
    kept: Any = Materialized.as_(Stores.persistentVersionedKeyValueStore("rows", 60_000))
    table = builder.table(
        "right", Consumed.with_(TEXT, serde), kept.withKeySerde(TEXT).withValueSerde(serde)
    )
    waiting: Any = Joined.with_(TEXT, serde, serde).withGracePeriod(3)
    return builder.stream("left", Consumed.with_(TEXT, serde)).leftJoin(table, join, waiting)


def _tables(kind: str) -> Make:
    def make(builder: StreamsBuilder, join: Joiner, serde: Any) -> Any:
        left, right = (builder.table(topic, Consumed.with_(TEXT, serde)) for topic in TOPICS)
        return getattr(left, kind)(right, join).toStream()

    return make


def _streams(kind: str) -> Make:
    def make(builder: StreamsBuilder, join: Joiner, serde: Any) -> Any:
        left, right = (builder.stream(topic, Consumed.with_(TEXT, serde)) for topic in TOPICS)
        return getattr(left, kind)(right, join, WINDOWS, StreamJoined.with_(TEXT, serde, serde))

    return make


JOINS: dict[str, Make] = {
    "stream and table": _stream_table,
    "stream and versioned table": _versioned,
    **{f"tables, {kind}": _tables(kind) for kind in ("join", "leftJoin", "outerJoin")},
    **{f"streams, {kind}": _streams(kind) for kind in ("join", "leftJoin", "outerJoin")},
}


def _row(topic: str, number: int, *, as_json: bool) -> Row:
    value = b'{"n": %d}' % number if as_json else b"%d" % number
    return topic, b"k%d" % (number // 2 % 3), value, number % 12


def sent_by(topology: Topology, batches: Sequence[Sequence[Row]], *, by_chunks: bool) -> list[Any]:
    """Return keys and values of what is sent, by runs with all shortcuts or record by record."""
    shortcuts = SHORTCUTS if by_chunks else ()
    outcome = run(topology, {}, batches, by_chunks=by_chunks, restarts=False, shortcuts=shortcuts)
    return [(each.key, each.value) for each in outcome if isinstance(each, Sent)]


def json_rows() -> list[list[Row]]:
    """Return two batches of both topics, with objects of one number as values."""
    rows = [_row(TOPICS[n % 2], n, as_json=True) for n in range(48)]
    return [rows[:24], rows[24:]]


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
@pytest.mark.parametrize("in_turn", [False, True], ids=["one_topic_first", "in_turn"])
@pytest.mark.parametrize("joiner", [one_dict, the_other, its_own], ids=lambda make: make.__name__)
@pytest.mark.parametrize("name", JOINS)
def test_each_result_is_what_it_was_when_it_was_returned(
    name: str, joiner: Callable[[], Joiner], *, in_turn: bool, as_json: bool
) -> None:
    def found(*, by_chunks: bool) -> list[Any]:
        builder = StreamsBuilder()
        stream = JOINS[name](builder, joiner(), JSON if as_json else TEXT)
        stream.to("out", Produced.with_(TEXT, JSON))
        topics = [TOPICS[n % 2 if in_turn else n < 12] for n in range(24)]
        rows = [_row(topic, n, as_json=as_json) for n, topic in enumerate(topics)]
        return sent_by(builder.build(), [rows[:12], rows[12:]], by_chunks=by_chunks)

    results = found(by_chunks=True)

    assert results == found(by_chunks=False)
    assert results
