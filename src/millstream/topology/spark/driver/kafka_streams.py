"""``KafkaStreams``: an application whose topology runs on Spark."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from pyspark.sql import SparkSession
from typing_extensions import Never

from millstream.core.config import StreamsConfig
from millstream.core.durations import LONG_MAX, to_millis
from millstream.core.errors import (
    IllegalArgumentException,
    IllegalStateException,
)
from millstream.core.metrics import Metric, MetricName
from millstream.core.state.restore import StateRestoreListener
from millstream.plugins.names import with_plugins
from millstream.plugins.observers import ReadWhenUsed
from millstream.topology.checks import not_none
from millstream.topology.savepoints.manifest import SavepointManifest
from millstream.topology.spark.driver.callbacks import (
    EXCEPTION,
    RESTORES,
    STANDBYS,
    STATES,
    checked_callback,
    checked_listener,
)
from millstream.topology.spark.driver.listener_types import (
    OfFailures,
    OfStates,
    TellsRestores,
    TellsStandbys,
)
from millstream.topology.spark.driver.preflight import (
    check_arguments,
    check_config,
    check_session,
    refuse_clients,
)
from millstream.topology.spark.driver.query import StartCancelled
from millstream.topology.spark.driver.restores import RebuiltStores, tell
from millstream.topology.spark.driver.runner import Runner
from millstream.topology.spark.driver.standby_updates import StandbyUpdates
from millstream.topology.spark.driver.state_machine import State as _State
from millstream.topology.spark.driver.state_machine import StateListener as _StateListener
from millstream.topology.spark.driver.to_end import BoundedApplication
from millstream.topology.spark.driver.unexpected import errors_of_this_api
from millstream.topology.spark.driver.without_effect import (
    warn_read_when_built,
    warn_without_effect,
)
from millstream.topology.topology import Topology

log = logging.getLogger(__name__)

_LOOK_S = 0.2
"""Time between two looks for a batch that has ended: each asks the JVM."""


class KafkaStreams(BoundedApplication):
    """An application that reads Kafka, runs a topology on Spark and writes Kafka.

    The Spark session is the one given, or one made with the configuration's ``spark.*`` entries
    (``local[*]`` unless they say otherwise). Everything runs in one streaming query, whose
    checkpoint (``millstream.checkpoint.location``, by default below ``state.dir``) holds progress
    and stores.

    Args:
        topology: The topology to run.
        config: A ``StreamsConfig`` or its entries.
        spark: A session to run in; it stays open when the application ends.

    Raises:
        ConfigException: An entry is missing or wrong.
        ClassCastException: The topology, the configuration or the session is something else.
        UnsupportedOperationException: A client supplier or a clock is given.

    Source: ``org.apache.kafka.streams.KafkaStreams``.
    """

    State: TypeAlias = _State
    StateListener: TypeAlias = _StateListener

    def __init__(
        self,
        topology: Topology,
        config: StreamsConfig | Mapping[str, Any],
        *others: Never,
        spark: SparkSession | None = None,
    ) -> None:
        refuse_clients(others)
        check_arguments(topology, config)
        check_session(spark)
        if not isinstance(config, StreamsConfig):
            config = StreamsConfig(config)
        config = with_plugins(config)
        check_config(config)
        warn_without_effect(config)
        warn_read_when_built(config, topology)
        super().__init__(Runner(topology, config, spark), config)
        self._measured_batch: Any = None
        self._look_at = 0.0
        self._restore_listener: StateRestoreListener | None = None
        self._standby_updates: StandbyUpdates | None = None
        self._paused = False

    def setStateListener(self, listener: OfStates) -> None:
        """Set a listener, called as ``listener(newState, oldState)``; only before the start.

        Raises:
            IllegalStateException: The application has been started.
            ClassCastException: The listener is something else, or takes other arguments.
        """
        self._check_not_started("StateListener")
        told = checked_callback(listener, "onChange", "listener", STATES)
        self._machine.listener = self._observed(told)

    def setGlobalStateRestoreListener(
        self, globalStateRestoreListener: TellsRestores | None
    ) -> None:
        """Set a ``StateRestoreListener`` for stores that a worker had to restore.

        It is called when a store is complete, for start and end at once. Offsets are numbers of
        segments of the store's changelog. Only before the start.

        Raises:
            IllegalStateException: The application has been started.
            ClassCastException: The listener is something else.
        """
        self._check_not_started("GlobalStateRestoreListener")
        name, given = "globalStateRestoreListener", globalStateRestoreListener
        self._restore_listener = checked_listener(given, name, RESTORES)
        self._runner.rebuilt = None if globalStateRestoreListener is None else RebuiltStores()

    def setStandbyUpdateListener(self, standbyListener: TellsStandbys | None) -> None:
        """Set a ``StandbyUpdateListener`` for the copies that executors keep of others' tasks.

        It is called in a thread of the driver, soon after an executor has told of a change; several
        batches may be told as one. Offsets are numbers of segments of the task's changelog. In
        local mode there are no such copies. Only before the start.

        Raises:
            IllegalStateException: The application has been started.
            ClassCastException: The listener is something else.
        """
        self._check_not_started("StandbyUpdateListener")
        checked_listener(standbyListener, "standbyListener", STANDBYS)
        self._standby_updates = None
        if standbyListener is not None:
            self._standby_updates = StandbyUpdates(standbyListener, self._runner.application_id)

    def setUncaughtExceptionHandler(self, userStreamsUncaughtExceptionHandler: OfFailures) -> None:
        """Set the handler that decides what follows a failure; only before the start.

        It gets the exception. If it returns ``REPLACE_THREAD``, the batch is retried from the last
        checkpoint: at once, then with pauses that double while no batch ends
        (``millstream.retry.*``). Any other result, and the last of these restarts, end the
        application in state ``ERROR``. It is not asked about a broker that does not answer: the
        application waits for that.

        Raises:
            IllegalStateException: The application has been started.
            NullPointerException: The handler is None.
            ClassCastException: The handler is something else, or takes other arguments.
        """
        self._check_not_started("UncaughtExceptionHandler")
        name, given = "userStreamsUncaughtExceptionHandler", userStreamsUncaughtExceptionHandler
        self._handler = checked_callback(not_none(given, name), "handle", name, EXCEPTION)

    def pause(self) -> None:
        """Finish the current batch and start no other until ``resume``.

        Stores can still be queried. Called before the start, the application starts paused.
        """
        self._program_end.check("pause")
        self._paused = True
        with errors_of_this_api():
            self._runner.hold()

    def isHotSpare(self) -> bool:
        """Return whether the start waits for the end of another instance of the application.

        Meanwhile the state is ``REBALANCING``; see ``millstream.takeover``.
        """
        return bool(self._runner.waiting_for)

    def isPaused(self) -> bool:
        """Return whether the application has been paused."""
        return self._paused

    def resume(self) -> None:
        """Continue after ``pause``; otherwise do nothing."""
        self._program_end.check("resume")
        if self._paused and not self.state().hasStartedOrFinishedShuttingDown():
            # Closed meanwhile, in another thread.
            with suppress(StartCancelled), errors_of_this_api():
                self._runner.go_on()
        self._paused = False

    def addStreamThread(self) -> str | None:
        """Return None: Spark's master decides how many tasks run at the same time."""
        log.warning("no thread added: spark.master says how many tasks run at the same time")
        return None

    def removeStreamThread(self, timeout: timedelta | int = LONG_MAX) -> str | None:
        """Return None: Spark's master decides how many tasks run at the same time.

        Raises:
            IllegalArgumentException: The timeout is None.
        """
        to_millis(timeout, "timeout")
        log.warning("no thread removed: spark.master says how many tasks run at the same time")
        return None

    def clientInstanceIds(self, timeout: timedelta | int) -> NoReturn:
        """Raise: the clients of Spark and librdkafka have no instance ids.

        Raises:
            NullPointerException: The timeout is None.
            IllegalArgumentException: The timeout is negative.
            IllegalStateException: Always, as in Kafka Streams where telemetry is off.
        """
        not_none(timeout, "timeout")
        if to_millis(timeout, "timeout") < 0:
            raise IllegalArgumentException("The timeout cannot be negative.")
        if self.state().hasNotStarted():
            raise IllegalStateException(
                "KafkaStreams has not been started, you can retry after calling start()."
            )
        if self.state().hasStartedOrFinishedShuttingDown():
            raise IllegalStateException(f"KafkaStreams has been stopped ({self.state().name}).")
        raise IllegalStateException("client instance ids are not known on Spark")

    def metrics(self) -> dict[MetricName, Metric]:
        """Return Kafka's metrics by name, added up over the workers at the end of each batch.

        Spark's progress of the last batch is included: records, rates, times, lag.
        """
        progress = self._runner.last_progress()
        return self._runner.measurements.metrics(progress, self.state(), self._failures)

    def cleanUp(self) -> None:
        """Delete local copies of stores; the next start may empty the checkpoint.

        The checkpoint corresponds to the changelog topics of Kafka Streams, so it stays, and stores
        are restored from it. If the committed offsets were reset or the group was deleted, as a
        reset tool does, the next start empties it: stores begin empty, and records are read from
        the new offsets.

        Raises:
            IllegalStateException: The application is running, here or in another process that has
                the same ``state.dir``.
        """
        if not (self.state().hasNotStarted() or self.state().hasCompletedShutdown()):
            raise IllegalStateException(
                "cannot clean up while running", hint="Close the application first."
            )
        for slot in self._runner.clean_up():
            log.info("state slot removed path=%s", slot)

    def savepoint(self, directory: str | os.PathLike[str]) -> SavepointManifest:
        """Write the state of the last committed batch into a directory, and go on if running.

        A savepoint is independent of Spark's checkpoint and of the kind of byte store. An
        application starts from it with the entry ``millstream.savepoint``, under another
        ``application.id`` too; ``TopologyTestDriver.fromSavepoint`` loads it into a test.

        Args:
            directory: A directory that is empty or does not exist, or its location on any file
                system that Spark supports.

        Returns:
            What the savepoint has: its stores, counts and positions.

        Raises:
            IllegalStateException: No batch has been committed.
            StreamsException: The directory is not empty, or the checkpoint is damaged.
        """
        location = os.fspath(directory)
        if "://" not in location:
            location = Path(os.path.expanduser(location)).absolute().as_uri()
        with errors_of_this_api():
            return self._runner.savepoint(location)

    def _check_not_started(self, what: str) -> None:
        """Refuse to set what a start has taken, in Kafka's words."""
        if not self.state().hasNotStarted():
            raise IllegalStateException(
                f"Can only set {what} before calling start(). Current state is: "
                f"{self.state().name}",
            )

    def _notify(self) -> None:
        self._notify_restored()
        self._notify_standbys()
        self._notify_measured()

    def _notify_restored(self) -> None:
        if self._restore_listener is not None and self._runner.rebuilt is not None:
            for rebuilt in self._runner.rebuilt.taken():
                tell(self._restore_listener, self._runner.application_id, rebuilt)

    def _notify_standbys(self) -> None:
        if self._standby_updates is None:
            return
        placement = self._runner.placement
        if placement is not None:
            self._standby_updates.look(placement.standbys(), placement.located())

    def _notify_measured(self) -> None:
        """Call the observers of batches that have ended since the last call."""
        if not self._observers or (now := time.monotonic()) < self._look_at:
            return
        self._look_at = now + _LOOK_S
        report = self._runner.last_report()
        # The next batch's number is also that of a report that there was nothing to do.
        if report is not None and report[2] and report != self._measured_batch:
            self._measured_batch = report
            # Not every observer reads the metrics of every batch, and they cost time.
            self._observers.batch_done(ReadWhenUsed(self.metrics))
