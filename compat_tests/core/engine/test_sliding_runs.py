"""Sliding windows without a cache forward the updates of a chunk as one run."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.topology.running import new_task, shown
from millstream import (
    Consumed,
    Duration,
    Grouped,
    Materialized,
    Produced,
    Serdes,
    SlidingWindows,
    StreamsBuilder,
    Topology,
)
from millstream.core.chunk import Chunk, RawChunk
from millstream.core.handlers import LogAndContinueProcessingExceptionHandler
from millstream.core.headers import Headers
from millstream.topology.operators.sliding_aggregate import SlidingAggregate

TEXT = Serdes.String()
WINDOWS = SlidingWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(5), Duration.ofMillis(3))


def joined(_key: str, value: str, aggregate: str) -> str | None:
    """Some records fail, in the middle of their windows; some empty a window."""
    if value == "fail" and "b" in aggregate:
        raise ValueError("a fail after a b")
    return None if value == "gone" else aggregate + value


def program() -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed.with_(TEXT, TEXT)).groupByKey(Grouped.with_(TEXT, TEXT))
    table = stream.windowedBy(WINDOWS).aggregate(lambda: "", joined, Materialized.with_(TEXT, TEXT))
    named = table.toStream().selectKey(lambda windowed, _: f"{windowed.key()}{windowed.window()}")
    named.to("out", Produced.with_(TEXT, TEXT))
    # A store below, whose updates show in which order the others come.
    counted = named.groupBy(lambda key, _: key[0], Grouped.with_(TEXT, TEXT)).count(
        Materialized.with_(TEXT, Serdes.Long())
    )
    counted.toStream().to("counted", Produced.with_(TEXT, Serdes.Long()))
    return builder.build()


def run(rows: list[Any], *, by_chunks: bool) -> tuple[list[Any], bytes]:
    config = {
        "statestore.cache.max.bytes": 0,
        "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
        "errors.dead.letter.queue.topic.name": "dead",
    }
    task, host = new_task(program().plan(), config, by_chunks=by_chunks)
    keys, values, steps = map(list, zip(*rows, strict=True))
    times = [100 + number + step for number, step in enumerate(steps)]
    headers = [Headers().add("of", b"%d" % t) if t % 2 else None for t in times]
    task.add(RawChunk("in", 0, range(len(rows)), times, keys, values, headers))
    task.run()
    task.commit()
    saved = task.snapshot()
    task.close()
    return [shown(each) for each in host.sent], saved


rows = st.tuples(
    st.sampled_from([b"k", b"l", None]),
    st.sampled_from([b"a", b"b", b"fail", b"gone", None]),
    st.integers(-9, 3),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(rows, min_size=2, max_size=25))
def test_a_chunk_does_what_single_records_do(rows: list[Any]) -> None:
    assert run(rows, by_chunks=True) == run(rows, by_chunks=False)


def test_the_updates_of_a_chunk_are_one_run(monkeypatch: Any) -> None:
    runs = []
    plain = SlidingAggregate._forward_updates

    def noted(self: SlidingAggregate, chunk: Chunk) -> None:
        runs.append(len(self._updates))
        plain(self, chunk)

    monkeypatch.setattr(SlidingAggregate, "_forward_updates", noted)
    run([(b"k", b"a", 10 * number) for number in range(20)], by_chunks=True)
    assert runs == [20]
