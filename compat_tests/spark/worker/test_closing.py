"""What a processor does in its ``close`` belongs to no batch."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.conformance.processors import NamedProcessor
from compat_tests.properties.line import LineOfTasks
from millstream import Record
from millstream.core.engine.output import Sent

NAMES: Any = {
    "config": {},
    "topics": {"in": ["string", "string"], "out": ["string", "string"]},
    "stores": {},
    "topology": [
        {"id": "s", "op": "stream", "topics": ["in"], "key": "string", "value": "string"},
        {"id": "p", "op": "process", "from": ["s"], "processor": "meta"},
        {"op": "to", "from": ["p"], "topic": "out", "key": "string", "value": "string"},
    ],
}


def test_a_task_that_comes_back_sends_nothing_that_its_old_copy_forwards_in_close(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The worker closes the old copy when the task returns, within the batch that brings it."""
    closed = []

    def close(processor: Any) -> None:
        closed.append(processor)
        processor.context.forward(Record("old", "left over", 0))

    monkeypatch.setattr(NamedProcessor, "close", close)
    with LineOfTasks(NAMES) as line:
        for worker in (0, 1, 0):
            line.batch([Sent("in", b"a", b"x", 0, None)], 0, worker)
            assert len(line.seen.batches[-1]["out"]) == 1
        assert len(closed) == 1
