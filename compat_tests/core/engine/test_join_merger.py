"""An inner join of streams merges the records of both sides, with equal results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.topology.running import new_task
from millstream import (
    BuiltInDslStoreSuppliers,
    Consumed,
    JoinWindows,
    KeyValue,
    KStream,
    Materialized,
    Processor,
    ProcessorContext,
    Produced,
    PunctuationType,
    Serdes,
    StreamJoined,
    StreamsBuilder,
    Topology,
)
from millstream.core.chunk import RawChunk
from millstream.core.engine.output import Sent
from millstream.core.engine.shortcuts import Shortcut
from millstream.core.engine.shortcuts.join_merger import JoinMerger
from millstream.core.engine.source import SourceRuntime
from millstream.core.engine.task import Task
from millstream.core.headers import Headers
from millstream.core.working_copy import WorkingCopy

TEXT = Serdes.String()
TOPICS = ("left", "right")
SKIPS = {
    "processing.exception.handler": "millstream.LogAndContinueProcessingExceptionHandler",
    "errors.deadletterqueue.topic.name": "dead",
}
MEMORY = {
    "dsl.store.suppliers.class": BuiltInDslStoreSuppliers.InMemoryDslStoreSuppliers,
}

Row = tuple[str, bytes | None, bytes | None, int]
"""Topic, key, value and timestamp."""
Streams = KStream[str, str]


def both(left: str, right: str) -> str:
    if left == right == "bad":
        raise ValueError(left)
    return f"{left}+{right}"


class Showing(Processor[str, str, str, str]):
    """Shows where each record came from, and what time it was."""

    def init(self, context: ProcessorContext[str, str]) -> None:
        self.context = context

    def process(self, record: Any) -> None:
        origin, now = self.context.recordMetadata(), self.context.currentStreamTimeMs()
        assert origin is not None
        shown = f"{record.value()} {origin.topic()} {origin.offset()} {now}"
        self.context.forward(record.withValue(shown))


class Punctuating(Showing):
    """Schedules a punctuation with its third record."""

    seen = 0

    def process(self, record: Any) -> None:
        self.seen += 1
        if self.seen == 3:
            self.context.schedule(7, PunctuationType.STREAM_TIME, partial(self._tick, record))
        super().process(record)

    def _tick(self, record: Any, now: int) -> None:
        self.context.forward(record.withValue(f"tick {now}"))


def counted(joined: Streams) -> KStream[str, Any]:
    return (
        joined.groupByKey()
        .count(Materialized.with_(TEXT, Serdes.Long()))
        .toStream()
        .map(lambda key, count: KeyValue.pair(key, str(count)))
    )


def shouted(value: str) -> str:
    if value == "1+22":
        raise ValueError(value)
    return value.upper()


BELOW: dict[str, Callable[[Streams], KStream[Any, Any]]] = {
    "nothing": lambda joined: joined,
    "operators": lambda joined: joined.filter(lambda _, value: value != "1+1").mapValues(shouted),
    "origins": lambda joined: joined.process(Showing),
    "punctuations": lambda joined: joined.process(Punctuating),
    "a count": counted,
}


def program(below: str, windows: JoinWindows) -> Topology:
    builder = StreamsBuilder()
    left, right = (builder.stream(topic, Consumed.with_(TEXT, TEXT)) for topic in TOPICS)
    joined = left.join(right, both, windows, StreamJoined.with_(TEXT, TEXT, TEXT))
    BELOW[below](joined).to("out", Produced.with_(TEXT, TEXT))
    return builder.build()


def run(
    topology: Topology,
    config: dict[str, Any],
    batches: Sequence[Sequence[Row]],
    *,
    by_chunks: bool = True,
    restarts: bool,
    shortcuts: Collection[type[Shortcut]] = (JoinMerger,),
) -> list[Any]:
    """Return what is sent, dropped and kept."""
    plan, offsets, found = topology.plan(), dict.fromkeys(TOPICS, 0), list[Any]()
    config = {"statestore.cache.max.bytes": 0, **config}
    taken: dict[str, Any] = {"by_chunks": by_chunks, "shortcuts": shortcuts}
    task, host = new_task(plan, config, **taken)
    for batch in batches:
        for topic in TOPICS:
            rows = [row for row in batch if row[0] == topic]
            # In two chunks, as Spark hands long partitions over.
            for part in (rows[:3], rows[3:]):
                add(task, topic, part, offsets)
        task.run()
        task.commit()
        copies = dict(host._copies) or dict(host.kept)
        found.append([(name, dict(copy.changes().entries)) for name, copy in copies.items()])
        found.append([copy.changes().dropped for copy in copies.values()])
        host.apply()
        for copy in copies.values():
            copy.apply(b"")
        if restarts:
            found += host.sent
            found.append(measured(task))
            snapshot = task.snapshot()
            task.close()
            task, host = new_task(plan, config, kept=copies, **taken)
            task.restore(snapshot)
    found += host.sent
    found.append((measured(task), task.snapshot()))
    task.close()
    return found


def measured(task: Task) -> list[Any]:
    metrics = task.metrics.asMap().items()
    return sorted((repr(name), each.metricValue()) for name, each in metrics)


def add(task: Task, topic: str, rows: Sequence[Row], offsets: dict[str, int]) -> None:
    first, offsets[topic] = offsets[topic], offsets[topic] + len(rows)
    if rows:
        _, keys, values, times = map(list, zip(*rows, strict=True))
        task.add(RawChunk(topic, 0, range(first, offsets[topic]), times, keys, values))


ROWS = st.tuples(
    st.sampled_from(TOPICS),
    st.sampled_from([b"a", b"b", b"c", b"dd", b"a", None]),
    st.sampled_from([b"1", b"22", b"bad", "ä".encode(), None]),
    # A segment is a minute at least, so that some jump over several of them.
    st.one_of(st.integers(0, 40), st.sampled_from([59_990, 60_005, 119_999, 120_001, 400_000])),
)
NEAR = st.lists(ROWS, max_size=40)
WINDOWS = st.sampled_from(
    [
        JoinWindows.ofTimeDifferenceAndGrace(3, 0),
        JoinWindows.ofTimeDifferenceAndGrace(3, 5),
        JoinWindows.ofTimeDifferenceAndGrace(0, 0),
        JoinWindows.ofTimeDifferenceAndGrace(0, 10).after(20),
        JoinWindows.ofTimeDifferenceAndGrace(70_000, 10_000),
    ]
)


@pytest.mark.parametrize("below", BELOW)
@settings(max_examples=60, deadline=None)
@given(
    windows=WINDOWS,
    config=st.sampled_from([SKIPS, {**SKIPS, **MEMORY}]),
    batches=st.lists(NEAR, max_size=4),
    restarts=st.booleans(),
    in_order=st.booleans(),
    remembered=st.sampled_from([2, 200_000]),
)
def test_the_results_are_those_without_the_shortcut_and_of_single_records(
    below: str,
    windows: JoinWindows,
    config: dict[str, Any],
    batches: list[list[Row]],
    restarts: bool,
    in_order: bool,
    remembered: int,
) -> None:
    topology = program(below, windows)
    if in_order:
        batches = [sorted(batch, key=lambda row: row[3]) for batch in batches]

    with patch("millstream.stores.window.index.REMEMBERED_WINDOWS", remembered):
        merged = run(topology, config, batches, restarts=restarts)

    assert merged == run(topology, config, batches, shortcuts=(), restarts=restarts)
    assert merged == run(topology, config, batches, by_chunks=False, restarts=restarts)


def alternating(count: int) -> list[Row]:
    return [(TOPICS[n % 2], b"k%d" % (n // 2), b"value", n) for n in range(count)]


@pytest.fixture
def went_down(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The keys of the records that sources passed on one by one."""
    seen: list[Any] = []
    plain = SourceRuntime.process

    def noted(self: SourceRuntime, record: Any) -> None:
        seen.append(record.key())
        plain(self, record)

    monkeypatch.setattr(SourceRuntime, "process", noted)
    return seen


@pytest.mark.parametrize("config", [{}, MEMORY], ids=["rocksDB", "in_memory"])
@pytest.mark.parametrize("below", ["origins", "nothing"])
def test_records_that_find_a_partner_go_down_where_a_processor_may_look_at_them(
    below: str, config: dict[str, Any], went_down: list[Any]
) -> None:
    topology = program(below, JoinWindows.ofTimeDifferenceAndGrace(10, 0))
    rows = alternating(20)

    found = run(topology, config, [rows], restarts=False)

    # The first record of a store opens its first segment; right ones find their left one.
    partners = [f"k{n}" for n in range(10)] if below == "origins" else ["k0"]
    assert went_down == ["k0", *partners]
    sent = [each for each in found if isinstance(each, Sent)]
    shown = [f" right {n} {2 * n + 1}" if below == "origins" else "" for n in range(10)]
    assert [(each.key, each.value, each.timestamp) for each in sent] == [
        (b"k%d" % n, f"value+value{shown[n]}".encode(), 2 * n + 1) for n in range(10)
    ]


def test_a_failure_that_is_final_leaves_what_was_kept_before(went_down: list[Any]) -> None:
    def kept(*, by_chunks: bool) -> list[dict[bytes, bytes | None]]:
        plan = program("nothing", JoinWindows.ofTimeDifferenceAndGrace(10, 0)).plan()
        task, host = new_task(plan, {}, by_chunks=by_chunks)
        offsets = dict.fromkeys(TOPICS, 0)
        rows: list[Row] = [*alternating(12)[:-1], ("left", b"x", b"bad", 20)]
        add(task, "left", [row for row in rows if row[0] == "left"], offsets)
        last: list[Row] = [("right", b"x", b"bad", 21), ("right", b"y", b"1", 22)]
        add(task, "right", [*(row for row in rows if row[0] == "right"), *last], offsets)
        with pytest.raises(Exception, match="at offset 5, event time 21 ms; ValueError: bad"):
            task.run()
        copies: list[WorkingCopy] = list(host._copies.values())
        return [dict(copy.changes().entries) for copy in copies]

    assert kept(by_chunks=True) == kept(by_chunks=False)


@pytest.mark.parametrize(
    "why",
    ["headers", "debug", "another reader", "a changelog"],
)
def test_what_may_be_noticed_goes_down_record_by_record(
    why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = StreamsBuilder()
    left, right = (builder.stream(topic, Consumed.with_(TEXT, TEXT)) for topic in TOPICS)
    windows = JoinWindows.ofTimeDifferenceAndGrace(3, 0)
    joined = left.join(right, both, windows, StreamJoined.with_(TEXT, TEXT, TEXT))
    joined.to("out", Produced.with_(TEXT, TEXT))
    if why == "another reader":
        left.to("copy", Produced.with_(TEXT, TEXT))
    config = {"metrics.recording.level": "DEBUG"} if why == "debug" else {}
    if why == "a changelog":
        monkeypatch.setattr(
            "compat_tests.topology.running.BatchHost.logs_changes", lambda self, store: True
        )
    task, _ = new_task(builder.build().plan(), config)
    headers: list[Headers | None] | None
    headers = [Headers().add("h", b"1")] * 10 if why == "headers" else None
    for topic in TOPICS:
        texts: list[bytes | None] = [b"%d" % n for n in range(10)]
        task.add(RawChunk(topic, 0, range(10), range(10), texts, texts, headers))

    merger = task.shortcut(JoinMerger)
    assert merger is None or merger.take(task.group) == 0
    task.close()
