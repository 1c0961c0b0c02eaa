"""Pipes records through a topology on the test driver and tells what comes out for each."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone
from typing import Any

from typing_extensions import Self

from millstream import Serdes, Topology
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
CONFIG: dict[str, Any] = {
    "statestore.cache.max.bytes": 0,
    "default.key.serde": TEXT,
    "default.value.serde": TEXT,
}

Row = tuple[str, str, "str | None", int]
"""Topic, key, value, time."""


class Piping:
    """A driver for topics of text; what comes out is in ``out``."""

    def __init__(self, topology: Topology, *, initial_ms: int = 0, **config: Any) -> None:
        now = datetime.fromtimestamp(initial_ms / 1000, timezone.utc)
        self.driver = TopologyTestDriver(topology, CONFIG | config, now)
        text = TEXT.deserializer()
        self._out = self.driver.createOutputTopic("out", text, text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.driver.close()

    def pipe(self, topic: str, key: str, value: str | None, time: int) -> list[Any]:
        """Pipe one record; return key, value and time of what comes out."""
        topics = self.driver.createInputTopic(topic, TEXT.serializer(), TEXT.serializer())
        topics.pipeInput(key, value, time)
        return self.read()

    def wait(self, milliseconds: int) -> list[Any]:
        """Let the wall clock go on; return key, value and time of what comes out."""
        self.driver.advanceWallClockTime(milliseconds)
        return self.read()

    def read(self) -> list[Any]:
        """Return key, value and time of what has come out since the last time."""
        return [
            (record.key(), record.value(), record.timestamp())
            for record in self._out.readRecordsToList()
        ]


def outputs(topology: Topology, rows: Iterable[Row]) -> list[list[Any]]:
    """Return what comes out for each row."""
    with Piping(topology) as driver:
        return [driver.pipe(*row) for row in rows]
