"""`commit.interval.ms` on Spark: it keeps batches apart, and no backlog waiting."""

from __future__ import annotations

from typing import Any

from compat_tests.spark.support import Playground
from millstream import KafkaStreams, StreamsBuilder

DAY_MS = 86_400_000
RECORDS = 90


def test_a_backlog_is_worked_off_at_once(play: Playground, spark: Any) -> None:
    given, taken = play.topic("given"), play.topic("taken")
    play.produce(given, [(str(n).encode(), b"v", 1_700_000_000_000 + n) for n in range(RECORDS)])
    builder = StreamsBuilder()
    builder.stream(given).to(taken)
    entries = {"commit.interval.ms": DAY_MS, "millstream.max.records.per.batch": 40}

    with KafkaStreams(builder.build(), play.config() | entries, spark=spark) as streams:
        streams.start()
        found = play.pairs(taken, RECORDS)

    assert {int(key or b"") for key, _ in found} == set(range(RECORDS))
