"""Serdes are told the topics that Kafka Streams tells them: a registry's subjects are their names.

`java/SerdeTopics.java` has asked the real one, with the jars of `millstream jars streams`; what it
printed is `java/serde_topics.txt`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from millstream import (
    Consumed,
    Grouped,
    JoinWindows,
    KeyValue,
    Materialized,
    Produced,
    Repartitioned,
    Serde,
    Serdes,
    SessionWindows,
    StreamJoined,
    StreamsBuilder,
    Suppressed,
    TableJoined,
    TimeWindows,
    TopologyTestDriver,
    WindowedSerdes,
)

RECORDED = Path(__file__).parent / "java" / "serde_topics.txt"
SECOND_MS = 1000


def topics_told() -> set[str]:
    seen: set[str] = set()

    def told(name: str) -> Serde[Any]:
        def write(topic: str, data: str | None) -> bytes | None:
            seen.add(f"{name} serialize {topic}")
            return None if data is None else data.encode()

        def read(topic: str, data: bytes | None) -> str | None:
            seen.add(f"{name} deserialize {topic}")
            return None if data is None else data.decode()

        return Serdes.serdeFrom(write, read)

    def both(name: str) -> tuple[Serde[Any], Serde[Any]]:
        return told(f"{name}-key"), told(f"{name}-value")

    with TopologyTestDriver(
        program(told, both), {"application.id": "app", "statestore.cache.max.bytes": 0}
    ) as driver:
        text = Serdes.String().serializer()
        for name in ("global", "right", "left", "other", "in"):
            topic = driver.createInputTopic(name, text, text)
            for key, value, time_ms in (("k", "v", 0), ("v", "k", SECOND_MS)):
                topic.pipeInput(key, value, time_ms)
            for key, time_ms in (("k", 60 * SECOND_MS), ("v", 120 * SECOND_MS)):
                topic.pipeInput(key, key, time_ms)
    return seen


def program(told: Any, both: Any) -> Any:
    builder = StreamsBuilder()

    def store(name: str, serdes: str) -> Any:
        key, value = both(serdes)
        return Materialized.as_(name).withKeySerde(key).withValueSerde(value)

    def add(key: str, value: str, aggregate: str) -> str:
        return aggregate + value

    stream = builder.stream("in", Consumed.with_(*both("in")))
    moved = stream.map(lambda k, v: KeyValue.pair(v, k))
    moved.groupByKey(Grouped.with_("by", *both("group"))).aggregate(
        lambda: "", add, store("totals", "totals")
    ).toStream().to("out", Produced.with_(*both("out")))
    windowed = stream.groupByKey(Grouped.with_(*both("w-group")))
    windowed.windowedBy(TimeWindows.ofSizeWithNoGrace(10 * SECOND_MS)).aggregate(
        lambda: "", add, store("windowed", "windowed")
    ).suppress(
        Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded()).withName("later")
    ).toStream().to(
        "windows",
        Produced.with_(
            WindowedSerdes.TimeWindowedSerde(told("windows-key"), 10 * SECOND_MS),
            told("windows-value"),
        ),
    )
    sessions = stream.groupByKey(Grouped.with_(*both("s-group")))
    sessions.windowedBy(SessionWindows.ofInactivityGapWithNoGrace(5 * SECOND_MS)).aggregate(
        lambda: "", add, lambda k, left, right: left + right, store("sessions", "sessions")
    )
    other = builder.stream("other", Consumed.with_(*both("other")))
    joined = StreamJoined.with_(told("join-key"), told("join-left"), told("join-right"))
    moved.join(
        other,
        lambda left, right: left + right,
        JoinWindows.ofTimeDifferenceWithNoGrace(5 * SECOND_MS),
        joined.withName("joined").withStoreName("joined-store"),
    ).to("joins", Produced.with_(*both("joins")))
    tables(builder, stream, store, both)
    return builder.build()


def tables(builder: StreamsBuilder, stream: Any, store: Any, both: Any) -> None:
    left = builder.table("left", Consumed.with_(*both("left")), Materialized.as_("left-store"))
    right = builder.table("right", Consumed.with_(*both("right")), Materialized.as_("right-store"))
    left.join(
        right, lambda v: v, lambda a, b: a + b, TableJoined.as_("fk"), store("fk-store", "fk")
    ).toStream().to("fks", Produced.with_(*both("fks")))
    table = builder.globalTable(
        "global", Consumed.with_(*both("global")), Materialized.as_("global-store")
    )
    stream.join(table, lambda k, v: v, lambda a, b: a + b).to(
        "globals", Produced.with_(*both("globals"))
    )
    stream.repartition(Repartitioned.with_(*both("rep")).withName("again")).to(
        "again", Produced.with_(*both("again"))
    )
    left.groupBy(KeyValue.pair, Grouped.with_("tg", *both("tg"))).reduce(
        lambda a, v: v, lambda a, v: a, store("tg-store", "tgs")
    )


def test_a_serializer_is_told_the_topics_that_kafka_streams_tells_it() -> None:
    recorded = RECORDED.read_text(encoding="utf-8").splitlines()
    told = topics_told()
    assert sorted(each for each in told if " serialize " in each) == [
        each for each in recorded if " serialize " in each
    ]


def test_a_deserializer_is_told_the_topics_that_kafka_streams_tells_it() -> None:
    recorded = RECORDED.read_text(encoding="utf-8").splitlines()
    told = topics_told()
    assert sorted(each for each in told if " deserialize " in each) == [
        each for each in recorded if " deserialize " in each
    ]
