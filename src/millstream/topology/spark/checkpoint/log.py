"""Progress of a checkpoint: Spark's logs of planned and committed batches, checked.

Spark writes a batch's end offsets to ``offsets/<batch>`` before it runs the batch, and
``commits/<batch>`` when the batch has ended. At a start it repeats a batch that is only in
``offsets``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from millstream.core.errors import StreamsException
from millstream.core.typed_json import Count, Time, read_json
from millstream.topology.spark.checkpoint.files import Files

COMMITS, OFFSETS, SOURCES = "commits", "offsets", "sources"
STATE, ID = "state", "metadata"
NOTES = "_metadata/v2"
"""Directory of Spark's notes about the stores of an operator, below that of its state."""
SPARKS = (OFFSETS, COMMITS, STATE, SOURCES, ID, f".{ID}.crc")
"""Spark's files and directories in a checkpoint."""
FILE = "file:"
"""Start of a file's name among Spark's positions, in a run over history; no topic is named so."""
_LINES_BEFORE_SOURCES = 2
_RESTORE = "Restore the checkpoint from a copy"
_ANEW = (
    "or delete it, and start once with millstream.checkpoint.adopt=true: with empty stores, from "
    "the committed offsets of the group."
)
_SAFE = "What has been written is not written again; where that is not certain, an error says so."

Positions = dict[str, dict[int, int]]
"""Topic -> partition -> the offset after the last record read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Progress of a checkpoint: its planned and committed batches."""

    planned: int = -1
    """The last batch that Spark has planned; -1 for none."""
    done: int = -1
    """The last batch that Spark has committed; -1 for none."""
    planned_to: Positions
    """End offsets of the planned batch."""
    done_to: Positions
    """End offsets of the committed batch; start offsets of the first batch if there is none."""


@dataclass(frozen=True, slots=True)
class _QueryId:
    id: str


@dataclass(frozen=True, slots=True)
class _Operator:
    operatorId: Count | None = None


@dataclass(frozen=True, slots=True)
class _Notes:
    operatorInfo: _Operator = _Operator()


@dataclass(frozen=True, slots=True)
class _BatchTime:
    batchTimestampMs: Time


class CheckpointLog:
    """Reads the logs of a checkpoint.

    Args:
        files: The checkpoint's files.
        location: The checkpoint's location, for errors.
    """

    def __init__(self, files: Files, location: str) -> None:
        self._files = files
        self._location = location

    def progress(self) -> Progress:
        """Return the planned and committed batches.

        Raises:
            StreamsException: A needed file is missing or damaged; the error says what is
                lost, and what to do.
        """
        offsets, commits = self._batches(OFFSETS), self.committed()
        planned, done = max(offsets, default=-1), max(commits, default=-1)
        if done > planned or (done >= 0 and done not in offsets):
            raise self._broken(
                f"{OFFSETS}/{done}",
                "It is missing, and the batch was committed.",
                "The source positions are lost; the stores are not.",
                f"{_RESTORE}, {_ANEW}",
            )
        if planned < 0:
            return Progress(planned_to={}, done_to={})
        if planned > done + 1:
            raise self._broken(
                f"{COMMITS}/{planned - 1}",
                f"It is missing, and batch {planned} was planned after it.",
                "Whether the batch has ended is lost; all that it read and wrote is there.",
                _repeat(planned - 1, [f"{OFFSETS}/{planned}"]),
            )
        self._check_id()
        if done >= 0:
            self._check_commit(done, planned)
            self._check_operators()
        if 0 < planned == done:
            self._check_before(done)
        return Progress(
            planned=planned,
            done=done,
            planned_to=self._ends(planned, done),
            done_to=self._ends(done, done) if done >= 0 else self.beginning(),
        )

    def consumed(self, batch: int) -> Positions:
        """Return the end offsets of a batch."""
        lines = self._files.text(f"{OFFSETS}/{batch}").splitlines()
        _check_head(lines, _LINES_BEFORE_SOURCES + 1)
        return positions_of(lines[_LINES_BEFORE_SOURCES:])

    def time_ms(self, batch: int) -> int:
        """Return the time at which a batch was planned, in epoch milliseconds."""
        lines = self._files.text(f"{OFFSETS}/{batch}").splitlines()
        return read_json(lines[1], _BatchTime).batchTimestampMs

    def batches(self) -> list[int]:
        """Return the planned batches that Spark has not deleted yet, in order."""
        return sorted(self._batches(OFFSETS))

    def committed(self) -> set[int]:
        """Return the committed batches that Spark has not deleted yet."""
        return self._batches(COMMITS)

    def _batches(self, directory: str) -> set[int]:
        return {int(name) for name in self._files.names(directory) if name.isdigit()}

    def _ends(self, batch: int, done: int) -> Positions:
        try:
            return self.consumed(batch)
        except (ValueError, KeyError, TypeError, IndexError, OSError) as error:
            how = f"{_RESTORE}, {_ANEW}"
            lost = "The source positions are lost; the stores are not."
            if batch > done:
                lost = (
                    f"Batch {batch} was planned and had not ended; nothing of the batches before "
                    "it is lost."
                )
                how = f"{_delete([f'{OFFSETS}/{batch}'])}: the batch is then planned anew. {_SAFE}"
            raise self._broken(f"{OFFSETS}/{batch}", _shown(error), lost, how) from error

    def _check_before(self, done: int) -> None:
        """Check the positions before the last batch, which Spark reads and has no use for."""
        path, good = f"{OFFSETS}/{done - 1}", f"{OFFSETS}/{done}"
        try:
            self.consumed(done - 1)
        except (ValueError, KeyError, TypeError, IndexError, OSError) as error:
            crc = path.replace("/", "/.")
            raise self._broken(
                path,
                _shown(error),
                f"Nothing is lost: batch {done} after it has ended, and Spark only wants to see "
                "this file.",
                f'Copy "{good}" to "{path}", delete "{crc}.crc" if it exists, and start again.',
            ) from error

    def beginning(self) -> Positions:
        """Return the start offsets of the first batch."""
        found: Positions = {}
        for source in self._files.names(SOURCES):
            path = f"{SOURCES}/{source}/0"
            if self._files.has(path):
                try:
                    # Spark puts a byte of 0 before the text.
                    lines = self._files.text(path).lstrip("\0").splitlines()
                    found |= positions_of(lines[1:])
                except (ValueError, TypeError, OSError) as error:
                    lost = "Where the first batch began is lost; no batch has ended."
                    how = "Delete the checkpoint; nothing is in it yet."
                    raise self._broken(path, _shown(error), lost, how) from error
        return found

    def _check_commit(self, batch: int, planned: int) -> None:
        path = f"{COMMITS}/{batch}"
        try:
            lines = self._files.text(path).splitlines()
            _check_head(lines, 2)
            read_json(lines[1], dict[str, Any])
        except (ValueError, TypeError, OSError) as error:
            raise self._broken(
                path,
                _shown(error),
                f"Whether batch {batch} has ended is lost; all that it read and wrote is there.",
                _repeat(batch, [path, *([f"{OFFSETS}/{planned}"] if planned > batch else [])]),
            ) from error

    def _check_id(self) -> None:
        try:
            if self._files.has(ID):
                UUID(read_json(self._files.text(ID), _QueryId).id)
        except (ValueError, OSError) as error:
            raise self._broken(
                ID,
                _shown(error),
                "Only Spark's id of the query is lost.",
                f'Delete "{ID}", and ".{ID}.crc" where it is: Spark makes a new one.',
            ) from error

    def _check_operators(self) -> None:
        for operator in self._files.names(STATE):
            folder = f"{STATE}/{operator}/{NOTES}"
            batches = self._batches(folder)
            # Spark writes one for its first batch, and then only where something changes.
            path = f"{folder}/{max(batches, default=0)}"
            try:
                if not batches:
                    raise ValueError("It is missing")
                lines = self._files.text(path).splitlines()
                _check_head(lines, 2)
                number = read_json(lines[1], _Notes).operatorInfo.operatorId
                if number is not None and str(number) != operator:
                    raise ValueError(f'It is that of "{STATE}/{number}"')
            except (ValueError, OSError) as error:
                lost = "What Spark notes about the stores of a batch is lost."
                raise self._broken(path, _shown(error), lost, f"{_RESTORE}, {_ANEW}") from error

    def _broken(self, path: str, what: str, lost: str, how: str) -> StreamsException:
        return StreamsException(
            f'cannot read "{path}" in checkpoint "{self._location}"',
            detail=f"{what} {lost}",
            hint=how,
        )


def positions_of(lines: Iterable[str]) -> Positions:
    """Return the offsets of the Kafka sources among the lines of a log."""
    return source_positions(read_json(line, object) for line in lines if line != "-")


def source_positions(sources: Iterable[Any]) -> Positions:
    """Return the offsets of the Kafka sources among all sources' offsets, as Spark writes them."""
    found: Positions = {}
    for source in sources:
        for topic, offsets in source.items() if isinstance(source, Mapping) else ():
            # The tick source has its own kind of offsets.
            if isinstance(offsets, Mapping):
                own = {int(number): int(offset) for number, offset in offsets.items()}
                found[topic] = found.get(topic, {}) | own
    return found


def flat(positions: Mapping[str, Mapping[int, int]]) -> dict[tuple[str, int], int]:
    """Return positions by (topic, partition)."""
    return {(topic, n): at for topic, offsets in positions.items() for n, at in offsets.items()}


def _repeat(batch: int, files: list[str]) -> str:
    return f"{_delete(files)}: batch {batch} is then repeated. {_SAFE}"


def _delete(files: list[str]) -> str:
    named = " and ".join(f'"{file}"' for file in files)
    crcs = " and ".join(f'"{file.replace("/", "/.")}.crc"' for file in files)
    return f"Delete {named}, and {crcs} if they exist"


def _check_head(lines: list[str], least: int) -> None:
    if not lines or not lines[0].startswith("v"):
        raise ValueError("It does not begin with a version" if lines else "It is empty")
    if len(lines) < least:
        raise ValueError(f"It has {len(lines)} lines, and at least {least} belong there")


def _shown(error: Any) -> str:
    kind = "" if type(error) is ValueError else f"{type(error).__name__}: "
    return f"{kind}{error}.".replace("..", ".")
