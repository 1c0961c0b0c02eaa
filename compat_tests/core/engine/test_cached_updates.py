"""Tables whose caches hold all updates process topics one after the other, with equal results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.topology.running import new_task
from millstream import (
    Consumed,
    KTable,
    Materialized,
    Produced,
    Serdes,
    StreamsBuilder,
    Topology,
)
from millstream.core.chunk import Chunk, RawChunk
from millstream.core.engine.output import Sent
from millstream.core.engine.queues import Decoded, concatenated
from millstream.core.engine.shortcuts import Shortcut
from millstream.core.engine.shortcuts.cached_updates import CachedUpdates
from millstream.topology.operators.table import TableSource

TEXT = Serdes.String()
AMPLE, TIGHT, NONE = 1 << 20, 700, 0

Row = tuple[str, bytes | None, bytes | None, int]
"""Topic, key, value and timestamp."""
Joins = Callable[[KTable[str, str], KTable[str, str]], KTable[Any, Any]]


def both(left: str | None, right: str | None) -> str:
    return f"{left}+{right}"


def of_foreign(left: KTable[str, str], right: KTable[str, str]) -> KTable[Any, Any]:
    return left.join(right, lambda value: value[0], both, Materialized.with_(TEXT, TEXT))


JOINS: dict[str, Joins] = {
    "join": lambda left, right: left.join(right, both),
    "leftJoin": lambda left, right: left.leftJoin(right, both),
    "outerJoin": lambda left, right: left.outerJoin(right, both),
    "foreign": of_foreign,
}


def program(join: Joins) -> Topology:
    builder = StreamsBuilder()
    left, right = (builder.table(topic, Consumed.with_(TEXT, TEXT)) for topic in ("left", "right"))
    join(left, right).toStream().to("out", Produced.with_(TEXT, TEXT))
    return builder.build()


def sent(
    topology: Topology,
    cache: int,
    batches: Sequence[Sequence[Row]],
    *,
    by_chunks: bool = True,
    shortcuts: Collection[type[Shortcut]] = (CachedUpdates,),
) -> list[Sent]:
    config = {"statestore.cache.max.bytes": cache}
    task, host = new_task(topology.plan(), config, by_chunks=by_chunks, shortcuts=shortcuts)
    offsets = {"left": 0, "right": 0}
    for batch in batches:
        for topic in offsets:
            # In two chunks, as Spark hands long partitions over.
            rows = [row for row in batch if row[0] == topic]
            for part in (rows[:3], rows[3:]):
                add(task, topic, part, offsets)
        task.run()
        task.commit()
    task.close()
    return host.sent


def add(task: Any, topic: str, rows: Sequence[Row], offsets: dict[str, int]) -> None:
    first, offsets[topic] = offsets[topic], offsets[topic] + len(rows)
    if rows:
        _, keys, values, times = map(list, zip(*rows, strict=True))
        task.add(RawChunk(topic, 0, range(first, offsets[topic]), times, keys, values))


rows = st.tuples(
    st.sampled_from(["left", "right"]),
    st.sampled_from([b"a", b"b", b"c", None]),
    st.sampled_from([b"a1", b"b22", b"c333", "ä".encode() * 40, None]),
    st.integers(0, 30),
)


@pytest.mark.parametrize("name", JOINS)
@settings(max_examples=30, deadline=None)
@given(
    batches=st.lists(st.lists(rows, max_size=30), max_size=3),
    cache=st.sampled_from([AMPLE, TIGHT, NONE]),
)
def test_the_results_are_those_without_the_shortcut_and_of_single_records(
    name: str, batches: list[list[Row]], cache: int
) -> None:
    topology = program(JOINS[name])

    taken = sent(topology, cache, batches)

    assert taken == sent(topology, cache, batches, shortcuts=())
    assert taken == sent(topology, cache, batches, by_chunks=False)


@pytest.mark.parametrize(("cache", "runs"), [(AMPLE, [50, 50]), (TIGHT, []), (NONE, [])])
def test_alternating_topics_go_down_in_two_runs_if_the_cache_has_room(
    cache: int, runs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    plain = TableSource.process_chunk

    def noted(self: TableSource, chunk: Any) -> None:
        seen.append(len(chunk))
        plain(self, chunk)

    monkeypatch.setattr(TableSource, "process_chunk", noted)
    batch = [("left" if n % 2 else "right", b"k%d" % n, b"value", n) for n in range(100)]

    sent(program(JOINS["join"]), cache, [batch])

    assert seen == runs


def test_joined_chunks_keep_the_bytes_of_what_was_not_left_out() -> None:
    def part(first: int, kept: list[int] | None) -> Decoded:
        numbers = range(first, first + 3)
        keys: list[Any] = [b"%d" % number for number in numbers]
        raw = RawChunk("in", 0, numbers, numbers, keys, keys)
        chosen = [0, 1, 2] if kept is None else kept
        at, shown = [numbers[i] for i in chosen], [keys[i] for i in chosen]
        chunk = Chunk("in", 0, at, at, shown, shown)
        return Decoded(chunk, raw, kept)

    run = concatenated([part(0, [0, 2]), part(3, None)])

    assert run is not None
    assert run.chunk.keys == [b"0", b"2", b"3", b"4", b"5"]
    assert [run.raw.keys[run.raw_index(i)] for i in range(5)] == run.chunk.keys
