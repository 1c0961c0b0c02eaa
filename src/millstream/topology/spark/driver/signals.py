"""Signals SIGINT and SIGTERM as flags for the waiting main thread, not as exceptions."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

from typing_extensions import Self

CAUGHT = (signal.SIGINT, signal.SIGTERM)


class Signals:
    """Context manager that counts SIGINT and SIGTERM instead of their usual effect.

    The handler only counts, so it may run between any two instructions. Outside the main thread
    Python allows no handlers: there it counts nothing. The exit restores the previous handlers.
    """

    def __init__(self) -> None:
        self.count = 0
        """Number of signals received."""
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
            # None: a handler not installed by Python, which cannot be restored.
            signal.signal(number, signal.SIG_DFL if before is None else before)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        del frame
        self.count += 1
        self.last = signal.Signals(number).name
