"""Deadlines for calls of Kafka clients, also for calls that ignore their own timeout.

After a broker's outage some releases of the client do not keep the timeout of a call: it never
returns, and the worker would wait for ever without an error.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from confluent_kafka import KafkaException as ClientException
from pyspark import TaskContext

from millstream.core.errors import TimeoutException

log = logging.getLogger(__name__)

LIMIT_S = 90.0
"""Longer than every timeout that is set for a client."""
_LAST_WORDS_S = 10.0
_EXIT_STATUS = 70
T = TypeVar("T")


def in_time(name: str, call: Callable[[], T], limit_s: float | None = None) -> T:
    """Run a call in a thread of its own, and return or raise its result within a time limit.

    A call that does not return is abandoned together with its thread. A Python worker of Spark then
    ends shortly after it has reported the error: the client would hold locks and memory for ever.

    Args:
        name: Name of the call, for the error.
        call: A call of a client.
        limit_s: How long to wait, in seconds; ``LIMIT_S`` unless given.

    Raises:
        TimeoutException: The call did not return.
    """
    limit_s = LIMIT_S if limit_s is None else limit_s
    running = ClientCall(name, call)
    if not running.done.wait(limit_s):
        log.error("a call of the Kafka client hangs call=%s waited_s=%g", name, limit_s)
        if TaskContext.get() is not None:
            _end_process_later()
        raise TimeoutException(
            f"{name} of the Kafka client did not return within {limit_s:g} s",
            detail=f"Worker process {os.getpid()} ends, because its client cannot be used again.",
            hint="Check that the broker answers; the next start repeats the batch.",
        )
    return running.result()


def close_in_background(client: Any) -> None:
    """Close a client in a background thread: without a broker that may take long."""

    def close() -> None:
        try:
            client.close()
        except Exception as error:  # noqa: BLE001 - the client is abandoned
            log.debug("closing an abandoned client failed error=%r", error)

    threading.Thread(target=close, name="millstream-end-of-client", daemon=True).start()


class ClientCall(Generic[T]):
    """A call in a thread of its own.

    Args:
        name: Name of the thread.
        call: What it calls.
    """

    def __init__(self, name: str, call: Callable[[], T]) -> None:
        self.done = threading.Event()
        """Set when the call has returned or raised."""
        self._call = call
        self._value: list[T] = []
        self._error: BaseException | None = None
        threading.Thread(target=self._run, name=f"millstream-{name}", daemon=True).start()

    def result(self) -> T:
        """Return what the call has returned, or raise what it has raised; it must be done."""
        if self._error is not None:
            raise self._error
        return self._value[0]

    def _run(self) -> None:
        try:
            self._value.append(self._call())
        except SystemError as error:
            # After a fatal error the client calls what hears of its records all the same, within
            # the exception; Python tells that, and has the client's error as its cause.
            own = error.__cause__
            self._error = own if isinstance(own, ClientException) else error
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            self._error = error
        finally:
            self.done.set()


def _end_process_later() -> None:
    timer = threading.Timer(_LAST_WORDS_S, os._exit, (_EXIT_STATUS,))
    timer.daemon = True
    timer.start()
