"""Sessions of a run of records, changed in memory and written once to a store without a cache."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.state.access import SessionAccess
from millstream.core.windows import SessionWindow, Windowed
from millstream.topology.operators.folding import Combine, Initial, Merge
from millstream.topology.operators.lost_aggregates import look_at_lost

Live = tuple[int, int, Any]
"""End, start and aggregate of a session."""

_end = itemgetter(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRules:
    """Times and functions of an aggregation by session."""

    gap: int
    grace: int
    initial: Initial
    combine: Combine
    merge: Merge


class SessionRun:
    """The sessions of a run's keys, as the records so far have left them.

    Args:
        rules: The rules of sessions.
        access: The store's access.
        run: The records; each has a key.
        owners: The number of each record's key.
        key_bytes: The keys by number.
    """

    def __init__(
        self,
        rules: SessionRules,
        access: SessionAccess,
        run: Chunk,
        owners: list[int],
        key_bytes: list[bytes],
    ) -> None:
        self._rules = rules
        self._access = access
        self._run = run
        self._owners = owners
        self._key_bytes = key_bytes
        self._writes: dict[tuple[int, int, int], tuple[Any, int]] = {}
        self.updates: list[tuple[int, int, int, Any, Any]] = []
        """The updates of ``take`` to forward: record, start, end, new and old aggregate."""
        self.expired: list[int] = []
        """The records of ``take`` that came too late."""
        self.error: Exception | None = None
        """What a user's function raised on the record that ``take`` stopped at."""
        self._observed = access.observed
        gap, earliest, latest = rules.gap, dict[int, int](), dict[int, int]()
        for owner, timestamp in zip(owners, run.timestamps, strict=True):
            earliest[owner] = min(timestamp, earliest.get(owner, timestamp))
            latest[owner] = max(timestamp, latest.get(owner, timestamp))
        self._reach = [(earliest[i] - gap, latest[i] + gap) for i in range(len(key_bytes))]
        self._live = [self._found(owner) for owner in range(len(key_bytes))]

    def take(self, first: int, stream_time: int) -> tuple[int, int]:
        """Take records from ``first`` on, up to one that fails or that the store may refuse.

        ``store`` must follow.

        Returns:
            The number of that record, or how many there are; and stream time with what was taken.
        """
        row, self.error, self.expired, self.updates = first, None, [], []
        try:
            for row in range(first, len(self._run)):
                timestamp = self._run.timestamps[row]
                stream_time = max(stream_time, timestamp)
                if not self._add(row, timestamp, stream_time):
                    return row, stream_time
        except Exception as error:  # noqa: BLE001 - a user's function may raise anything
            self.error = error
            return row, stream_time
        return len(self._run), stream_time

    def refresh(self, row: int) -> None:
        """Read again the sessions of the record that ``take`` had stopped at."""
        owner = self._owners[row]
        self._live[owner] = self._found(owner)
        self._observed = self._access.observed

    def store(self) -> None:
        """Write what has changed."""
        writes, self._writes = self._writes, {}
        if not writes:
            return
        rows = [row for _, row in writes.values()]
        self._access.write_many(
            [self._key_bytes[owner] for owner, _, _ in writes],
            [self._run.keys[row] for row in rows],
            [(start, end) for _, start, end in writes],
            [new for new, _ in writes.values()],
            self._run,
            rows,
        )

    def chunk(self, *, sends_old: bool) -> Chunk:
        """Return the updates of ``take``; the time of a session is its end."""
        run, updates = self._run, self.updates
        out = run.take([row for row, *_ in updates])
        out.keys = [
            Windowed(key, SessionWindow.of_events(start, end))
            for key, (_, start, end, _, _) in zip(out.keys, updates, strict=True)
        ]
        out.timestamps = [end for _, _, end, _, _ in updates]
        out.values = [new for *_, new, _ in updates]
        out.olds = [old if sends_old else None for *_, old in updates]
        out.headers = None
        return out

    def _found(self, owner: int) -> list[Live]:
        found = self._access.find(self._key_bytes[owner], *self._reach[owner])
        return [(end, start, cell) for start, end, cell in found]

    def _add(self, row: int, timestamp: int, stream_time: int) -> bool:
        """Add a record to the session it belongs to; False if the store might refuse that."""
        rules, owner = self._rules, self._owners[row]
        key, live = self._run.keys[row], self._live[owner]
        found, start, end = self._near(live, timestamp)
        if end < self._access.limits(self._observed)[1]:
            return False
        aggregate = rules.initial()
        for i, (last, first, cell) in enumerate(found):
            own = self._own(cell)
            found[i] = last, first, own
            aggregate = rules.merge(key, aggregate, own)
        if end < stream_time - rules.grace - rules.gap:
            self.expired.append(row)
            return True
        if start != end:
            for last, first, cell in found:
                self._drop(live, last, first)
                self._write(owner, first, last, None, row)
                self.updates.append((row, first, last, None, cell))
        new = rules.combine(key, self._run.values[row], aggregate)
        if new is None and not found:
            look_at_lost(rules.combine, aggregate)
        kept = None if new is None else self._own(new)
        self._drop(live, end, start)
        if kept is not None:
            insort(live, (end, start, kept), key=_end)
        self._write(owner, start, end, kept, row)
        self._observed = max(self._observed, end)
        self.updates.append((row, start, end, new, None))
        return True

    def _near(self, live: list[Live], timestamp: int) -> tuple[list[Live], int, int]:
        """Return the sessions that a record belongs to, and start and end of them and it."""
        gap, start, end = self._rules.gap, timestamp, timestamp
        reach = max(timestamp - gap, self._access.limits(self._observed)[0])
        found: list[Live] = []
        for session in reversed(live):
            last, first, _ = session
            if last < reach:
                break
            if first <= timestamp + gap:
                found.append(session)
                start, end = min(start, first), max(end, last)
        found.reverse()
        return found, start, end

    def _own(self, cell: Any) -> Any:
        """Return a cell that a user's function may change."""
        access = self._access
        if type(cell) is access.plain and access.fits((cell,)):
            return cell
        return access.to_cell(cell, 0)

    def _drop(self, live: list[Live], end: int, start: int) -> None:
        for index in range(len(live) - 1, -1, -1):
            if live[index][0] == end and live[index][1] == start:
                del live[index]
            elif live[index][0] < end:
                return

    def _write(self, owner: int, start: int, end: int, new: Any, row: int) -> None:
        slot = owner, start, end
        self._writes.pop(slot, None)
        self._writes[slot] = new, row
