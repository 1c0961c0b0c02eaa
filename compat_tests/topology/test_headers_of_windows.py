"""Each of the windows that a record updates is forwarded with headers of its own."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.topology.running import new_task
from millstream import (
    Consumed,
    Duration,
    EmitStrategy,
    Grouped,
    Headers,
    Processor,
    Produced,
    Serdes,
    Serializer,
    SlidingWindows,
    StreamsBuilder,
    TimeWindows,
)
from millstream.core.chunk import RawChunk

TEXT = Serdes.String()
TEN = Duration.ofMillis(10)


class Marking(Serializer[str]):
    """Adds a header."""

    def serialize(  # type: ignore[override]
        self, topic: str, headers: Headers, data: str | None
    ) -> bytes | None:
        headers.add("mark", b"")
        return None if data is None else data.encode()


@pytest.mark.parametrize("by_chunks", [True, False])
@pytest.mark.parametrize(
    "windows",
    [
        TimeWindows.ofSizeAndGrace(TEN, TEN).advanceBy(Duration.ofMillis(5)),
        SlidingWindows.ofTimeDifferenceAndGrace(TEN, TEN),
    ],
    ids=["hopping", "sliding"],
)
def test_a_serializer_below_adds_its_header_once(windows: Any, by_chunks: bool) -> None:
    builder = StreamsBuilder()
    grouped = builder.stream("in", Consumed.with_(TEXT, TEXT)).groupByKey(Grouped.with_(TEXT, TEXT))
    counted = grouped.windowedBy(windows).count().toStream()
    marking = Serdes.serdeFrom(Marking(), TEXT.deserializer())
    counted.map(lambda windowed, count: (windowed.key(), str(count))).to(
        "out", Produced.with_(TEXT, marking)
    )
    config = {"statestore.cache.max.bytes": 0}
    task, host = new_task(builder.build().plan(), config, by_chunks=by_chunks)
    times = [100, 103, 108, 111]
    headers: list[Headers | None] = [Headers().add("of", b"%d" % time) for time in times]
    values: list[bytes | None] = [b"v"] * 4
    task.add(RawChunk("in", 0, range(4), times, [b"k"] * 4, values, headers))
    task.run()
    task.commit()
    task.close()

    assert len(host.sent) > len(times)
    names = [[each.key() for each in sent.headers or ()] for sent in host.sent]
    assert names == [["of", "mark"]] * len(host.sent)


class MarkingProcessor(Processor[Any, Any, Any, Any]):
    """Adds a header to the record in hand."""

    def init(self, context: Any) -> None:
        self.context = context

    def process(self, record: Any) -> None:
        record.headers().add("mark", b"")
        self.context.forward(record.withKey(record.key().key()))


@pytest.mark.parametrize("by_chunks", [True, False])
def test_windows_that_one_record_closes_have_headers_of_their_own(by_chunks: bool) -> None:
    builder = StreamsBuilder()
    grouped = builder.stream("in", Consumed.with_(TEXT, TEXT)).groupByKey(Grouped.with_(TEXT, TEXT))
    windowed = grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(TEN))
    counted = windowed.emitStrategy(EmitStrategy.onWindowClose()).count()
    counted.toStream().process(MarkingProcessor).to("out", Produced.with_(TEXT, Serdes.Long()))
    task, host = new_task(builder.build().plan(), {}, by_chunks=by_chunks)
    keys: list[bytes | None] = [b"a", b"b", b"c", b"d", b"e", b"a"]
    headers: list[Headers | None] = [Headers().add("of", b"%d" % n) for n in range(6)]
    values: list[bytes | None] = [b"v"] * 6
    task.add(RawChunk("in", 0, range(6), [1, 2, 3, 4, 5, 25], keys, values, headers))
    task.run()
    task.commit()
    task.close()

    seen = [[(each.key(), each.value()) for each in sent.headers or ()] for sent in host.sent]
    assert seen == [[("of", b"5"), ("mark", b"")]] * 5
