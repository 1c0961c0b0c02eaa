"""Each of the windows that a record updates is forwarded with headers of its own."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.topology.running import new_task
from millstream import (
    Consumed,
    Duration,
    Grouped,
    Headers,
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
