"""Deadlines for calls of Kafka clients, also for those that ignore their own time-out.

A client's own timeout is a promise of the client. After a broker's outage some releases do not keep
it: the call never returns, the worker waits for ever, and nothing says so.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from pyspark import TaskContext

from millstream.core.errors import TimeoutException

log = logging.getLogger(__name__)

LIMIT_S = 90.0
"""More than any timeout that a client is given here."""
_LAST_WORDS_S = 10.0
_EXIT_STATUS = 70
T = TypeVar("T")


def in_time(name: str, call: Callable[[], T], limit_s: float | None = None) -> T:
    """Return what ``call`` returns, or raise what it raises.

    If it does not return, it is left behind with its thread. A process that runs Spark's tasks then
    ends shortly after the error has been reported: its client holds locks and memory for ever.

    Args:
        name: What the call is called in the error.
        call: A call of a client. It runs in a thread of its own.
        limit_s: How long to wait, in seconds; ``LIMIT_S`` unless given.

    Raises:
        TimeoutException: The call did not return.
    """
    limit_s = LIMIT_S if limit_s is None else limit_s
    running = _Call(name, call)
    if not running.done.wait(limit_s):
        log.error("a call of the Kafka client hangs call=%s waited_s=%g", name, limit_s)
        if TaskContext.get() is not None:
            _end_process_later()
        raise TimeoutException(
            f"{name} of the Kafka client did not return within {limit_s:g} s",
            detail=f"Worker process {os.getpid()} ends, because its client cannot be used again.",
            hint="See that the broker answers; the batch is repeated when it is run again.",
        )
    return running.result()


def close_aside(client: Any) -> None:
    """Close a client without waiting: if its broker is away, that may take long."""

    def close() -> None:
        try:
            client.close()
        except Exception as error:  # noqa: BLE001 - it is given up already
            log.debug("a given up client did not close well error=%r", error)

    threading.Thread(target=close, name="millstream-end-of-client", daemon=True).start()


class _Call(Generic[T]):
    def __init__(self, name: str, call: Callable[[], T]) -> None:
        self.done = threading.Event()
        self._call = call
        self._value: list[T] = []
        self._error: BaseException | None = None
        threading.Thread(target=self._run, name=f"millstream-{name}", daemon=True).start()

    def result(self) -> T:
        if self._error is not None:
            raise self._error
        return self._value[0]

    def _run(self) -> None:
        try:
            self._value.append(self._call())
        except BaseException as error:  # noqa: BLE001 - raised again where it was called
            self._error = error
        finally:
            self.done.set()


def _end_process_later() -> None:
    timer = threading.Timer(_LAST_WORDS_S, os._exit, (_EXIT_STATUS,))
    timer.daemon = True
    timer.start()
