"""Punctuations of a task: what its processors scheduled, on both clocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from millstream.core.chunk import Chunk
from millstream.core.engine.failure import FATAL
from millstream.core.engine.punctuation import Punctuation, PunctuationQueue
from millstream.core.engine.queues import Decoded
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
        self.scheduled_in_run |= on_stream and task.in_run
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

    def run_after(self, chunk: Chunk, index: int) -> None:
        """Run what is due after one record of a run in which something was scheduled."""
        task, offset = self._task, chunk.offsets[index]
        if task.current_run is None:
            return  # a commit, or a single record: the run is over, and what it made due has run
        if index + 1 < len(chunk) and chunk.offsets[index + 1] == offset:
            return  # more comes of the same source record
        now_ms, next_ms = task.current_run.stream_time(offset), self.streams.next_ms()
        if next_ms is None or next_ms > now_ms:
            return
        before, task.clock = task.clock, task.chunk_context(chunk, index)
        try:
            self.streams.run(now_ms, self._punctuate)
        finally:
            task.clock = before

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
