"""Signals SIGINT and SIGTERM as flags for the waiting main thread, not as exceptions."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

from typing_extensions import Self

CAUGHT = (signal.SIGINT, signal.SIGTERM)


class Signals:
    """Counts SIGINT and SIGTERM while it is open, in the place of what they do otherwise.

    The handler only counts, so it may come at any instruction. Outside the main thread Python
    allows no handlers: there it counts nothing. What was installed before is put back at the end.
    """

    def __init__(self) -> None:
        self.count = 0
        """How many have come."""
        self.last = ""
        """The name of the last one."""
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in CAUGHT:
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, before in self._before.items():
            # None: it was installed by other means than Python's, and cannot be put back.
            signal.signal(number, signal.SIG_DFL if before is None else before)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        del frame
        self.count += 1
        self.last = signal.Signals(number).name
