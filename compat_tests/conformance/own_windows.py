"""Windows as a user writes them, with only what the abstract class asks for."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from compat_tests.conformance.api import public

KINDS = ("daily", "slots")


def own_windows(spec: dict[str, Any]) -> Any:
    """The windows of a spec whose type is one of `KINDS`."""
    return (_daily if spec["type"] == "daily" else _slots)(spec)


def _daily(spec: dict[str, Any]) -> Any:
    window, zone = public("TimeWindow"), ZoneInfo(spec["zone"])

    class Daily(public("Windows")):  # type: ignore[misc]
        """Days of a time zone: one in spring has 23 hours, one in autumn 25."""

        def windowsFor(self, timestamp: int) -> dict[int, Any]:
            day = datetime.fromtimestamp(timestamp / 1000, zone).date()
            start, end = _midnight(day, zone), _midnight(day + timedelta(days=1), zone)
            return {start: window(start, end)}

        def size(self) -> int:
            return 24 * 60 * 60 * 1000

        def gracePeriodMs(self) -> int:
            return int(spec.get("grace", 0))

    return Daily()


def _midnight(day: Any, zone: ZoneInfo) -> int:
    return int(datetime.combine(day, time(), zone).timestamp()) * 1000


def _slots(spec: dict[str, Any]) -> Any:
    size = spec["size"]
    advance, length = spec.get("advance", size), spec.get("length", size)

    class Slot(public("Window")):  # type: ignore[misc]
        def overlap(self, other: Any) -> bool:
            return bool(self.start() < other.end() and other.start() < self.end())

    class Slots(public("Windows")):  # type: ignore[misc]
        """Overlapping windows, the latest first, that are as long as they like."""

        def windowsFor(self, timestamp: int) -> dict[int, Any]:
            starts = range(timestamp - timestamp % advance, timestamp - size, -advance)
            return {start: Slot(start, start + length) for start in starts if start >= 0}

        def size(self) -> int:
            return int(size)

        def gracePeriodMs(self) -> int:
            return int(spec.get("grace", 0))

    return Slots()
