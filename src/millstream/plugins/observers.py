"""Contract of an observer of an application's state, failures and metrics."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar

from millstream.core.errors import MillstreamError
from millstream.core.metrics import Metric, MetricName
from millstream.core.readable import Readable

log = logging.getLogger(__name__)

Measured = Mapping[MetricName, Metric]


class Observer(Readable):
    """Base class of observers; override methods. ``millstream.observer.names`` lists observers.

    Calls come from the driver's process, one at a time, between batches. An error of an observer
    is logged and has no other effect. One that does not return is waited for ten seconds; then the
    application goes on, and calls it again when it has returned, without the batches in between.

    Args:
        application_id: The observed application; each application has its own observers.
        options: The application's configuration.
    """

    name: ClassVar[str]
    """Unique among the plugins; lower case."""

    def __init__(self, application_id: str, options: Mapping[str, Any]) -> None:
        self.application_id = application_id

    def attached(self, streams: Any) -> None:
        """Called at the start, before the first change of state, with the ``KafkaStreams`` object.

        Only a ``MillstreamError`` that this raises refuses the start. What is asked of the
        application later, from a thread of the observer, must not keep it waiting.
        """

    def state_changed(self, new: str, old: str) -> None:
        """Called at every change of state, with the names of ``KafkaStreams.State``."""

    def batch_done(self, metrics: Measured) -> None:
        """Called after batches, with the current metrics, which are read when they are used."""

    def failed(self, error: Exception) -> None:
        """Called after a failure, before the uncaught exception handler."""

    def close(self) -> None:
        """Called once, at the end."""


class ReadWhenUsed(Mapping[MetricName, Metric]):
    """Metrics that are read once, when an observer uses them.

    Args:
        read: Returns the current metrics.
    """

    def __init__(self, read: Callable[[], Measured]) -> None:
        self._read = read
        self._found: Measured | None = None

    def __getitem__(self, name: MetricName) -> Metric:
        return self._metrics()[name]

    def __iter__(self) -> Iterator[MetricName]:
        return iter(self._metrics())

    def __len__(self) -> int:
        return len(self._metrics())

    def _metrics(self) -> Measured:
        if self._found is None:
            self._found = self._read()
        return self._found


Call = Callable[[Observer], None]
"""A call of one method of an observer."""


class Observers:
    """All observers of one application."""

    def __init__(self, observers: Iterable[Observer] = ()) -> None:
        self._observers = list(observers)

    def __bool__(self) -> bool:
        return bool(self._observers)

    def __iter__(self) -> Iterator[Observer]:
        return iter(self._observers)

    def is_calling(self) -> bool:
        """Return whether this thread is one in which only observers are called."""
        return False

    def attached(self, streams: Any) -> None:
        """Tell all of the application that starts.

        Raises:
            MillstreamError: An observer refuses the start.
        """
        for observer in self._observers:
            try:
                observer.attached(streams)
            except MillstreamError:
                raise
            except Exception:
                log.exception("an observer failed observer=%s", observer.name)

    def state_changed(self, new: str, old: str) -> None:
        """Tell all of a change of state."""
        self._tell(lambda observer: observer.state_changed(new, old))

    def batch_done(self, metrics: Measured) -> None:
        """Tell all of metrics."""
        self._tell(lambda observer: observer.batch_done(metrics))

    def failed(self, error: Exception) -> None:
        """Tell all of a failure."""
        self._tell(lambda observer: observer.failed(error))

    def close(self) -> None:
        """Close all observers."""
        self._tell(lambda observer: observer.close())
        self._observers = []

    def _tell(self, call: Call) -> None:
        for observer in self._observers:
            told(observer, call)


def told(observer: Observer, call: Call) -> None:
    """Call an observer; log what it raises.

    Raises:
        KeyboardInterrupt: Ctrl-C in the main thread.
    """
    try:
        call(observer)
    except BaseException as error:
        # Nor does sys.exit() end a thread of ours; Ctrl-C does end the program.
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and isinstance(error, KeyboardInterrupt):
            raise
        log.exception("an observer failed observer=%s", observer.name)
