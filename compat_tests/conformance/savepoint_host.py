"""The test driver, replaced half way by one that begins with its savepoint."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from compat_tests.conformance.api import public
from compat_tests.conformance.hosts import DriverHost, RawRecord


class SavepointHost(DriverHost):
    """A driver that makes a savepoint after so many events, from which another one goes on."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self._left = after

    def start(self, topology: Any, config: dict[str, Any], wall_clock_ms: int) -> None:
        super().start(topology, config, wall_clock_ms)
        self._topology, self._config, self._clock_ms = topology, config, wall_clock_ms

    def pipe(self, record: RawRecord) -> None:
        self._happens()
        super().pipe(record)

    def advance_wall_clock(self, by_ms: int) -> None:
        self._happens()
        super().advance_wall_clock(by_ms)
        self._clock_ms += by_ms

    def _happens(self) -> None:
        self._left -= 1
        if self._left != 0:
            return
        folder = self._cleanup.enter_context(tempfile.TemporaryDirectory(prefix="savepoint-"))
        self._driver.savepoint(Path(folder, "point"))
        driver = public("TopologyTestDriver")
        settings = {**self._config, "state.dir": folder}
        self._driver = driver.fromSavepoint(
            self._topology, settings, Path(folder, "point"), self._clock_ms
        )
        self._cleanup.callback(self._driver.close)
