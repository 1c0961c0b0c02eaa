"""``KafkaStreams.runToEnd``: history up to a bound, and then the end."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from millstream.core.errors import IllegalStateException, TimeoutException
from millstream.topology.spark.backfill.bounds import Given, bound, check_order
from millstream.topology.spark.backfill.inputs import inputs
from millstream.topology.spark.backfill.summary import Summary
from millstream.topology.spark.driver.backfill import Backfill
from millstream.topology.spark.driver.lifecycle import LivingApplication, seconds
from millstream.topology.spark.driver.signals import Signals
from millstream.topology.spark.driver.state_machine import State
from millstream.topology.spark.driver.watched import POLL_S

_AGAIN = "Call runToEnd again: it goes on after the last batch."


class BoundedApplication(LivingApplication):
    """The part of ``KafkaStreams`` that runs over history and stops."""

    def runToEnd(
        self,
        *,
        start: Given | None = None,
        end: Given | None = None,
        files: Mapping[str, Any] | None = None,
        timeout: timedelta | int | None = None,
    ) -> Summary:
        """Run the topology over history up to a bound, in event-time order, and stop.

        Everything before the end is processed, once, and nothing else. Then the application is
        NOT_RUNNING, and its checkpoint is one from which another ``KafkaStreams.start()`` goes on
        with the next record. If it is interrupted, by ``close``, a signal or a failure, call it
        again: it goes on.

        Each task gets the records of all its partitions in the order of their timestamps, as
        Kafka Streams does that has all of them at once: of the partitions' next records the oldest
        comes first, and within a partition the order is that of the offsets.

        Args:
            start: Where to begin: a time (a ``datetime`` with a time zone, or milliseconds since
                the epoch), for all topics, or by topic a time or offsets by partition. By default
                where ``start()`` would begin. An application with a checkpoint goes on from it.
            end: Where to stop, in the same forms: in each partition, the first record at or after
                it and all behind it are not processed. By default, and at the latest, the ends of
                the topics at the start. A batch that an earlier run has begun is finished first.
            files: Topic -> path, or paths, of Parquet files or JSON lines that stand for the topic
                in this run: files, directories or patterns that Spark can read. See
                ``docs/operating/backfill.md`` for their columns. Afterwards the live application
                reads the topic from ``end``, if that is given; else from behind the files' last
                offsets, if they have offsets; else from where it would begin. Only for the first
                run of an application, and to go on with it.
            timeout: The longest time to run; a number is milliseconds. None: no limit.

        Raises:
            IllegalArgumentException: A bound or the timeout is wrong, or the end before the start.
            IllegalStateException: The application was started before, or was closed before it
                reached the end.
            TimeoutException: The time is over. What is committed stays; call it again to go on.
            StreamsException: As of ``start``, or the failure that ended the run.

        Example::

            summary = KafkaStreams(topology, config).runToEnd(end=datetime.now(timezone.utc))
            print(summary.records, "records in", summary.seconds, "s")
            KafkaStreams(topology, config).run()  # goes on live
        """
        limit_s = seconds(timeout)
        begins, ends = bound(start, "start"), bound(end, "end")
        check_order(begins, ends)
        self._check_new()
        backfill = Backfill(begins, ends, inputs(files))
        began = time.monotonic()
        with self._caught() as signals:
            self._begin(backfill)
            in_time = self._to_end(backfill, limit_s, signals)
        if (failure := self._unraised()) is not None:
            raise failure
        if not in_time:
            raise TimeoutException("the end of history was not reached in time", hint=_AGAIN)
        if not backfill.settled:
            raise IllegalStateException(
                "the application was closed before it reached the end of history", hint=_AGAIN
            )
        return Summary(
            records=backfill.passed(),
            batches=backfill.batches,
            seconds=time.monotonic() - began,
            positions=backfill.positions,
        )

    def _begin(self, backfill: Backfill) -> None:
        self._runner.backfill = backfill
        try:
            self._launch()
        except BaseException:
            self._runner.backfill = None
            raise

    def _check_new(self) -> None:
        if not self.state().hasNotStarted():
            raise IllegalStateException(
                f"cannot run to the end: the application is {self.state().name}",
                hint="Make a new KafkaStreams object.",
            )

    def _to_end(self, backfill: Backfill, limit_s: float | None, signals: Signals) -> bool:
        """Close when everything is read; return False if the time was over before."""
        give_up = None if limit_s is None else time.monotonic() + limit_s
        in_time = True
        while not self._machine.wait_until_over(POLL_S):
            self._hear(signals)
            if self.state() is State.RUNNING and backfill.over():
                self._settle(backfill)
            elif in_time and give_up is not None and time.monotonic() >= give_up:
                in_time = False
                self._begin_close(None)
        return in_time

    def _settle(self, backfill: Backfill) -> None:
        try:
            backfill.settle()
        except Exception as error:  # noqa: BLE001 - raised when the application has ended
            self._failure = self._failure or error
        self._begin_close(None)
