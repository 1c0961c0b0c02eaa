"""What a store gives back of text is what its bytes say, as in Kafka Streams."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from compat_tests.topology.running import Event, new_task, raw_chunk
from millstream import (
    JoinWindows,
    KStream,
    Materialized,
    SessionWindows,
    SlidingWindows,
    StreamJoined,
    StreamsBuilder,
    TimeWindows,
)
from millstream.core.serdes import StringSerde

WINDOWS: dict[str, Any] = {
    "none": None,
    "tumbling": TimeWindows.ofSizeWithNoGrace(timedelta(seconds=1)),
    "sliding": SlidingWindows.ofTimeDifferenceWithNoGrace(timedelta(seconds=1)),
    "sessions": SessionWindows.ofInactivityGapWithNoGrace(timedelta(seconds=1)),
}
both = pytest.mark.parametrize("by_chunks", [True, False])


def text(writes: str, reads: str) -> StringSerde:
    serde = StringSerde()
    encodings = {"serializer.encoding": writes, "deserializer.encoding": reads}
    serde.serializer().configure(encodings, False)
    serde.deserializer().configure(encodings, False)
    return serde


def sent(builder: StreamsBuilder, *events: Event, by_chunks: bool) -> list[str]:
    config = {"default.key.serde": StringSerde(), "default.value.serde": StringSerde()}
    task, host = new_task(builder.build().plan(), config, by_chunks=by_chunks)
    task.add(raw_chunk(events, 0))
    task.run()
    task.commit()
    task.close()
    return [each.value.decode() for each in host.sent if each.topic == "out" and each.value]


def shown(stream: KStream[Any, Any]) -> None:
    stream.map(lambda _, value: ("", ascii(value))).to("out")


@both
@pytest.mark.parametrize("caching", [True, False])
@pytest.mark.parametrize("kind", WINDOWS)
def test_an_aggregate(kind: str, caching: bool, by_chunks: bool) -> None:
    store = Materialized.with_(StringSerde(), text("ascii", "ascii"))
    store = store.withCachingEnabled() if caching else store.withCachingDisabled()
    builder = StreamsBuilder()
    grouped: Any = builder.stream("in").groupByKey()
    windows = WINDOWS[kind]
    if windows is not None:
        grouped = grouped.windowedBy(windows)
    merger = [lambda _, one, two: one + two] if kind == "sessions" else []
    shown(
        grouped.aggregate(
            lambda: "", lambda _, value, total: f"{total}\xe9{value}", *merger, store
        ).toStream()
    )
    events = [Event("k", "1", 5), Event("k", "2", 5), Event("k", "3", 5)]
    last = sent(builder, *events, by_chunks=by_chunks)[-1]

    assert last == (r"'?1?2?3'" if caching else r"'?1?2\xe93'")


@both
def test_text_that_is_read_in_another_encoding(by_chunks: bool) -> None:
    builder = StreamsBuilder()
    store = Materialized.with_(StringSerde(), text("utf-8", "latin-1")).withCachingEnabled()
    shown(builder.stream("in").groupByKey().reduce(lambda _, new: new, store).toStream())

    assert sent(builder, Event("k", "\xe9", 1), by_chunks=by_chunks) == [r"'\xc3\xa9'"]


@both
def test_a_record_that_waits_for_one_of_the_other_side(by_chunks: bool) -> None:
    builder = StreamsBuilder()
    ascii_text = text("ascii", "ascii")
    left, right = builder.stream("in"), builder.stream("other")
    shown(
        left.leftJoin(
            right,
            lambda one, two: f"{one}-{two}",
            JoinWindows.ofTimeDifferenceWithNoGrace(timedelta(milliseconds=1)),
            StreamJoined.with_(StringSerde(), ascii_text, ascii_text),
        )
    )
    events = [Event("k", "\xe9", 1), Event("k", "x", 10), Event("k", "y", 20)]

    assert sent(builder, *events, by_chunks=by_chunks)[0] == "'?-None'"
