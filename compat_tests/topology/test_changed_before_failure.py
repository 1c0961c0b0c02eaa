"""An aggregate that a function has changed before it failed is as it was, for the next record."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.topology.running import new_task
from millstream import Consumed, Grouped, Materialized, Produced, Serdes, StreamsBuilder
from millstream.core.chunk import RawChunk
from millstream.core.handlers import LogAndContinueProcessingExceptionHandler

TEXT = Serdes.String()
CONFIG = {
    "statestore.cache.max.bytes": 0,
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
}


def added(_key: str, value: str, words: list[str]) -> list[str]:
    words.append(value)
    if value == "bad":
        raise ValueError("after the change")
    return words


@pytest.mark.parametrize("by_chunks", [True, False])
@pytest.mark.parametrize("topics", [1, 2])
def test_the_next_record_does_not_find_what_a_failure_has_left(
    topics: int, by_chunks: bool
) -> None:
    builder = StreamsBuilder()
    read: list[Any] = [
        builder.stream(f"in-{n}", Consumed.with_(TEXT, TEXT)).groupByKey(Grouped.with_(TEXT, TEXT))
        for n in range(topics)
    ]
    cogrouped = read[0].cogroup(added)
    for each in read[1:]:
        cogrouped = cogrouped.cogroup(each, added)
    words = Materialized.with_(TEXT, Serdes.ListSerde(list, TEXT))
    table = cogrouped.aggregate(list, words)
    table.toStream().mapValues(",".join).to("out", Produced.with_(TEXT, TEXT))
    task, host = new_task(builder.build().plan(), CONFIG, by_chunks=by_chunks)
    values = [b"a", b"b", b"bad", b"c", b"bad", b"d"]
    for n in range(topics):
        own = range(n, len(values), topics)
        keys: list[bytes | None] = [b"k"] * len(own)
        task.add(RawChunk(f"in-{n}", 0, own, list(own), keys, [values[m] for m in own], None))
    task.run()
    task.commit()
    task.close()

    assert [each.value for each in host.sent] == [b"a", b"a,b", b"a,b,c", b"a,b,c,d"]
