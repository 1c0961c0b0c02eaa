"""What is dropped by rule is logged once, with the coordinates of the record that it was."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.topology.running import Event, new_task, raw_chunk
from millstream import (
    Deserializer,
    Serdes,
    SlidingWindows,
    StreamsBuilder,
    TimestampExtractor,
    TimeWindows,
)
from millstream.core.handlers import DeserializationExceptionHandler

TEXT = Serdes.String()
SERDES = {"default.key.serde": TEXT, "default.value.serde": TEXT}
CONTINUE = "org.apache.kafka.streams.errors.LogAndContinueExceptionHandler"
SKIP = "org.apache.kafka.streams.processor.LogAndSkipOnInvalidTimestamp"
GOOD = Event("a", "1", 500_000)
Build = Callable[[Any], Any]


class Number(Deserializer[int]):
    def deserialize(self, topic: str, data: bytes | None) -> int | None:
        return None if data is None else int(data)


class Quiet(DeserializationExceptionHandler):
    def handleError(self, context: Any, record: Any, exception: Exception) -> Any:
        return DeserializationExceptionHandler.Response.resume()


class Never(TimestampExtractor):
    def extract(self, record: Any, partitionTime: int) -> int:
        return 5 if record.value() == "1" else -1


def places(
    build: Build, events: list[Event], by_chunks: bool, caplog: Any, **entries: Any
) -> list[str]:
    """Return "topic partition offset" of each line of the log about a dropped record."""
    builder = StreamsBuilder()
    build(builder.stream("in"))
    config = SERDES | {key.replace("_", "."): value for key, value in entries.items()}
    task, _ = new_task(builder.build().plan(), config, by_chunks=by_chunks)
    with caplog.at_level(logging.WARNING):
        task.add(raw_chunk(events, 0))
        task.run()
        task.commit()
    lines = [each.getMessage() for each in caplog.records if "dropped" in each.getMessage()]
    found = [re.search(r"topic=(\S+) partition=(\S+) offset=(\S+)", line) for line in lines]
    (dropped,) = (
        metric.metricValue()
        for name, metric in task.metrics.asMap().items()
        if name.name() == "dropped-records-total"
    )
    task.close()
    assert dropped == len(lines)
    return [" ".join(each.groups()) if each else "nowhere" for each in found]


LATE = Event("a", "1", 1)
MINUTE = 60_000
WINDOWS = TimeWindows.ofSizeWithNoGrace
CASES: dict[str, tuple[Build, Event, dict[str, Any]]] = {
    "key of an aggregate": (lambda s: s.groupByKey().count(), Event(None, "1", 500_001), {}),
    "window": (lambda s: s.groupByKey().windowedBy(WINDOWS(MINUTE)).count(), LATE, {}),
    "key of a window": (
        lambda s: s.groupByKey().windowedBy(WINDOWS(MINUTE)).count(),
        Event(None, "1", 500_001),
        {},
    ),
    "sliding window": (
        lambda s: (
            s.groupByKey().windowedBy(SlidingWindows.ofTimeDifferenceWithNoGrace(MINUTE)).count()
        ),
        LATE,
        {},
    ),
    "bytes": (
        lambda s: s.peek(print),
        Event("a", "no number", 500_001),
        {
            "default_value_serde": Serdes.serdeFrom(TEXT.serializer(), Number()),
            "deserialization_exception_handler": CONTINUE,
        },
    ),
    "bytes, by a handler that says nothing": (
        lambda s: s.peek(print),
        Event("a", "no number", 500_001),
        {
            "default_value_serde": Serdes.serdeFrom(TEXT.serializer(), Number()),
            "deserialization_exception_handler": Quiet,
        },
    ),
    "time": (lambda s: s.peek(print), Event("a", "1", -1), {"default_timestamp_extractor": SKIP}),
    "time, by an extractor that says nothing": (
        lambda s: s.peek(print),
        Event("a", "2", 500_001),
        {"default_timestamp_extractor": Never},
    ),
}


@pytest.mark.parametrize("by_chunks", [False, True], ids=["by records", "by chunks"])
@pytest.mark.parametrize("case", CASES)
def test_a_dropped_record_is_logged_once_with_its_place(
    case: str, by_chunks: bool, caplog: pytest.LogCaptureFixture
) -> None:
    build, bad, entries = CASES[case]
    events = [GOOD, bad, GOOD, GOOD]
    assert places(build, events, by_chunks, caplog, **entries) == ["in 0 1"]


def test_the_first_record_has_its_own_place_too(caplog: pytest.LogCaptureFixture) -> None:
    build, bad, entries = CASES["bytes"]
    assert places(build, [bad, GOOD], True, caplog, **entries) == ["in 0 0"]


def test_a_record_that_a_store_refuses_is_named(caplog: pytest.LogCaptureFixture) -> None:
    from millstream import Materialized

    kept = Materialized.as_("kept").withRetention(2 * MINUTE)
    windows = TimeWindows.ofSizeAndGrace(MINUTE, MINUTE)

    def build(stream: Any) -> Any:
        return stream.groupByKey().windowedBy(windows).count(kept)

    for by_chunks in (False, True):
        caplog.clear()
        assert places(build, [GOOD, LATE, GOOD], by_chunks, caplog) == ["in 0 1"]
