"""Dead letters below ``suppress`` have no source key and value, however the records came."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.topology.running import new_task
from millstream import (
    Consumed,
    Materialized,
    Produced,
    Serdes,
    StreamsBuilder,
    Suppressed,
)
from millstream.core.chunk import RawChunk
from millstream.core.handlers import LogAndContinueProcessingExceptionHandler

TEXT = Serdes.String()


def refuse(value: str) -> str:
    raise ValueError(value)


@pytest.mark.parametrize("batches", [1, 4])
@pytest.mark.parametrize("by_chunks", [True, False])
def test_they_do_not_depend_on_where_a_batch_ends(batches: int, *, by_chunks: bool) -> None:
    builder = StreamsBuilder()
    table: Any = builder.table("in", Consumed.with_(TEXT, TEXT), Materialized.with_(TEXT, TEXT))
    waits = Suppressed.untilTimeLimit(5, Suppressed.BufferConfig.unbounded())
    failing = table.suppress(waits).toStream().mapValues(refuse)
    failing.to("out", Produced.with_(TEXT, TEXT))
    config = {
        "statestore.cache.max.bytes": 0,
        "errors.dead.letter.queue.topic.name": "dead",
        "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
    }
    task, host = new_task(builder.build().plan(), config, by_chunks=by_chunks)
    keys: list[bytes | None] = [b"a", b"b", b"c", b"d"]
    size = len(keys) // batches

    for first in range(0, len(keys), size):
        places = range(first, first + size)
        times = [100 * place for place in places]
        task.add(RawChunk("in", 0, places, times, keys[first : first + size], [b"x"] * size, None))
        task.run()
        task.commit()
    task.close()

    assert [each[:3] for each in host.sent] == [("dead", None, None)] * 3
