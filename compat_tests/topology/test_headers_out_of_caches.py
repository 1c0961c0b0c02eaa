"""A record has headers of its own when a cache lets it go, as in Kafka Streams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.topology.running import Event, run
from millstream import (
    Processor,
    Serdes,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    TimeWindows,
)

TEXT = Serdes.String()
CONFIG = {"default.key.serde": TEXT, "default.value.serde": TEXT}
WINDOWS: dict[str, Callable[[Any], Any]] = {
    "none": lambda grouped: grouped,
    "hopping": lambda grouped: grouped.windowedBy(TimeWindows.ofSizeAndGrace(10, 5).advanceBy(5)),
    "sliding": lambda grouped: grouped.windowedBy(SlidingWindows.ofTimeDifferenceAndGrace(5, 5)),
    "sessions": lambda grouped: grouped.windowedBy(SessionWindows.ofInactivityGapAndGrace(2, 5)),
}


class Marking(Processor[Any, Any, Any, Any]):
    """Adds a header to the record in hand."""

    def init(self, context: Any) -> None:
        self.context = context

    def process(self, record: Any) -> None:
        record.headers().add("mark", b"")
        self.context.forward(record.withKey("k").withValue(str(record.value())))


@pytest.mark.parametrize("by_chunks", [True, False])
@pytest.mark.parametrize("windows", WINDOWS)
def test_a_header_that_is_added_below_one_table_is_not_in_other_results(
    windows: str, by_chunks: bool
) -> None:
    builder = StreamsBuilder()
    grouped = builder.stream("in").groupByKey()
    for topic in ("one", "two"):
        WINDOWS[windows](grouped).count().toStream().process(Marking).to(topic)
    events = [Event("a", "v", 3 * n, header=b"%d" % n) for n in range(4)]
    sent = run(builder.build().plan(), CONFIG, events, by_chunks=by_chunks)
    names = [
        [header.key() for header in each.headers or ()]
        for each in sent
        if each.topic in ("one", "two")
    ]

    assert len(names) >= 2
    assert names == [["h", "mark"]] * len(names)
