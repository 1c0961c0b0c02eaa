"""A repeated batch gives its records the same times, also where an extractor takes the present."""

from __future__ import annotations

import time
from typing import Any

import pytest

from compat_tests.properties.line import LineOfTasks
from millstream.core.engine.output import Sent

EXTRACTOR = "org.apache.kafka.streams.processor.WallclockTimestampExtractor"
PRESENT: Any = {
    "config": {"default.timestamp.extractor": EXTRACTOR},
    "topics": {"in": ["string", "string"], "out": ["string", "string"]},
    "stores": {},
    "topology": [
        {"id": "s", "op": "stream", "topics": ["in"], "key": "string", "value": "string"},
        {"op": "to", "from": ["s"], "topic": "out", "key": "string", "value": "string"},
    ],
}
BATCH_MS = 1_700_000_000_000


def test_an_extractor_of_the_wall_clock_gives_the_batchs_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What an attempt has written must fit the stores of the attempt that counts."""
    records = [Sent("in", b"a", b"x", 5, None), Sent("in", b"b", b"y", 6, None)]
    with LineOfTasks(PRESENT) as line:
        line.batch(records, BATCH_MS, 0)
        monkeypatch.setattr(time, "time_ns", lambda: 1)
        line.batch(records, BATCH_MS, 1)
        first, again = (batch["out"] for batch in line.seen.batches)
    assert first == again
    assert all(str(BATCH_MS) in str(each) for each in first)
