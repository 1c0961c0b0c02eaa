"""Streams of a cogroup are processed as one run where they can be, with equal results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.topology.running import new_task, shown
from millstream import (
    Consumed,
    Grouped,
    Headers,
    KTable,
    Materialized,
    Processor,
    Produced,
    ProductionExceptionHandler,
    Record,
    Serdes,
    Serializer,
    StreamsBuilder,
    Topology,
)
from millstream.core.chunk import Chunk, RawChunk
from millstream.core.engine.queues import Decoded, PartitionGroup, RecordQueue
from millstream.core.engine.shortcuts import Shortcut
from millstream.core.engine.shortcuts.merged_updates import MergedUpdates, merged_order
from millstream.core.handlers import LogAndContinueProcessingExceptionHandler
from millstream.core.kafka import ProducerRecord
from millstream.topology.operators.joint_rows import JointRows

TEXT, NUMBER = Serdes.String(), Serdes.Long()
AMPLE, TIGHT, NONE = 1 << 20, 700, 0
TOPICS = ("one", "two", "three")

Row = tuple[str, bytes | None, bytes | None, int]
"""Topic, key, value and timestamp."""


class Odd(Serializer[int]):
    """Refuses multiples of 5."""

    def serialize(self, topic: str, data: int | None) -> bytes | None:
        if data is not None and data % 5 == 0:
            raise ValueError("a multiple of 5")
        return None if data is None else b"%d" % data


class Refused(ProductionExceptionHandler):
    """Sends what a serializer refuses to a topic, with the place of the record that made it."""

    def handleSerializationError(self, context: Any, record: Any, error: Any, origin: Any) -> Any:
        place = f"{context.topic()}-{context.partition()}@{context.offset()}:{context.timestamp()}"
        raw = context.sourceRawKey(), context.sourceRawValue()
        made = ProducerRecord(
            "refused",
            None,
            record.timestamp(),
            place.encode(),
            repr(raw).encode(),
            record.headers(),
        )
        return ProductionExceptionHandler.Response.resume([made])


class Watching(Processor[str, int, str, int]):
    """Sees stream time, so that runs must not be merged above it."""

    def process(self, record: Record[str, int]) -> None:
        now = self.context.currentStreamTimeMs()
        self.context.forward(record.withValue(now))

    def init(self, context: Any) -> None:
        self.context = context


def below_many(table: KTable[str, int]) -> None:
    """Operators that fail, drop and multiply records, several children, a sink that refuses."""
    stream = table.toStream()
    stream.mapValues(lambda number: None if number is None else 60 // (number - 4)).to(
        "mapped", Produced.with_(TEXT, NUMBER)
    )
    stream.filter(lambda _key, number: number != 7).flatMapValues(lambda number: [number] * 2).to(
        "out", Produced.with_(TEXT, Serdes.serdeFrom(Odd(), NUMBER.deserializer()))
    )


def below_store(table: KTable[str, int]) -> None:
    """A table below."""
    changed = table.mapValues(lambda number: number + 1, Materialized.with_(TEXT, NUMBER))
    changed.toStream().groupByKey(Grouped.with_(TEXT, NUMBER)).count(
        Materialized.with_(TEXT, NUMBER)
    ).toStream().to("out", Produced.with_(TEXT, NUMBER))


def below_watched(table: KTable[str, int]) -> None:
    """A processor of the user's below."""
    table.toStream().process(Watching).to("out", Produced.with_(TEXT, NUMBER))


def below_filter(table: KTable[str, int]) -> None:
    """A filtered table, which asks for old values."""
    table.filter(lambda _key, number: number != 4).toStream().to(
        "out", Produced.with_(TEXT, NUMBER)
    )


def below_sink(table: KTable[str, int]) -> None:
    """A sink."""
    table.toStream().to("out", Produced.with_(TEXT, NUMBER))


BELOW = [below_sink, below_many, below_store, below_watched, below_filter]


def program(topics: int, below: Callable[[KTable[str, int]], None] = below_sink) -> Topology:
    """Each topic does something else to a key's number, so that the order shows."""
    builder = StreamsBuilder()
    combines: list[Any] = [
        lambda _key, value, number: 3 * number + len(value),
        lambda _key, value, number: None if value == "gone" else number + 1,
        lambda _key, value, number: -number // (len(value) - 1),
    ]
    read = [
        builder.stream(topic, Consumed.with_(TEXT, TEXT)).groupByKey(Grouped.with_(TEXT, TEXT))
        for topic in TOPICS[:topics]
    ]
    cogrouped = read[0].cogroup(combines[0])
    for grouped, combine in zip(read[1:], combines[1:], strict=False):
        cogrouped = cogrouped.cogroup(grouped, combine)
    table = cogrouped.aggregate(lambda: 1, Materialized.with_(TEXT, NUMBER))
    below(table)
    return builder.build()


def run(
    topology: Topology,
    cache: int,
    batches: Sequence[Sequence[Row]],
    *,
    by_chunks: bool = True,
    shortcuts: Collection[type[Shortcut]] = (MergedUpdates,),
) -> tuple[list[Any], Any]:
    config = {
        "statestore.cache.max.bytes": cache,
        "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
        "production.exception.handler": Refused,
        "errors.dead.letter.queue.topic.name": "dead",
    }
    task, host = new_task(topology.plan(), config, by_chunks=by_chunks, shortcuts=shortcuts)
    offsets = dict.fromkeys(TOPICS, 0)
    for batch in batches:
        for topic in TOPICS:
            # In two chunks, as Spark hands long partitions over.
            rows = [row for row in batch if row[0] == topic]
            for part in (rows[:3], rows[3:]):
                add(task, topic, part, offsets)
        task.run()
        task.commit()
    snapshot = task.snapshot()
    task.close()
    return [shown(each) for each in host.sent], snapshot


def add(task: Any, topic: str, rows: Sequence[Row], offsets: dict[str, int]) -> None:
    first, offsets[topic] = offsets[topic], offsets[topic] + len(rows)
    if rows:
        _, keys, values, times = map(list, zip(*rows, strict=True))
        # Some records have headers, which go on with the updates that they make.
        headers = [Headers().add("of", b"%d" % time) if time % 4 == 0 else None for time in times]
        some = headers if any(headers) else None
        task.add(RawChunk(topic, 0, range(first, offsets[topic]), times, keys, values, some))


rows = st.tuples(
    st.sampled_from(TOPICS),
    st.sampled_from([b"a", b"b", b"c", b"\xff", None]),
    st.sampled_from([b"x", b"22", b"333", b"gone", None]),
    st.integers(0, 30),
)


@pytest.mark.parametrize("below", BELOW)
@pytest.mark.parametrize("topics", [2, 3])
@settings(max_examples=60, deadline=None)
@given(
    batches=st.lists(st.lists(rows, max_size=30), max_size=3),
    cache=st.sampled_from([AMPLE, TIGHT, NONE, NONE]),
)
def test_the_results_are_those_without_the_shortcut_and_of_single_records(
    topics: int, below: Any, batches: list[list[Row]], cache: int
) -> None:
    topology = program(topics, below)
    batches = [[row for row in batch if row[0] in TOPICS[:topics]] for batch in batches]

    taken = run(topology, cache, batches)

    assert taken == run(topology, cache, batches, shortcuts=())
    assert taken == run(topology, cache, batches, by_chunks=False)


@pytest.mark.parametrize(
    ("cache", "below", "runs"),
    [
        (AMPLE, below_store, [100]),
        (TIGHT, below_sink, []),
        (NONE, below_sink, [100]),
        (NONE, below_many, [100]),
        (NONE, below_filter, [100]),
        (NONE, below_store, []),
        (NONE, below_watched, []),
    ],
)
def test_alternating_topics_go_down_in_one_run_if_nothing_sees_single_records(
    cache: int, below: Any, runs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    plain = JointRows.process

    def noted(self: JointRows, order: Sequence[int]) -> None:
        seen.append(len(order))
        plain(self, order)

    monkeypatch.setattr(JointRows, "process", noted)
    batch = [("two" if n % 2 else "one", b"k%d" % n, b"value", 4 * n + 1) for n in range(100)]

    run(program(2, below), cache, [batch])

    assert seen == runs


@pytest.mark.parametrize("by_chunks", [True, False])
def test_a_foreign_key_join_below_is_told_the_partition_of_each_record(by_chunks: bool) -> None:
    builder = StreamsBuilder()
    read = [
        builder.stream(topic, Consumed.with_(TEXT, TEXT)).groupByKey(Grouped.with_(TEXT, TEXT))
        for topic in TOPICS[:2]
    ]
    cogrouped = (
        read[0]
        .cogroup(lambda _key, value, _old: value)
        .cogroup(read[1], lambda _key, value, _old: value)
    )
    left = cogrouped.aggregate(lambda: "", Materialized.with_(TEXT, TEXT))
    right = builder.table("right", Consumed.with_(TEXT, TEXT))
    left.join(right, lambda value: value, lambda one, other: one + other)
    task, host = new_task(
        builder.build().plan(), {"statestore.cache.max.bytes": NONE}, by_chunks=by_chunks
    )
    for first, topic in enumerate(TOPICS[:2]):
        times = [first + 2 * number for number in range(5)]
        values: list[bytes | None] = [b"v%d" % time for time in times]
        task.add(RawChunk(topic, 2, range(5), times, [b"k"] * 5, values, None))
    task.run()

    sent = [each.value for each in host.sent if "SUBSCRIPTION" in each.topic]
    # The number of the partition is at the end of a subscription.
    assert {value[-4:] for value in sent if value is not None} == {b"\0\0\0\2"}
    task.close()


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 9), min_size=1), min_size=2, max_size=4))
def test_the_order_is_that_of_a_partition_group(columns: list[list[int]]) -> None:
    group, numbers = PartitionGroup(), {}
    for number, column in enumerate(columns):
        queue = RecordQueue(str(number), 0, None)
        numbers[queue.topic] = number
        keys: list[Any] = column
        raw = RawChunk(queue.topic, 0, range(len(column)), column, keys, keys)
        chunk = Chunk(queue.topic, 0, range(len(column)), column, keys, keys)
        group.add(queue, Decoded(chunk, raw, None))
    heads = [numbers[queue.topic] for queue in group.heads()]
    starts = [sum(len(columns[head]) for head in heads[:place]) for place in range(len(heads))]
    expected = []
    while (taken := group.take(1)) is not None:
        queue, head, _ = taken
        expected.append(starts[heads.index(numbers[queue.topic])] + head.position)
        group.done(queue, 1)

    assert merged_order([columns[head] for head in heads]) == expected
