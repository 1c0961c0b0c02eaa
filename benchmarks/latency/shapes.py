"""The measured topologies: one stage, two stages, a foreign-key join; and their records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from millstream import (
    Consumed,
    Grouped,
    Materialized,
    Produced,
    Serdes,
    StreamsBuilder,
    TableJoined,
    Topology,
)

SOURCE, RIGHT, RESULTS = "latency-in", "latency-right", "latency-out"
PARTITIONS = 2
ROWS = 1_000
"""Rows of the right table."""

_TEXT, _NUMBER = Serdes.String(), Serdes.Long()
_READ = Consumed.with_(_TEXT, _TEXT)
_GROUPED = Grouped.with_(_TEXT, _TEXT)
_COUNTS = Materialized.as_("counts").withKeySerde(_TEXT).withValueSerde(_NUMBER)


def _one(builder: StreamsBuilder) -> None:
    grouped = builder.stream(SOURCE, _READ).groupByKey(_GROUPED)
    grouped.count(_COUNTS).toStream().to(RESULTS, Produced.with_(_TEXT, _NUMBER))


def _two(builder: StreamsBuilder) -> None:
    other = builder.stream(SOURCE, _READ).selectKey(lambda key, _: "a" + key)
    grouped = other.groupByKey(_GROUPED.withName("other"))
    grouped.count(_COUNTS).toStream().to(RESULTS, Produced.with_(_TEXT, _NUMBER))


def _foreign(builder: StreamsBuilder) -> None:
    rows, others = (builder.table(topic, _READ) for topic in (SOURCE, RIGHT))
    joined = rows.join(
        others,
        lambda row: row[: row.index("|")],
        lambda left, right: left + right,
        TableJoined.as_("foreign"),
    )
    joined.toStream().to(RESULTS, Produced.with_(_TEXT, _TEXT))


@dataclass(frozen=True, slots=True)
class Shape:
    """One topology."""

    build: Callable[[StreamsBuilder], None]
    stages: int
    """Stages of its line on Spark."""
    has_right: bool = False


SHAPES: Mapping[str, Shape] = {
    "one-stage": Shape(_one, 1),
    "two-stages": Shape(_two, 2),
    "fk-join": Shape(_foreign, 2, has_right=True),
}


def topology(shape: str) -> Topology:
    """Return the program of a shape."""
    builder = StreamsBuilder()
    SHAPES[shape].build(builder)
    return builder.build()


def record(number: int) -> tuple[bytes, bytes]:
    """Return key and value of a record; a number is a key."""
    return b"k%d" % number, b"f%d|%d" % (number % ROWS, number)


def right_rows() -> list[tuple[bytes, bytes]]:
    """Return the rows of the right table."""
    return [(b"f%d" % number, b"row %d" % number) for number in range(ROWS)]
