"""Time that workers take to read and pack a batch, and to write it: reported for onlookers."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

from pyspark import AccumulatorParam, TaskContext

BATCH_ID = "streaming.sql.batchId"
KEPT_BATCHES = 60
_WAITING = 20_000
"""How many reports are kept that nobody has asked for."""
PACK, SINK = "pack", "sink"
T = TypeVar("T")
Mapper = Callable[[Iterator[T]], Iterator[T]]


class Timed(NamedTuple):
    """The time that one of Spark's tasks took for one part of a batch."""

    batch: int
    part: str
    ms: float


class PartTimes(AccumulatorParam[list[Timed]]):
    """Collects the times of a batch's parts on the driver: of each the longest.

    Tasks run side by side, and a batch waits for the slowest.
    """

    def __init__(self) -> None:
        self._arrived: deque[Timed] | None = deque(maxlen=_WAITING)
        self._longest: dict[int, dict[str, float]] = {}
        self._asking = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {"_arrived": None}

    def zero(self, value: list[Timed]) -> list[Timed]:
        """Return an empty list."""
        del value
        return []

    def addInPlace(self, value1: list[Timed], value2: list[Timed]) -> list[Timed]:
        """Return both lists as one; on the driver, keep the reports."""
        if self._arrived is None:
            return value1 + value2
        # Spark's scheduler waits meanwhile.
        self._arrived.extend(value2)
        return []

    def of(self, batch: int) -> dict[str, float]:
        """Return the milliseconds of the parts of a batch; empty for one of long ago."""
        arrived = self._arrived
        with self._asking:
            while arrived:
                number, part, ms = arrived.popleft()
                parts = self._longest.setdefault(number, {})
                parts[part] = max(parts.get(part, 0.0), ms)
            for number in sorted(self._longest)[:-KEPT_BATCHES]:
                del self._longest[number]
            return dict(self._longest.get(batch, {}))


def timed(reports: Any, part: str, mapper: Mapper[T], *, fetches: bool = False) -> Mapper[T]:
    """Return a function for Spark that does what another does, and reports how long it took.

    Args:
        reports: Where workers report; None to leave the function as it is.
        part: The part of a batch.
        mapper: The function.
        fetches: Whether the wait for what comes in counts, too.
    """
    if reports is None:
        return mapper

    def run(arriving: Iterator[T]) -> Iterator[T]:
        watch = _Watch()
        source = arriving if fetches else watch.paused_by(arriving)
        # A function that is no generator does all its work in this call.
        watch.go()
        made = mapper(source)
        watch.stop()
        while True:
            watch.go()
            try:
                item = next(made)
            except StopIteration:
                break
            finally:
                watch.stop()
            yield item
        context = TaskContext.get()
        if context is not None:
            batch = int(context.getLocalProperty(BATCH_ID) or -1)
            reports.add([Timed(batch, part, watch.seconds * 1000)])

    return run


class _Watch:
    """A clock that runs only while the function works."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._since: float | None = None

    def go(self) -> None:
        self._since = time.perf_counter()

    def stop(self) -> None:
        if self._since is not None:
            self.seconds += time.perf_counter() - self._since
            self._since = None

    def paused_by(self, arriving: Iterator[T]) -> Iterator[T]:
        while True:
            self.stop()
            try:
                item = next(arriving)
            except StopIteration:
                return
            finally:
                self.go()
            yield item
