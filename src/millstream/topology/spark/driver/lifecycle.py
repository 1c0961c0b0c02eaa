"""Life cycle of an application: start, run, wait, close, and its end by a failure."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from types import TracebackType

from typing_extensions import Self

from millstream.core.close_options import CloseOptions
from millstream.core.config import StreamsConfig
from millstream.core.durations import to_millis
from millstream.core.errors import (
    IllegalArgumentException,
    IllegalStateException,
)
from millstream.topology.spark.driver.green_threads import check_threads
from millstream.topology.spark.driver.inherited import inherited_properties
from millstream.topology.spark.driver.jvm import ended_jvm, forget_ended_jvm
from millstream.topology.spark.driver.preflight import check_directory, check_temporary
from millstream.topology.spark.driver.program_end import ProgramEnd
from millstream.topology.spark.driver.query import StartCancelled
from millstream.topology.spark.driver.runner import Runner
from millstream.topology.spark.driver.signals import Signals
from millstream.topology.spark.driver.state_machine import OwnThread, State
from millstream.topology.spark.driver.unexpected import start_failure, trace_of, unexpected
from millstream.topology.spark.driver.watched import POLL_S, WatchedApplication

log = logging.getLogger(__name__)

FOREVER = CloseOptions()

_STILL_CLOSING = (
    "%s: close() has not come to its end within %g s and goes on: a batch still runs, or a handler "
    "or listener of the program, or Kafka does not answer, which Spark waits for"
)

_UNHEARD = (
    "%s: signals do not close what waits in a thread of asyncio, and asyncio.run() waits for that "
    "thread at Ctrl-C: call start(), and close() in a finally"
)
_ASYNCIO = "asyncio_"
"""Beginning of the names of the threads of ``asyncio.to_thread``."""


class LivingApplication(WatchedApplication):
    """The part of ``KafkaStreams`` that starts, waits and ends.

    Args:
        runner: The query on Spark.
        config: The application's configuration.
    """

    def __init__(self, runner: Runner, config: StreamsConfig) -> None:
        super().__init__(runner, config)
        self._start_error: Exception | None = None
        self._raised = False
        """The failure has been raised to a caller."""
        self._started_by_with = False
        self._starter: threading.Thread | None = None
        self._closer: threading.Thread | None = None
        self._launching = threading.RLock()
        self._program_end = ProgramEnd(runner.application_id, self)
        self._heard = 0
        """Number of signals, over all calls of ``wait``."""
        self._passing_on: int | None = None
        """The thread that calls the program's own handler of a signal."""

    def __repr__(self) -> str:
        name = self._config.getString("application.id")
        return f"{type(self).__name__}({name!r}, {self.state().name})"

    def start(self) -> None:
        """Check topics, checkpoint and broker, then start; return when the query runs.

        If the application is closed meanwhile, return too.

        Raises:
            IllegalStateException: It was started or closed before.
            BrokerNotFoundException: No broker answers.
            MissingSourceTopicException: A topic that the topology reads does not exist.
            LockException: Another instance runs in the same state directory.
            StreamsException: The checkpoint belongs to another topology, does not fit what the
                group has committed, or is damaged; the application belongs to another checkpoint;
                or a topic to write to does not exist.
        """
        starter = self._launch()
        try:
            starter.join()
        except BaseException:
            # Ctrl-C: the start must not continue in the background.
            self._begin_close(None)
            raise
        if self._start_error is not None:
            self._raised = True
            raise self._start_error

    def run(self) -> None:
        """Start, and return when a signal or ``close`` has closed the application.

        The whole main program of a service: SIGINT (Ctrl-C), SIGTERM and, unless the program
        ignores or handles it, SIGHUP (the end of its terminal) close the application, which
        finishes the current batch; a second signal does not wait for it; a third one raises
        KeyboardInterrupt. A handler of the program's is called when the application has begun to
        close; what it raises, as by ``sys.exit``, is raised at the end. Outside the main thread
        no signals are caught.

        Raises:
            IllegalStateException: It was started or closed before.
            StreamsException: The failure that ended the application, with the original error as its
                cause. A program that does not catch it ends with status 1.

        Example::

            KafkaStreams(topology, config).run()
        """
        with self._caught() as signals:
            self._launch()
            self._wait(None, signals)
        if (failure := self._unraised()) is not None:
            raise failure

    def wait(self, timeout: timedelta | int | None = None) -> bool:
        """Wait for the end of a started application; return whether it has ended.

        Meanwhile signals have the same effect as in ``run``.

        Args:
            timeout: The longest time to wait; a number is milliseconds. None: no limit.

        Raises:
            IllegalArgumentException: The timeout is negative.
            IllegalStateException: The application has not been started, or was started by a
                process that this one was forked from, or a listener or a handler calls this.
            StreamsException: The failure that ended the application, with the original error as
                its cause.
        """
        limit_s = seconds(timeout)
        if self.state().hasNotStarted():
            raise IllegalStateException(
                "cannot wait: the application is CREATED", hint="Call start() first, or run()."
            )
        self._program_end.check("wait")
        if self._is_own_thread():
            raise IllegalStateException(
                "cannot wait in a listener or handler",
                detail="The application cannot end before it returns.",
            )
        with self._caught() as signals:
            over = self._wait(limit_s, signals)
        if over and (failure := self._unraised()) is not None:
            raise failure
        return over

    def close(self, timeout: timedelta | int | CloseOptions = FOREVER) -> bool:
        """Finish the current batch and stop; return whether the application has ended in time.

        In a listener or a handler it starts to close, and returns at once; so it does in a handler
        of a signal that comes while ``run`` or ``wait`` waits. In a process that was forked from
        the one that has started the application it does nothing but warn.

        Args:
            timeout: The longest time to wait; by default there is no limit. Of ``CloseOptions``
                only the timeout counts: on Spark there is no group membership.

        Raises:
            IllegalArgumentException: The timeout is negative, or None.
        """
        if not isinstance(timeout, CloseOptions):
            timeout = CloseOptions.timeout(to_millis(timeout, "timeout"))
        limit_s = seconds(timeout.timeout_ms)
        if self._program_end.is_elsewhere():
            self._program_end.left_alone()
            return False
        self._begin_close(limit_s)
        if self._is_own_thread():
            return self._machine.wait_until_over(0)
        over = self._machine.wait_until_over(limit_s)
        if not over and limit_s:
            log.warning(_STILL_CLOSING, self._application_id, limit_s)
        return over

    def __enter__(self) -> Self:
        """Start, unless the application has been started; ``start`` in the block does nothing more.

        So both forms run: the short one of Python, and that of Java's try-with-resources. Set
        listeners and handlers before the block.
        """
        if self.state().hasNotStarted():
            self.start()
            self._started_by_with = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close.

        Raises:
            StreamsException: The failure that ended the application, unless the block raised an
                error, or ``wait`` has raised this one.
        """
        self.close()
        if kind is None and not self._raised and (failure := self._unraised()) is not None:
            raise failure

    # -- start -------------------------------------------------------------------

    def _launch(self) -> threading.Thread:
        """Start in a thread, where pyspark does not change the process's signal handlers."""
        with self._launching:
            if self._started_by_with and self._starter is not None:
                self._started_by_with = False
                return self._starter
            if not self.state().hasNotStarted():
                raise IllegalStateException(
                    f"cannot start: the application is {self.state().name}",
                    hint="Make a new KafkaStreams object to start again.",
                )
            forget_ended_jvm()
            check_threads()
            check_temporary()
            check_directory(self._runner.state_dir)
            self._attach()
            self._lines.starting(self._log_place())
            self._program_end.started()
            try:
                self._machine.move(State.REBALANCING)
            except KeyboardInterrupt:
                # Ctrl-C in a listener: without a starter nothing else would end the application.
                self._begin_close(None)
                raise
            name = f"{self._runner.application_id}-starter"
            self._starter = OwnThread(
                target=self._start, args=(inherited_properties(),), name=name, daemon=True
            )
            self._starter.start()
            return self._starter

    def _start(self, inherit: Callable[[], None]) -> None:
        inherit()
        try:
            self._runner.start()
            self._prepare_queries()
        except StartCancelled:
            return
        except BaseException as error:  # noqa: BLE001 - the caller's thread raises it
            self._abandon()
            log.error(
                "%s: the start failed: %s",
                self._application_id,
                error,
                extra={"details": trace_of(error), "raised": True},
            )
            self._start_error = start_failure(error)
            self._end_with(self._start_error)
            return
        if self._machine.move_if_possible(State.RUNNING):
            self._lines.first_batch(self._runner.tasks())
            self._watcher = OwnThread(
                target=self._watch, name=f"{self._runner.application_id}-watcher", daemon=True
            )
            self._watcher.start()

    def _abandon(self) -> None:
        try:
            self._runner.stop(None)
        except Exception:
            log.exception("cannot stop what was started application=%s", self._application_id)

    # -- end ---------------------------------------------------------------------

    @contextmanager
    def _caught(self) -> Iterator[Signals]:
        """Catch signals while a caller waits for the end; a failure is raised to it."""
        self._waiting += 1
        try:
            with Signals() as signals:
                if threading.current_thread() is threading.main_thread():
                    self._signals = signals
                elif threading.current_thread().name.startswith(_ASYNCIO):
                    log.warning(_UNHEARD, self._application_id)
                yield signals
        finally:
            self._waiting -= 1
        self._hear(signals)
        signals.raise_from_handlers()

    def _wait(self, limit_s: float | None, signals: Signals) -> bool:
        give_up = None if limit_s is None else time.monotonic() + limit_s
        while not self._machine.wait_until_over(POLL_S):
            self._hear(signals)
            if give_up is not None and time.monotonic() >= give_up:
                return self.state().hasCompletedShutdown()
        return True

    def _hear(self, signals: Signals) -> None:
        """Close at signals since the last call, all one, then call the program's own handlers."""
        # ``timeout`` sends SIGTERM twice, a closed terminal SIGHUP as well.
        if new := signals.new():
            self._heard += 1
            if not self.state().hasCompletedShutdown():
                self._on_signal(self._heard, new[0].name)
        for heard in new:
            self._passing_on = threading.get_ident()
            try:
                signals.pass_on(heard)
            finally:
                self._passing_on = None

    def _on_signal(self, count: int, name: str) -> None:
        if count == 1:
            self._lines.say("%s: closing after the current batch", name)
            self._begin_close(None)
        elif count == 2:
            self._lines.say("%s: closing without waiting for the current batch", name)
            self._runner.hurry()
        else:
            raise KeyboardInterrupt

    def _begin_close(self, limit_s: float | None) -> None:
        try:
            begins = self._machine.move(State.PENDING_SHUTDOWN)
        except KeyboardInterrupt:
            # Ctrl-C in a listener; the state has changed before it is called.
            self._close_in_a_thread(limit_s)
            raise
        if begins:
            self._close_in_a_thread(limit_s)

    def _close_in_a_thread(self, limit_s: float | None) -> None:
        self._runner.no_more()
        name = f"{self._application_id}-closer"
        self._closer = OwnThread(target=self._shut_down, args=(limit_s,), name=name, daemon=True)
        try:
            self._closer.start()
        except RuntimeError:
            # Python 3.12 starts no thread any more while atexit's functions run.
            self._shut_down(limit_s)

    def _shut_down(self, limit_s: float | None) -> None:
        self._stopping.set()
        try:
            self._archive.stop()
            if self._starter is not None and self._starter.ident is not None:
                self._starter.join()
            try:
                self._runner.stop(limit_s)
                self._tell_unfinished()
            finally:
                if self._watcher is not None:
                    self._watcher.join()
                self._end_queries()
        except Exception as error:  # noqa: BLE001 - the end must be reported after any error
            # The next start repeats an unfinished batch, so nothing is lost.
            if not self._is_signalled(ended_jvm() is not None):
                log.warning(
                    "stopping the application failed application=%s %s",
                    self._application_id,
                    self._note(*unexpected(error)),
                )
        finally:
            with suppress(Exception):
                self._runner.release()
            self._machine.move(State.NOT_RUNNING)

    def _unraised(self) -> Exception | None:
        """Return the failure that ended the application, if it is not yet raised to a caller."""
        self._raised = self._failure is not None
        return self._failure

    def _is_own_thread(self) -> bool:
        own = (self._watcher, self._starter, self._closer)
        if threading.current_thread() in own or threading.get_ident() == self._passing_on:
            return True
        return self._machine.is_notifying() or self._observers.is_calling()


def seconds(timeout: timedelta | int | None) -> float | None:
    """Return a time limit in seconds; a number is milliseconds, None is no limit.

    Raises:
        IllegalArgumentException: It is negative.
    """
    if timeout is None:
        return None
    limit_ms = to_millis(timeout, "timeout")
    if limit_ms < 0:
        raise IllegalArgumentException("Timeout can't be negative.", detail=f"It is {limit_ms} ms.")
    # Longer than any thread can wait is for ever.
    return min(limit_ms / 1000, threading.TIMEOUT_MAX)
