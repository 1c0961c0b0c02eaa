"""Results by the wall clock on Spark: they come without further input, and once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from compat_tests.spark.support import Playground, eventually
from millstream import (
    BufferConfig,
    Consumed,
    EmitStrategy,
    Grouped,
    KafkaStreams,
    KeyQuery,
    Materialized,
    Produced,
    Serdes,
    StateQueryRequest,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    Topology,
)

TEXT = Serdes.String()
HOUR = timedelta(hours=1)
IDLE = timedelta(milliseconds=1500)


def topology(rows: str, held: str, closed: str) -> Topology:
    """Rows of a table held back for a while; and counts of an hour, which no record will end."""
    builder = StreamsBuilder()
    table = builder.table(rows, Consumed.with_(TEXT, TEXT))
    rule: Suppressed[Any] = Suppressed.untilTimeLimit(IDLE, BufferConfig.unbounded())
    shown = table.suppress(rule.withWallClock(), Materialized.as_("shown"))
    shown.toStream().to(held, Produced.with_(TEXT, TEXT))
    grouped = table.toStream().groupByKey(Grouped.with_(TEXT, TEXT))
    counts = (
        grouped.windowedBy(TimeWindows.ofSizeAndGrace(HOUR, HOUR))
        .emitStrategy(EmitStrategy.onWindowClose().orIdle(IDLE))
        .count()
    )
    finals = counts.toStream(lambda key, _: f"{key.key()}@{key.window().start()}")
    finals.mapValues(str).to(closed, Produced.with_(TEXT, TEXT))
    return builder.build()


def row(streams: KafkaStreams, key: str) -> str | None:
    """Ask for a row that suppress has let go."""
    query: KeyQuery[str, str] = KeyQuery.withKey(key)
    answer = streams.query(StateQueryRequest.inStore("shown").withQuery(query))
    found = answer.getOnlyPartitionResult()
    return None if found is None else found.getResult()


def test_due_rows_and_open_windows_come_out_once_when_input_stops(
    play: Playground, spark: Any
) -> None:
    rows, held, closed = play.topic("rows"), play.topic("held"), play.topic("closed")
    play.produce(rows, [("a", "1", 1000), ("b", "2", 2000), ("a", "3", 3000)])
    with KafkaStreams(topology(rows, held, closed), play.config(), spark=spark) as streams:
        streams.start()
        assert sorted(play.pairs(held, 2)) == [(b"a", b"3"), (b"b", b"2")]
        assert sorted(play.pairs(closed, 2)) == [(b"a@0", b"1"), (b"b@0", b"1")]
        eventually(lambda: row(streams, "a"), "3")
    with KafkaStreams(topology(rows, held, closed), play.config(), spark=spark) as streams:
        streams.start()
        # Late for the hour that has come out; the next one is not touched.
        play.produce(rows, [("a", "4", 3500), ("b", "5", 4_000_000)])
        assert sorted(play.pairs(held, 4))[-2:] == [(b"b", b"2"), (b"b", b"5")]
        assert sorted(play.pairs(closed, 3, more=1)) == [
            (b"a@0", b"1"),
            (b"b@0", b"1"),
            (b"b@3600000", b"1"),
        ]
    assert sorted(play.pairs(held, 4)) == [(b"a", b"3"), (b"a", b"4"), (b"b", b"2"), (b"b", b"5")]
