"""Streams of a cogroup whose table is cached are processed as one run, with equal results."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.topology.running import new_task
from millstream import Consumed, Grouped, Materialized, Produced, Serdes, StreamsBuilder, Topology
from millstream.core.chunk import Chunk, RawChunk
from millstream.core.engine.output import Sent
from millstream.core.engine.queues import Decoded, PartitionGroup, RecordQueue
from millstream.core.engine.shortcuts import Shortcut
from millstream.core.engine.shortcuts.merged_updates import MergedUpdates, merged_order
from millstream.core.handlers import LogAndContinueProcessingExceptionHandler
from millstream.topology.operators.joint_rows import JointRows

TEXT, NUMBER = Serdes.String(), Serdes.Long()
AMPLE, TIGHT, NONE = 1 << 20, 700, 0
TOPICS = ("one", "two", "three")

Row = tuple[str, bytes | None, bytes | None, int]
"""Topic, key, value and timestamp."""


def program(topics: int) -> Topology:
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
    table.toStream().to("out", Produced.with_(TEXT, NUMBER))
    return builder.build()


def run(
    topology: Topology,
    cache: int,
    batches: Sequence[Sequence[Row]],
    *,
    by_chunks: bool = True,
    shortcuts: Collection[type[Shortcut]] = (MergedUpdates,),
) -> tuple[list[Sent], Any]:
    config = {
        "statestore.cache.max.bytes": cache,
        "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
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


def shown(sent: Sent) -> Any:
    """A record that was sent, without the stack of a dead letter."""
    headers = [each for each in sent.headers or () if not each.key().endswith("stacktrace")]
    return sent._replace(headers=headers)  # type: ignore[arg-type]


def add(task: Any, topic: str, rows: Sequence[Row], offsets: dict[str, int]) -> None:
    first, offsets[topic] = offsets[topic], offsets[topic] + len(rows)
    if rows:
        _, keys, values, times = map(list, zip(*rows, strict=True))
        task.add(RawChunk(topic, 0, range(first, offsets[topic]), times, keys, values))


rows = st.tuples(
    st.sampled_from(TOPICS),
    st.sampled_from([b"a", b"b", b"c", b"\xff", None]),
    st.sampled_from([b"x", b"22", b"333", b"gone", None]),
    st.integers(0, 30),
)


@pytest.mark.parametrize("topics", [2, 3])
@settings(max_examples=60, deadline=None)
@given(
    batches=st.lists(st.lists(rows, max_size=30), max_size=3),
    cache=st.sampled_from([AMPLE, TIGHT, NONE]),
)
def test_the_results_are_those_without_the_shortcut_and_of_single_records(
    topics: int, batches: list[list[Row]], cache: int
) -> None:
    topology = program(topics)
    batches = [[row for row in batch if row[0] in TOPICS[:topics]] for batch in batches]

    taken = run(topology, cache, batches)

    assert taken == run(topology, cache, batches, shortcuts=())
    assert taken == run(topology, cache, batches, by_chunks=False)


@pytest.mark.parametrize(("cache", "runs"), [(AMPLE, [100]), (TIGHT, []), (NONE, [])])
def test_alternating_topics_go_down_in_one_run_if_the_cache_has_room(
    cache: int, runs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    plain = JointRows.process

    def noted(self: JointRows, order: Sequence[int]) -> None:
        seen.append(len(order))
        plain(self, order)

    monkeypatch.setattr(JointRows, "process", noted)
    batch = [("two" if n % 2 else "one", b"k%d" % n, b"value", n) for n in range(100)]

    run(program(2), cache, [batch])

    assert seen == runs


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
