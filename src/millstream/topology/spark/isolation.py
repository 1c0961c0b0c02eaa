"""Search for a record that kills the worker process, from one attempt at a batch to the next.

A worker that dies raises nothing, so each attempt leaves a note on the disk before it begins, and
the next one reads it. The first attempt at a batch has only the batch in its note. After a death
the records are processed one by one, and the note has the place of the current one, in memory that
the system keeps when the process is killed. A record at which the process has died twice in a row
is left out of the batch.

note = position | JSON; position = phase u8 | index of the topic u16 | partition i32 | offset i64
"""

from __future__ import annotations

import enum
import json
import mmap
import os
import struct
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from millstream.core.errors import WorkerDiedException
from millstream.core.typed_json import read_json
from millstream.topology.spark.private import FILE_MODE, private_directory

MOST_DEATHS = 3
"""Number of deaths of attempts that process record by record, at different places, that end it."""
_POSITION = struct.Struct("<BHiq")
_HEAD = 16


class Phase(enum.IntEnum):
    """What a worker does with a batch."""

    IDLE = 0
    """Nothing: the attempt has ended, with a result or with an error."""
    BEGIN = 1
    """It brings its stores up to date, applies global records, or processes records by chunks."""
    RECORD = 2
    """It processes one record."""
    PUNCTUATION = 3
    """It runs what falls due between two records."""
    COMMIT = 4
    """It runs punctuations and flushes the stores, at the batch's end."""


_DOING = {
    Phase.BEGIN: "before the first record: while its stores were opened or global records applied",
    Phase.RECORD: "while it processed a record",
    Phase.PUNCTUATION: "in a punctuation between two records",
    Phase.COMMIT: "at the end of the batch: in a punctuation, or while stores were flushed",
}


class PoisonPlace(NamedTuple):
    """A record of a topic that a task reads."""

    topic: str
    partition: int
    offset: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition} at offset {self.offset}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolating:
    """What workers have to know of the search; part of the job."""

    id: str
    """Id of the driver's process; notes of an earlier one are no evidence."""
    most: int
    """The most records of one batch of a task that are left out."""
    guilty: frozenset[int] = frozenset()
    """Tasks' partitions at which the query's last run ended by a death. A death elsewhere is
    none: Spark kills the workers of the other tasks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What is known of the attempts at a task's batch."""

    batch: str
    """Id of the state that the batch begins with."""
    run: str
    """Run of the query that the last attempt belongs to."""
    isolating: str
    by_record: bool = False
    suspect: PoisonPlace | None = None
    """The record at which the last attempt but one has died."""
    deaths: int = 0
    """Number of deaths by record since a record was found."""
    poisoned: tuple[PoisonPlace, ...] = ()
    """The records that are left out."""
    topics: tuple[str, ...] = ()
    """Topics of the batch; the position has an index into them."""


@dataclass(frozen=True, slots=True)
class LeftNote:
    """A note as an attempt has left it."""

    note: Note
    phase: Phase
    place: PoisonPlace | None = None


def following(
    found: LeftNote | None, batch: str, run: str, partition: int, isolating: Isolating
) -> Note:
    """Return the note of the next attempt.

    Args:
        found: What the last attempt has left; None if there was none.
        batch: Id of the state that the batch begins with.
        run: The query's run.
        partition: The task's partition.
        isolating: What the search may do.

    Raises:
        WorkerDiedException: The search has come to its bounds.
    """
    fresh = Note(batch=batch, run=run, isolating=isolating.id)
    if found is None or found.note.batch != batch:
        return fresh
    note = found.note
    fresh = replace(fresh, poisoned=note.poisoned)
    same_run = note.run == run or partition in isolating.guilty
    if found.phase is Phase.IDLE or note.isolating != isolating.id or not same_run:
        return fresh
    if not note.by_record:
        return replace(fresh, by_record=True)
    if found.place is not None and found.place == note.suspect:
        if len(note.poisoned) >= isolating.most:
            raise _too_many(note, found.place, isolating.most)
        return replace(fresh, by_record=True, poisoned=(*note.poisoned, found.place))
    if note.deaths + 1 >= MOST_DEATHS:
        raise _not_reproducible(found)
    return replace(fresh, by_record=True, suspect=found.place, deaths=note.deaths + 1)


def _too_many(note: Note, last: PoisonPlace, most: int) -> WorkerDiedException:
    listed = ", ".join(map(str, (*note.poisoned, last)))
    return WorkerDiedException(
        f"more than {most} records of one batch kill the worker process",
        detail=f"Each was processed alone, twice, and the process died: {listed}. Nothing of this "
        "batch has been written.",
        hint="Look for what these records have in common, or for too little memory; "
        "millstream.isolate.poison.max raises the bound.",
    )


def _not_reproducible(found: LeftNote) -> WorkerDiedException:
    place = "" if found.place is None else f", {found.place}"
    return WorkerDiedException(
        "a worker process dies, and no single record is to blame",
        detail=f"The batch was processed by chunks, then {MOST_DEATHS} times record by record. "
        f"Each time the process died at another place, or not in a record; the last time "
        f"{_DOING[found.phase]}{place}. Nothing of this batch has been written.",
        hint="Look for too little memory (the system's log names processes that it has killed), "
        "or for native code of a punctuation, a store or a serde.",
    )


@dataclass(slots=True)
class Attempt:
    """The attempt that runs: its note, and where it is."""

    note: Note
    _memory: mmap.mmap = field(repr=False)

    def enter(self, phase: Phase) -> None:
        """Note what is done now."""
        self._memory[0] = phase

    def at(self, topic: int, partition: int, offset: int) -> None:
        """Note the record that is processed now.

        Args:
            topic: Index into the note's topics.
            partition: Of the record.
            offset: Of the record.
        """
        _POSITION.pack_into(self._memory, 0, Phase.RECORD, topic, partition, offset)

    def close(self) -> None:
        """Note the end of the attempt."""
        self.enter(Phase.IDLE)
        self._memory.close()


class Notes:
    """The note of one task on this machine.

    Args:
        path: Its file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def found(self) -> LeftNote | None:
        """Return what the last attempt has left; None if there is nothing that can be read."""
        try:
            data = self._path.read_bytes()
            phase, index, partition, offset = _POSITION.unpack_from(data)
            note = read_json(data[_HEAD:], Note)
            at = Phase(phase)
            topic = note.topics[index] if at is Phase.RECORD else ""
        except (OSError, ValueError, IndexError, struct.error):
            return None
        return LeftNote(note, at, PoisonPlace(topic, partition, offset) if topic else None)

    def begin(self, note: Note) -> Attempt:
        """Write the note of an attempt that begins.

        Raises:
            OSError: The file cannot be written.
        """
        private_directory(self._path.parent)
        written = self._path.with_suffix(".new")
        head = bytes([Phase.BEGIN]).ljust(_HEAD, b"\0")
        handle = os.open(written, os.O_RDWR | os.O_CREAT | os.O_TRUNC, FILE_MODE)
        try:
            os.write(handle, head + json.dumps(asdict(note)).encode())
            os.replace(written, self._path)
            return Attempt(note, mmap.mmap(handle, _HEAD))
        finally:
            os.close(handle)
