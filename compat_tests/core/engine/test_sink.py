"""Sinks hand short runs to their host record by record, and long ones as columns."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.topology.running import new_task
from millstream import Consumed, Produced, Serdes, StreamsBuilder
from millstream.core.chunk import RawChunk
from millstream.core.engine.output import SentChunk
from millstream.core.headers import Headers

TEXT = Serdes.String()


@pytest.mark.parametrize(("count", "chunks"), [(16, 0), (17, 1)])
def test_only_long_runs_are_sent_as_columns(
    count: int, chunks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = StreamsBuilder()
    builder.stream("in", Consumed.with_(TEXT, TEXT)).to("out", Produced.with_(TEXT, TEXT))
    task, host = new_task(builder.build().plan(), {}, by_chunks=True)
    seen: list[SentChunk] = []
    plain = host.send_chunk

    def noted(chunk: SentChunk) -> None:
        seen.append(chunk)
        plain(chunk)

    monkeypatch.setattr(host, "send_chunk", noted)
    keys: list[Any] = [b"%d" % number for number in range(count)]
    headers = [Headers().add("name", key) for key in keys]
    task.add(RawChunk("in", 0, range(count), range(count), keys, keys, [*headers]))

    task.run()

    assert len(seen) == chunks
    assert [(each.key, each.timestamp, each.headers) for each in host.sent] == [
        (key, number, headers[number]) for number, key in enumerate(keys)
    ]
