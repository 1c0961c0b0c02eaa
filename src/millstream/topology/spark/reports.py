"""Reports of the workers, stored on the driver until they are read."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from pyspark import AccumulatorParam

T = TypeVar("T")


class Reports(AccumulatorParam[list[T]], Generic[T]):
    """Collects the reports of workers on the driver until they are taken.

    Spark's scheduler waits while a report is added, so no listener is called here.
    """

    def __init__(self, limit: int = 0, at_limit: Callable[[], object] | None = None) -> None:
        """Collect reports.

        Args:
            limit: How many reports may wait before ``at_limit`` is called; 0 for any number.
            at_limit: Starts, in another thread, to take them.
        """
        self._arrived: deque[T] | None = deque()
        self._limit = limit
        self._at_limit = at_limit

    def __getstate__(self) -> dict[str, Any]:
        return {"_arrived": None, "_limit": 0, "_at_limit": None}

    def zero(self, value: list[T]) -> list[T]:
        """Return an empty list."""
        del value
        return []

    def addInPlace(self, value1: list[T], value2: list[T]) -> list[T]:
        """Return both lists as one; on the driver, store the reports."""
        if self._arrived is None:
            return value1 + value2
        self._arrived.extend(value2)
        if self._at_limit is not None and len(self._arrived) >= self._limit:
            self._at_limit()
        return []

    def __len__(self) -> int:
        return len(self._arrived or ())

    def taken(self) -> list[T]:
        """Return the reports since the last call."""
        arrived = self._arrived or deque()
        return [arrived.popleft() for _ in range(len(arrived))]
