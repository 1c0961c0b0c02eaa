"""What waits for the wall clock, after a restart with a clock that was set back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compat_tests.topology.driving import TEXT
from compat_tests.topology.test_wall_clock import WINDOWS, counts, held_back
from millstream import (
    Consumed,
    ContextualProcessor,
    PunctuationType,
    Record,
    StreamsBuilder,
    Topology,
)
from millstream.testing import TopologyTestDriver

CONFIG = {"application.id": "app", "default.key.serde": TEXT, "default.value.serde": TEXT}
LATE, EARLY = 10_000_000, 5_000


class Ticking(ContextualProcessor[Any, Any, Any, Any]):
    """Forwards the time of each call."""

    def __init__(self, interval_ms: int, kind: PunctuationType) -> None:
        self._interval_ms, self._kind = interval_ms, kind

    def init(self, context: Any) -> None:
        super().init(context)
        context.schedule(self._interval_ms, self._kind, self.tick)

    def process(self, record: Any) -> None:
        pass

    def tick(self, time: int) -> None:
        self.context().forward(Record("tick", str(time), time))


def ticking(interval_ms: int, kind: PunctuationType = PunctuationType.WALL_CLOCK_TIME) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed.with_(TEXT, TEXT))
    stream.process(lambda: Ticking(interval_ms, kind)).to("out")
    return builder.build()


def piped(driver: TopologyTestDriver, *times: int) -> list[tuple[str, str]]:
    text = TEXT.serializer()
    for time in times:
        driver.createInputTopic("in", text, text).pipeInput("a", "1", time)
    reader = TEXT.deserializer()
    found = driver.createOutputTopic("out", reader, reader).readKeyValuesToList()
    return [(each.key, each.value) for each in found]


def restarted(
    root: Path, before: Topology, after: Topology, clock: int, *times: int
) -> TopologyTestDriver:
    """A driver with the state of one that has read records of these times at ``LATE``."""
    with TopologyTestDriver(before, CONFIG, LATE) as driver:
        piped(driver, *times)
        driver.savepoint(root / "point")
    return TopologyTestDriver.fromSavepoint(after, CONFIG, root / "point", clock)


def test_a_punctuation_does_not_wait_for_the_former_time(tmp_path: Path) -> None:
    with restarted(tmp_path, ticking(1000), ticking(1000), EARLY, 1) as driver:
        driver.advanceWallClockTime(1000)
        assert piped(driver) == [("tick", "6000")]
        driver.advanceWallClockTime(1000)
        assert piped(driver) == [("tick", "7000")]


@pytest.mark.parametrize("kind", PunctuationType)
def test_a_punctuation_does_not_wait_for_a_longer_interval_of_before(
    tmp_path: Path, kind: PunctuationType
) -> None:
    before, after = ticking(3_600_000, kind), ticking(1000, kind)
    with restarted(tmp_path, before, after, LATE, 1) as driver:
        driver.advanceWallClockTime(1000)
        assert piped(driver, 1001) == [
            ("tick", "1001" if kind is PunctuationType.STREAM_TIME else "10001000")
        ]


def test_a_suppressed_update_comes_after_its_limit(tmp_path: Path) -> None:
    topology = held_back(10)
    with restarted(tmp_path, topology, topology, EARLY, 100) as driver:
        assert piped(driver) == []
        driver.advanceWallClockTime(1000)
        driver.advanceWallClockTime(1000)
        assert piped(driver) == [("a", "1")]


def test_windows_close_when_no_records_come(tmp_path: Path) -> None:
    topology = counts(WINDOWS["tumbling"])
    with restarted(tmp_path, topology, topology, EARLY, 100) as driver:
        driver.advanceWallClockTime(1000)
        driver.advanceWallClockTime(1000)
        assert piped(driver) == [("a@100/110", "1")]
