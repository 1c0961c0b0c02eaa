"""Trial run on the driver: a missing serde ends the start, whatever else fails leaves it alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from millstream import (
    Consumed,
    Deduplicated,
    Materialized,
    Processor,
    Produced,
    PunctuationType,
    Serdes,
    StreamsBuilder,
    StreamsConfig,
    StreamsException,
)
from millstream.topology.spark.driver.probe import needs_wall_clock

TEXT = Serdes.String()
READ, WRITE = Consumed.with_(TEXT, TEXT), Produced.with_(TEXT, TEXT)


class Ticks(Processor[Any, Any, Any, Any]):
    def init(self, context: Any) -> None:
        context.schedule(1000, PunctuationType.WALL_CLOCK_TIME, lambda _: None)

    def process(self, record: Any) -> None:
        pass


class Fails(Processor[Any, Any, Any, Any]):
    def init(self, context: Any) -> None:
        raise OSError("no such device on this machine")

    def process(self, record: Any) -> None:
        pass


def probe(build: Callable[[StreamsBuilder], object]) -> bool:
    builder = StreamsBuilder()
    build(builder)
    entries = {"application.id": "app", "bootstrap.servers": "nowhere:0"}
    return needs_wall_clock(builder.build().plan(), StreamsConfig(entries))


def foreign_key_join(builder: StreamsBuilder) -> None:
    left, right = builder.table("left", READ), builder.table("right", READ)
    kept: Materialized[Any, Any, Any] = Materialized.as_("joined")
    left.join(right, lambda row: row, lambda row, other: row + other, kept)


def behind_a_punctuation(builder: StreamsBuilder) -> None:
    builder.stream("ticks", READ).process(Ticks)
    builder.stream("in", READ).groupByKey().aggregate(list, lambda _, value, all_: [*all_, value])


@pytest.mark.parametrize(
    ("build", "told"),
    [
        (lambda b: b.stream("in").to("out"), "Failed to initialize key serdes for source node"),
        (lambda b: b.stream("in", READ).mapValues(len).to("out"), "value serdes for sink node"),
        (foreign_key_join, "Failed to initialize value serdes for store joined"),
        (
            lambda b: b.stream("in", READ).deduplicateByKeyValue(
                lambda _, value: value, 1000, Deduplicated.as_("seen")
            ),
            'cannot initialise processor "seen"',
        ),
        (behind_a_punctuation, "Failed to initialize value serdes for store KSTREAM-AGGREGATE"),
    ],
)
def test_a_missing_serde_ends_the_start(build: Any, told: str) -> None:
    with pytest.raises(StreamsException, match="serde|seen") as caught:
        probe(build)
    assert told in str(caught.value)
    assert "set default." in str(caught.value)


def test_what_else_fails_is_left_to_the_workers() -> None:
    assert probe(lambda builder: builder.stream("in", READ).process(Fails))
    assert probe(lambda builder: builder.stream("in", READ).process(Ticks))
    assert not probe(lambda builder: builder.stream("in", READ).to("out", WRITE))
