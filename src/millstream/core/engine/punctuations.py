"""Punctuations of a task: what its processors scheduled, on both clocks."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any

from millstream.core.chunk import Chunk
from millstream.core.engine.failure import FATAL
from millstream.core.engine.punctuation import Punctuation, PunctuationQueue
from millstream.core.engine.queues import Decoded
from millstream.core.engine.run import Run
from millstream.core.engine.schedules import due_first, new_punctuation
from millstream.core.engine.unused import check_unused
from millstream.core.errors import StreamsException
from millstream.core.processor import Cancellable, PunctuationType
from millstream.core.record_context import RecordContext

if TYPE_CHECKING:
    from millstream.core.engine.task import Task


class Punctuations:
    """Schedules of one task, in stream time and in wall-clock time."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self.streams = PunctuationQueue()
        self.clocks = PunctuationQueue()
        self.scheduled_in_run = False
        """Whether a stream-time schedule was made by a record of the run that is processed."""
        self._over = 0
        """For so many records of that run, what they have made due has run."""

    @property
    def on_stream_time(self) -> bool:
        """Whether any stream-time punctuation is scheduled."""
        return self.streams.next_ms() is not None

    def settle(self) -> None:
        """Note that every processor has been initialised."""
        self.streams.settle()
        self.clocks.settle()

    def schedule(
        self,
        node: Any,
        ordinal: int,
        start_ms: int | None,
        interval_ms: int,
        kind: PunctuationType,
        callback: Any,
    ) -> Cancellable:
        """Take up a node's punctuation."""
        task, on_stream = self._task, kind is PunctuationType.STREAM_TIME
        now_ms = task.stream_time if on_stream else task.host.now_ms()
        first_ms = due_first(start_ms, interval_ms, kind, now_ms)
        punctuation = new_punctuation(node, ordinal, first_ms, interval_ms, callback)
        punctuation.made_ms = now_ms
        (self.streams if on_stream else self.clocks).add(punctuation)
        # The run was cut where the punctuations that were known then would be due.
        if on_stream and task.in_run and not self.scheduled_in_run:
            self.scheduled_in_run, self._over = True, self._current()
        return punctuation

    def run_wall_clock(self, *, new_wait: bool = False) -> bool:
        """Run the punctuations that the host's wall clock makes due; tell whether any ran.

        With ``new_wait``, those scheduled at this very time wait until the clock has moved on: it
        stands still for as long as a batch takes, and a schedule is not run by what made it.
        """
        return self.clocks.run(self._task.host.now_ms(), self._punctuate, new_wait=new_wait)

    def run_stream_time(self) -> None:
        """Run the stream-time punctuations that are due; none is before the first record.

        Raises:
            StreamsException: A punctuator failed and its handler says to fail.
        """
        next_ms = self.streams.next_ms()
        if next_ms is not None and next_ms <= (now_ms := self._task.group.stream_time) != -1:
            self.streams.run(now_ms, self._punctuate)

    def run_before(self, chunk: Chunk, index: int = 0) -> None:
        """Run what records before one of a run have made due, also such as an operator left out."""
        run = self._task.current_run
        if self.scheduled_in_run and run is not None and len(chunk):
            self._catch_up(run, run.position(chunk.offsets[index]))

    def run_after(self, chunk: Chunk, index: int) -> None:
        """Run what is due after one record of a run in which something was scheduled."""
        run, offsets = self._task.current_run, chunk.offsets
        if run is None:
            return  # a commit, or a single record: the run is over, and what it made due has run
        if index + 1 == len(chunk):
            own = run.position(offsets[index])
            self._catch_up(run, None if own is None else own + 1)
        elif offsets[index + 1] != offsets[index]:  # else more comes of the same source record
            self.run_before(chunk, index + 1)

    def end_run(self, run: Run) -> None:
        """Run what the last records of a run have made due, of which none came down here."""
        if self.scheduled_in_run:
            self._catch_up(run, len(run))

    def _catch_up(self, run: Run, stop: int | None) -> None:
        """Run what the records before one have made due, each at its own stream time.

        An operator above may have left out some of them: they move stream time on as well.
        """
        if stop is None:
            return  # it has waited, and is none of the run
        first, self._over, times = self._over, max(self._over, stop), run.stream_times()
        while first < stop and (next_ms := self.streams.next_ms()) is not None:
            first = bisect_left(times, next_ms, first, stop)
            if first < stop:
                before, self._task.clock = self._task.clock, run.context(first)
                try:
                    self.streams.run(times[first], self._punctuate)
                finally:
                    self._task.clock = before
                first += 1

    def _current(self) -> int:
        """Return which record of the run is processed; how many it has if that is not known."""
        task = self._task
        run, context = task.current_run, task.clock or task.record_context
        assert run is not None
        at = None if context is None else run.position(context.offset())
        return len(run) if at is None else at

    def record_done(self, chunk: Chunk, index: int) -> None:
        """Do what ``run_after`` does, where an operator goes through a run by itself."""
        # Inside of another record, as where that one is evicted from a cache, it is not the time.
        if self.scheduled_in_run and self._task.record_context is None:
            self.run_after(chunk, index)

    def end_of_run(self, decoded: Decoded, start: int, stop: int) -> int:
        """Return the end of the run that stops after the record which makes a punctuation due."""
        next_ms = self.streams.next_ms()
        if next_ms is None:
            return stop
        if next_ms <= self._task.group.stream_time:
            return start + 1
        timestamps = decoded.chunk.timestamps
        for index in range(start, stop):
            if timestamps[index] >= next_ms:
                return index + 1
        return stop

    def _punctuate(self, punctuation: Punctuation, now_ms: int) -> None:
        task = self._task
        task.record_context = RecordContext(None, -1, -1, now_ms)
        context = punctuation.node.context
        before, context.targets = context.targets, context.linked
        began = task.measures.began()
        try:
            check_unused(punctuation.callback(now_ms), "a punctuator")
        except FATAL as error:
            raise task.failures.placed(error, punctuation.node.name) from error.__cause__
        except Exception as error:  # noqa: BLE001 - a user's punctuator may raise anything
            try:
                task.failures.handle(punctuation.node.name, None, error, task.record_context)
            except StreamsException as failure:
                located_failure = task.failures.located("cannot punctuate", failure)
                raise located_failure from located_failure.__cause__
        finally:
            context.targets = before
            task.record_context = None
            if began:
                task.measures.punctuated(began)
