"""Signals that end a program, noted for the waiting main thread instead of raised in it."""

from __future__ import annotations

import signal
import threading
from collections import deque
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Any

from typing_extensions import Self

CAUGHT = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_RAISING = ("pyspark", "asyncio")
"""Packages whose handlers of SIGINT only end what the main thread does."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A signal that has come."""

    number: int
    frame: FrameType | None
    """Where the main thread was."""

    @property
    def name(self) -> str:
        """Its name, such as SIGTERM."""
        return signal.Signals(self.number).name


class Signals:
    """Context manager that notes SIGINT, SIGTERM and SIGHUP instead of their usual effect.

    The handler only notes, so it may run between any two instructions. Outside the main thread
    Python allows no handlers: there it notes nothing. SIGHUP, the end of a terminal, is left alone
    where it does not end the program: below nohup, or where the program has a handler, as daemons
    that read their configuration again. The exit restores the previous handlers.
    """

    def __init__(self) -> None:
        self.last: Heard | None = None
        """The last one; None before the first."""
        self._before: dict[int, Any] = {}
        self._new: deque[Heard] = deque()
        self._raised: BaseException | None = None
        """The first that a handler of the program has raised."""

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in CAUGHT:
                if number != signal.SIGHUP or signal.getsignal(number) is signal.SIG_DFL:
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

    def new(self) -> list[Heard]:
        """Return the signals since the last call."""
        return [self._new.popleft() for _ in range(len(self._new))]

    def pass_on(self, heard: Heard) -> None:
        """Call the program's own handler of a signal, if it has one; keep what it raises."""
        if not _is_of_the_program(handler := self._before[heard.number]):
            return
        try:
            handler(heard.number, heard.frame)
        except BaseException as error:  # noqa: BLE001 - sys.exit() must not cut a batch off
            self._raised = self._raised or error

    def raise_from_handlers(self) -> None:
        """Raise what a handler of the program has raised, now that nothing is waited for."""
        if self._raised is not None:
            raise self._raised

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.last = Heard(number, frame)
        self._new.append(self.last)


def _is_of_the_program(handler: Any) -> bool:
    """Tell whether a program has set a handler, to do something before it ends."""
    if not callable(handler) or handler is signal.default_int_handler:
        return False
    # asyncio's is a partial function.
    module = getattr(getattr(handler, "func", handler), "__module__", None) or ""
    return module.partition(".")[0] not in _RAISING
