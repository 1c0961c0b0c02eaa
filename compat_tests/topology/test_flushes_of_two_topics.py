"""Flushes of a cache whose entries come from several topics: one run, each with its own place."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.topology.running import add_in_parts, new_task, shown
from millstream import (
    Consumed,
    Grouped,
    KTable,
    LogAndContinueProcessingExceptionHandler,
    Materialized,
    Produced,
    Serdes,
    StreamsBuilder,
)
from millstream.core.chunk import Chunk
from millstream.topology.operators.forwarding import ForwardingListener

TEXT = Serdes.String()
CONFIG = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
    "errors.dead.letter.queue.topic.name": "dead",
}
ROWS = [
    (("left", "right")[n % 3 % 2], b"k%d" % (n * 7 % 12), b"%d" % n, 1_000 + n) for n in range(60)
]


def refuse_some(key: str, value: str) -> str:
    if key in {"k3", "k7"}:
        raise ValueError(value)
    return f"{key}={value}"


def cogrouped(builder: StreamsBuilder) -> KTable[Any, Any]:
    left, right = (
        builder.stream(topic, Consumed.with_(TEXT, TEXT)).groupByKey(Grouped.with_(TEXT, TEXT))
        for topic in ("left", "right")
    )
    store: Any = Materialized.as_("all").withKeySerde(TEXT).withValueSerde(TEXT)
    return (
        left.cogroup(lambda key, value, all_: f"{all_}l{value}")
        .cogroup(right, lambda key, value, all_: f"{all_}r{value}")
        .aggregate(str, store)
    )


def results(*, by_chunks: bool) -> list[Any]:
    builder = StreamsBuilder()
    cogrouped(builder).toStream().mapValues(refuse_some).to("out", Produced.with_(TEXT, TEXT))
    task, host = new_task(builder.build().plan(), CONFIG, by_chunks=by_chunks)
    add_in_parts(task, ROWS, {"left": 0, "right": 0})
    task.run()
    task.commit()
    sent = [shown(each) for each in host.sent]
    task.close()
    return sent


def test_a_dead_letter_has_the_place_of_the_record_that_made_the_result() -> None:
    sent = results(by_chunks=True)
    assert sent == results(by_chunks=False)
    dead = [each for each in sent if each[0] == "dead"]
    assert {key for _, key, *_ in dead} == {b"k3", b"k7"}
    topics = [h.value() for each in dead for h in each[-1] if h.key().endswith("errors.topic")]
    assert set(topics) == {b"left", b"right"}


@pytest.mark.parametrize("below", ["sink", "store"])
def test_one_run_where_nothing_below_has_a_store(
    below: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = list[Chunk]()
    monkeypatch.setattr(ForwardingListener, "flush_chunk", lambda self, chunk: runs.append(chunk))
    builder = StreamsBuilder()
    table = cogrouped(builder)
    if below == "store":
        table.toStream().toTable(Materialized.as_("kept").withKeySerde(TEXT).withValueSerde(TEXT))
    else:
        table.toStream().to("out", Produced.with_(TEXT, TEXT))
    task, _ = new_task(builder.build().plan(), {})
    add_in_parts(task, ROWS, {"left": 0, "right": 0})
    task.run()
    task.commit()
    assert sum(map(len, runs)) == 12
    places = [[run.origin(n) for n in range(len(run))] for run in runs]
    assert {topic for own in places for topic, _ in own} == {"left", "right"}
    if below == "sink":
        assert len(runs) == 1
    else:
        assert all(len(set(own)) == 1 for own in places)
    task.close()
