"""Attempt at a batch that may kill the process, and the task that processes it record by record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from millstream.core.chunk import RawChunk
from millstream.core.engine.failure import error_context
from millstream.core.engine.queues import Decoded
from millstream.core.engine.source import SourceRuntime
from millstream.core.engine.task import Task
from millstream.core.errors import WorkerDiedException
from millstream.core.handlers import dead_letter_records
from millstream.core.processor import TaskId
from millstream.core.record_context import RecordContext
from millstream.core.state import CacheBudget
from millstream.topology.spark.isolation import Attempt, Notes, Phase, PoisonPlace, following
from millstream.topology.spark.job import Job

DEAD_LETTERS = "errors.dead.letter.queue.topic.name"
KILLS = "it kills the worker process"


class Watch:
    """Watch over the batches of one task that does nothing, and lets all records pass."""

    by_record = False
    """Whether the batch is processed record by record."""
    poisoned: frozenset[PoisonPlace] = frozenset()
    """The records that are left out of the batch."""

    @contextmanager
    def batch(self, step: bytes, topics: Sequence[str]) -> Iterator[None]:
        """Watch one attempt at a batch.

        Args:
            step: Id of the state that the batch begins with.
            topics: Topics of its records.

        Raises:
            WorkerDiedException: Too many attempts have died.
        """
        del step, topics
        yield

    def enter(self, phase: Phase) -> None:
        """Note what is done now."""

    def pieces(self, task: Task, chunk: RawChunk) -> Iterator[RawChunk]:
        """Yield the records that are to be processed, in the pieces in which they are added."""
        del task
        yield chunk

    def task(self, *arguments: Any, **named: Any) -> Task:
        """Make the task, as ``Task`` is made."""
        return Task(*arguments, **named)


class DeathWatch(Watch):
    """Watch that finds records that kill the process.

    Args:
        job: The application; it must search for such records.
        task: The task.
        configs: The application's configuration.
    """

    def __init__(self, job: Job, task: TaskId, configs: Mapping[str, Any]) -> None:
        assert job.isolating is not None
        home = Path(job.state_dir) / job.application_id / "isolation" / job.checkpoint_id
        self._notes = Notes(home / str(task))
        self._run, self._isolating, self._task = job.run_id, job.isolating, task
        self._dead_letters: str = configs[DEAD_LETTERS]
        self._attempt: Attempt | None = None
        self._topics: dict[str, int] = {}

    @contextmanager
    def batch(self, step: bytes, topics: Sequence[str]) -> Iterator[None]:
        found, partition = self._notes.found(), self._task.partition()
        note = following(found, step.hex(), self._run, partition, self._isolating)
        self.by_record, self.poisoned = note.by_record, frozenset(note.poisoned)
        self._topics = {topic: index for index, topic in enumerate(topics)}
        self._attempt = attempt = self._notes.begin(replace(note, topics=tuple(topics)))
        try:
            yield
        finally:
            self._attempt = None
            attempt.close()

    def enter(self, phase: Phase) -> None:
        if self._attempt is not None:
            self._attempt.enter(phase)

    def pieces(self, task: Task, chunk: RawChunk) -> Iterator[RawChunk]:
        if not self.by_record and not self.poisoned:
            yield chunk
            return
        measured = chunk.measured
        for index, offset in enumerate(chunk.offsets):
            piece = chunk.slice(index, index + 1)
            if PoisonPlace(chunk.topic, chunk.partition, offset) in self.poisoned:
                self._leave_out(task, piece)
                continue
            self.note(chunk.topic, chunk.partition, offset)
            piece.measured, measured = measured, None
            yield piece

    def task(self, *arguments: Any, **named: Any) -> Task:
        if not self.by_record:
            return super().task(*arguments, **named)
        # Without caches, so that what follows from a record is done with the record.
        made = _RecordTask(*arguments, by_chunks=False, shortcuts=(), cache=CacheBudget(0), **named)
        made.watch = self
        return made

    def note(self, topic: str, partition: int, offset: int) -> None:
        """Note the record that is processed now."""
        if self.by_record and self._attempt is not None:
            self._attempt.at(self._topics[topic], partition, offset)

    def _leave_out(self, task: Task, record: RawChunk) -> None:
        """Send a record that kills the process to the dead letter queue, and count it."""
        headers = None if record.headers is None else record.headers[0]
        context = RecordContext(
            record.topic,
            record.partition,
            record.offsets[0],
            record.timestamps[0],
            headers,
            record.keys[0],
            record.values[0],
        )
        source = task.source_of(record.topic).name
        place = PoisonPlace(record.topic, record.partition, record.offsets[0])
        error = WorkerDiedException(
            "the worker process died whenever it processed this record",
            detail=f"Task {task.id}, {place}.",
        )
        asked = error_context(source, task.id, context)
        key, value = record.keys[0], record.values[0]
        task.failures.send_dead_letters(
            dead_letter_records(self._dead_letters, key, value, asked, error), source, KILLS
        )
        task.failures.drop(KILLS, source, context)
        task.measures.poisoned()


class _RecordTask(Task):
    """Task that processes one record at a time, and notes each before it does."""

    watch: DeathWatch | None = None

    def process_at(self, source: SourceRuntime, decoded: Decoded, index: int) -> None:
        chunk = decoded.chunk
        if self.watch is not None:
            self.watch.note(str(chunk.topic), chunk.partition, chunk.offsets[index])
        super().process_at(source, decoded, index)
        if self.watch is not None:
            self.watch.enter(Phase.PUNCTUATION)
