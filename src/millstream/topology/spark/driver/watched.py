"""Watching part of an application: failures, log, observers, and the end by a failure."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from millstream.core.config import StreamsConfig
from millstream.core.errors import StreamsException, TaskMigratedException
from millstream.core.handlers import StreamThreadExceptionResponse
from millstream.plugins.names import observers
from millstream.plugins.observers import Observers
from millstream.topology.spark.checkpoint.shared_log import is_shared_log
from millstream.topology.spark.clients.outages import answers, is_outage
from millstream.topology.spark.clients.settings import client_settings
from millstream.topology.spark.driver.archive_making import ArchiveMaking
from millstream.topology.spark.driver.broker_wait import BrokerWait
from millstream.topology.spark.driver.brokers import written_topics
from millstream.topology.spark.driver.callbacks import called
from millstream.topology.spark.driver.jvm import ended_jvm, rotated_by_jvm
from millstream.topology.spark.driver.observing import ObserversApart
from millstream.topology.spark.driver.overdue import OverdueBatch
from millstream.topology.spark.driver.progress_lines import ProgressLines
from millstream.topology.spark.driver.query import STOPPED, StartCancelled
from millstream.topology.spark.driver.queryable import QueryableApplication
from millstream.topology.spark.driver.restarts import Restarts
from millstream.topology.spark.driver.runner import Runner
from millstream.topology.spark.driver.signals import Signals
from millstream.topology.spark.driver.slow_worker import hint, is_slow_worker
from millstream.topology.spark.driver.state_machine import State
from millstream.topology.spark.driver.unexpected import trace_of, unexpected
from millstream.topology.spark.driver.worker_deaths import Death, death_in, described
from millstream.topology.spark.failures import failure_from, trace_from
from millstream.topology.spark.full_disk import with_full_disks
from millstream.topology.spark.job import progress_topic
from millstream.topology.spark.log_files import Rotation
from millstream.topology.spark.logs import ApplicationLog

log = logging.getLogger(__name__)

POLL_S = 0.05
_REPLACE = StreamThreadExceptionResponse.REPLACE_THREAD.name
_SIGNALLED = (
    "%s: %s has ended Spark as well; closing without the end of the current batch, which the next "
    "start repeats"
)
_UNFINISHED = "%s: the last batch failed while closing; the next start repeats it: %s"
_ANSWERS = [answer.name for answer in StreamThreadExceptionResponse]
Handler = Callable[[Exception], Any]
StateCallback = Callable[[State, State], Any]


class WatchedApplication(QueryableApplication):
    """The part of ``KafkaStreams`` that watches the query and handles its failures.

    Args:
        runner: The query on Spark.
        config: The application's configuration.
    """

    def __init__(self, runner: Runner, config: StreamsConfig) -> None:
        super().__init__(runner, config)
        self._observers: Observers = ObserversApart(
            observers(runner.application_id, config.merged())
        )
        self._machine.listener = self._observed(None)
        self._restarts = Restarts(config)
        self._broker_wait = BrokerWait(config)
        self._overdue = OverdueBatch(
            config,
            lambda: {
                *written_topics(runner.plan, config),
                *runner.missing_topics(),
                progress_topic(runner.application_id),
            },
            read=runner.sources.topics,
        )
        self._waited_for = ""
        """What the batch that has failed waited for, where that is known."""
        self._failures = 0
        self._death: Death | None = None
        """What is known of the worker whose death has ended the query."""
        self._failure: Exception | None = None
        """The failure that ended the application."""
        self._handler: Handler | None = None
        self._watcher: threading.Thread | None = None
        self._stopping = threading.Event()
        self._signals = Signals()
        """Those that the last caller of ``run`` or ``wait`` has got."""
        self._waiting = 0
        """Number of callers that wait for the end; a failure is raised to them."""
        self._log = ApplicationLog(runner.log)
        self._rotation = Rotation(runner.log.path, rotated_by_jvm)
        self._archive = ArchiveMaking()
        interval_s = config.getLong("log.summary.interval.ms") / 1000
        self._lines = ProgressLines(runner.application_id, interval_s)

    def _attach(self) -> None:
        """Open the log, then the observers: what they say, as the live page's address, is in it."""
        self._log.open()
        try:
            self._observers.attached(self)
        except BaseException:
            self._log.close()
            raise

    def _watch(self) -> None:
        """Follow the query to its end, whatever happens: else the state would stay RUNNING."""
        try:
            self._follow()
        except BaseException as error:  # noqa: BLE001 - as of sys.exit() in a plugin
            with suppress(Exception):
                # Nobody would follow it any more, and it would go on writing.
                self._runner.halt()
            self._end_with(self._note(*unexpected(error)))

    def _follow(self) -> None:
        """Wait for the query's end; handle a failure."""
        while not self._is_stopping():
            try:
                failure = self._look()
            except Exception as error:  # noqa: BLE001 - every error must be reported
                failure = self._note(*unexpected(error))
                with suppress(Exception):
                    self._runner.halt()
            if failure is None:
                time.sleep(POLL_S)
            elif not self._is_stopping():
                last = self._recovered(failure)
                if last is not None:
                    self._end_with(last)
                    return

    def _is_stopping(self) -> bool:
        """Tell whether the application closes, or is about to.

        A signal for all processes of the program ends a JVM that the program itself has started
        before the main thread wakes up: that is no failure.
        """
        return self._stopping.is_set() or self._signals.last is not None

    def _look(self) -> StreamsException | None:
        """Return the failure that ended the query; None while it runs."""
        self._notify()
        self._rotation.look()
        self._archive.look(lambda: self._runner.last_report())
        self._runner.deleted.look(self._runner.last_report, self._runner.last_progress)
        if (lost := self._runner.lost()) is not None:
            self._runner.halt()
            return self._note(lost, "")
        text = self._runner.failure()
        if text is None or (text == STOPPED and self._stopping.is_set()):
            runner = self._runner
            self._lines.look(runner.last_progress, runner.recent_progress, runner.busy_with)
            self._overdue.look(runner.busy_with)
            return None
        self._waited_for = self._overdue.reason
        self._overdue.over()
        self._death = death_in(text)
        places = [*self._runner.local_places(), *self._runner.temporary_places()]
        failure = with_full_disks(self._failure_from(text), places)
        if is_outage(failure):
            log.info("the query has ended by an outage details=%s", trace_from(text))
            return failure
        if is_slow_worker(failure):
            failure.hint = hint(self._runner.hiding_files())
        return self._note(failure, trace_from(text))

    def _failure_from(self, text: str) -> StreamsException:
        started = self._runner.started
        if self._death is None or started is None:
            return self._runner.explained(failure_from(text))
        isolating = self._runner.isolation.on
        failure = described(self._death, started.job.layout, isolating=isolating)
        failure.__cause__ = failure_from(text).__cause__
        return failure

    def _tell_unfinished(self) -> None:
        """Tell that the query has failed while the application closes, when none follows it."""
        text = self._runner.failure()
        runner = self._runner
        runner.deleted.look(runner.last_report, runner.last_progress, at_once=True)
        if text is None or text == STOPPED or self._is_signalled(self._runner.session_stopped()):
            return
        failure, details = self._failure_from(text), {"details": trace_from(text)}
        log.warning(_UNFINISHED, self._application_id, failure, extra=details)

    def _is_signalled(self, ended: bool) -> bool:
        """Tell whether the signal that closes the application has ended Spark, too; say so."""
        if not ended or self._signals.last is None:
            return False
        log.warning(_SIGNALLED, self._application_id, self._signals.last.name)
        return True

    def _note(self, failure: StreamsException, details: str) -> StreamsException:
        """Log a failure; a terminal shows it once, here or where it is raised."""
        if place := self._log_place():
            failure.more = (*failure.more, ("log", place))
        log.error(
            "%s: %s",
            self._application_id,
            failure,
            extra={"details": details, "raised": self._waiting > 0},
        )
        return failure

    def _log_place(self) -> str:
        options = self._runner.log
        return str(options.path) if options.on else ""

    def _recovered(self, failure: StreamsException) -> StreamsException | None:
        """Start the query again after an outage, or if the handler asks for it.

        Returns:
            The failure to end with; None if the query runs again, or the application closes.
        """
        ended = self._runner.batch_ended()
        while True:
            self._failures += 1
            self._observers.failed(failure)
            paused = self._isolated_or_replaced
            if is_outage(failure):
                paused = self._outlived
            elif is_shared_log(failure) or self._is_slow(failure):
                paused = self._repeated
            last = paused(failure, batch_ended=ended)
            ended = False
            if last is not None or self._stopping.is_set():
                return last
            if self._runner.session_stopped():
                return failure
            try:
                self._runner.restart()
            except StartCancelled:
                return None
            except TaskMigratedException as error:
                # The application has another owner now, which goes on instead.
                return self._note(error, "")
            except StreamsException as error:
                failure = error if is_outage(error) else self._note(error, trace_of(error))
                continue
            except Exception as error:  # noqa: BLE001 - every error must be reported
                failure = self._note(*unexpected(error))
                if ended_jvm() is not None:
                    return failure
                continue
            self._machine.move_if_possible(State.RUNNING)
            self._lines.say("started again from the last checkpoint after a failure")
            return None

    def _is_slow(self, failure: StreamsException) -> bool:
        return is_slow_worker(failure) and not self._runner.hiding_files()

    def _isolated_or_replaced(
        self, failure: StreamsException, *, batch_ended: bool
    ) -> StreamsException | None:
        """Start again to find the record that killed a worker; else as the handler asks for."""
        death, self._death = self._death, None
        if death is not None and self._runner.isolation.goes_on(death, batch_ended=batch_ended):
            self._machine.move_if_possible(State.REBALANCING)
            log.warning("looks for the record that kills a worker id=%s", self._application_id)
            return None
        if death is not None:
            failure = self._runner.isolation.given_up(failure)
        return self._replaced(failure, batch_ended=batch_ended)

    def _replaced(self, failure: StreamsException, *, batch_ended: bool) -> StreamsException | None:
        """Pause, if the handler asks for a restart; return the failure if there is to be none."""
        if self._handler_result(failure) != _REPLACE:
            return failure
        return self._repeated(failure, batch_ended=batch_ended)

    def _repeated(self, failure: StreamsException, *, batch_ended: bool) -> StreamsException | None:
        """Pause before a restart; return the failure if there have been too many."""
        if self._stopping.is_set():
            # Closed while a handler was asked: nothing starts again.
            return None
        pause_s = self._restarts.next_pause_s(batch_ended=batch_ended)
        if pause_s is None:
            return self._restarts.given_up(failure)
        self._machine.move_if_possible(State.REBALANCING)
        log.warning("starts again in %s s application=%s", pause_s, self._application_id)
        self._stopping.wait(pause_s)
        return None

    def _outlived(self, failure: StreamsException, *, batch_ended: bool) -> StreamsException | None:
        """Wait until a broker answers; return the failure if that takes too long."""
        if self._broker_wait.failed(batch_ended=batch_ended):
            log.warning(
                "%s: Kafka does not answer; waiting until it does: %s",
                self._application_id,
                self._waited_for or failure.getMessage(),
            )
        self._machine.move_if_possible(State.REBALANCING)
        settings = client_settings(self._config)
        if self._broker_wait.until(lambda: answers(settings), self._stopping):
            return None
        return self._note(self._broker_wait.given_up(failure), trace_of(failure))

    def _handler_result(self, failure: StreamsException) -> Any:
        handler = self._handler
        if handler is None:
            return None
        role = "an uncaught exception handler"
        # Its answer is looked at there, too: what is none of ours may raise at any question.
        return called(lambda: self._answered(handler(failure)), role=role)

    def _answered(self, answer: Any) -> Any:
        name = getattr(answer, "name", answer)
        if name not in _ANSWERS and not self._stopping.is_set():
            log.error(
                "an uncaught exception handler must return one of %s, and returned %r; the "
                "application ends",
                ", ".join(_ANSWERS),
                answer,
            )
        return name

    def _end_with(self, failure: Exception) -> None:
        self._failure = failure
        if self.state() is State.PENDING_SHUTDOWN:
            log.warning("failed while closing application=%s\n%s", self._application_id, failure)
        self._machine.move_if_possible(State.PENDING_ERROR)
        for end in (self._archive.stop, self._end_queries, self._runner.release):
            try:
                end()
            except Exception as error:  # noqa: BLE001 - Spark may be gone
                log.info(
                    "stopping the application failed application=%s error=%r",
                    self._application_id,
                    error,
                )
        self._machine.move_if_possible(State.ERROR)

    def _observed(self, listener: StateCallback | None) -> StateCallback:
        """Return a callback that calls the observers, then the listener, at a change of state."""

        def notify_all(new: State, old: State) -> None:
            self._observers.state_changed(new.name, old.name)
            if listener is not None:
                called(listener, new, old, role=f"a state listener ({old.name} to {new.name})")
            if new.hasCompletedShutdown():
                self._observers.close()
                self._lines.say("closed" if new is State.NOT_RUNNING else "ended by a failure")
                self._log.close()

        return notify_all

    @property
    def _application_id(self) -> str:
        return self._runner.application_id

    def _end_queries(self) -> None:
        self._overdue.over()
        try:
            self._notify()
        finally:
            # Also where nobody answers any more: the next application has the copies' places.
            self._close_queries()

    def _notify(self) -> None:
        """Call the listeners for everything since the last call."""
