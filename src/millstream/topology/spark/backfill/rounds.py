"""Agreement of the sources of one query on the end of each batch.

Every stage that reads topics has a source of its own in a process of its own, on the driver's
machine. Spark asks all of them for the end of a batch before it plans the batch, and asks again
only when the batch is committed. So the first source that is asked a second time begins a new
round. What they share is in a small file.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from millstream.topology.spark.backfill.slices import Cut, Slice
from millstream.topology.spark.private import private_directory, write_private

Positions = Mapping[str, Mapping[int, int]]
"""Topic -> partition -> offset."""


@dataclass(slots=True)
class _Round:
    slice: Slice
    final: bool = False
    """Whether the slice ends where the run ends."""
    asked: list[int] = field(default_factory=list)
    """The readers that know the slice."""
    drained: bool = True
    """Whether all of them had read their feedback topics to the end."""
    complete: bool = False
    """Whether a round that was final has ended before this one."""
    over: bool = False


class Rounds:
    """The file that the sources of a query share.

    Args:
        path: The file, on the driver's machine.
        readers: How many sources there are.
    """

    def __init__(self, path: Path, readers: int) -> None:
        self._path = path
        self._readers = readers

    def begin(self, cut: Cut) -> None:
        """Forget earlier rounds: the next batch begins at a cut."""
        private_directory(self._path.parent)
        self._write(_Round(Slice(cut)))

    def again(self) -> None:
        """Let every source ask anew, after the query was started again."""
        with self._locked():
            self._write(_Round(self._read().slice))

    def ask(
        self, reader: int, ends: Cut, following: Callable[[Slice], Slice], drained: bool
    ) -> Cut:
        """Return the end of the batch that Spark plans.

        Args:
            reader: The number of the source that asks.
            ends: Where the run ends.
            following: Returns the slice after another one.
            drained: Whether the source has read its feedback topics to the end.
        """
        with self._locked():
            now = self._read()
            if not now.asked or reader in now.asked:
                known_by_all = len(now.asked) == self._readers
                slice_ = following(now.slice)
                now = _Round(
                    slice_,
                    final=slice_.cut == ends,
                    complete=now.final and known_by_all,
                    over=now.over,
                )
            now.asked.append(reader)
            now.drained &= drained
            if len(now.asked) == self._readers and now.complete and now.drained:
                now.over = True
            self._write(now)
            return now.slice.cut

    def over(self) -> bool:
        """Return whether everything has been read, and its last batch is committed."""
        with self._locked():
            return self._read().over

    def _read(self) -> _Round:
        found = json.loads(self._path.read_text("utf-8"))
        slice_ = Slice(flat(found.pop("cut")), found.pop("time"), found.pop("width"))
        return _Round(slice_, **found)

    def _write(self, now: _Round) -> None:
        text = json.dumps(
            {
                "cut": nested(now.slice.cut),
                "time": now.slice.time_ms,
                "width": now.slice.width_ms,
                "final": now.final,
                "asked": now.asked,
                "drained": now.drained,
                "complete": now.complete,
                "over": now.over,
            }
        )
        draft = self._path.with_suffix(".draft")
        write_private(draft, text)
        draft.replace(self._path)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self._path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def nested(cut: Cut) -> dict[str, dict[str, int]]:
    """Return a cut as Spark's Kafka source writes offsets."""
    found: dict[str, dict[str, int]] = {}
    for (topic, partition), offset in sorted(cut.items()):
        found.setdefault(topic, {})[str(partition)] = offset
    return found


def flat(positions: Mapping[str, Mapping[Any, int]]) -> dict[tuple[str, int], int]:
    """Return offsets by topic and partition."""
    return {(topic, int(n)): at for topic, own in positions.items() for n, at in own.items()}
