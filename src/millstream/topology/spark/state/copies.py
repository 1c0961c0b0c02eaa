"""A worker's copy of one store: its byte store, and the version that it is at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from millstream.core.engine.working_copy import WorkingCopy, store_errors
from millstream.core.store import ByteStore, Entry
from millstream.topology.spark.state.manifest import ChangelogPosition

UNFINISHED = b"building"
"""The version of a byte store that does not have everything yet; no position reads like that."""

_COPIED_AT_ONCE = 4096


@dataclass(slots=True)
class Copy:
    """A store in a worker.

    Attributes:
        building: It is being built anew, so slices count as well as changes.
    """

    kind: str
    working: WorkingCopy
    position: ChangelogPosition | None
    """The version its byte store is at; None if it is at no version."""
    building: bool = False


def fill(copy: Copy, entries: Iterator[Entry], position: ChangelogPosition) -> None:
    """Let a byte store hold these entries and nothing else."""
    store = copy.working.store
    empty(store)
    with store_errors():
        while some := dict(islice(entries, _COPIED_AT_ONCE)):
            store.write(some, UNFINISHED)
        store.write({}, position.encode())
    copy.position = position


def carry_over(old: Copy, new: Copy, at: ChangelogPosition) -> None:
    """Move a store, and what the current batch has changed in it, to another kind."""
    if new.position != at or at == ChangelogPosition():
        fill(new, old.working.store.scan(None, None), at)
    changes = old.working.changes()
    for lower, upper in changes.dropped:
        new.working.drop_range(lower, upper)
    new.working.put_all(changes.entries)
    with store_errors():
        old.working.store.close()


def empty(store: ByteStore) -> None:
    """Delete everything; the store is at no version until it is filled."""
    with store_errors():
        last = next(iter(store.scan(None, None, reverse=True)), None)
        everything = [] if last is None else [(b"", last[0] + b"\0")]
        store.write({}, UNFINISHED, dropped=everything)


def position_of(store: ByteStore) -> ChangelogPosition | None:
    """Return the point that a store is at; None if it is at no version."""
    with store_errors():
        version = store.version()
    return ChangelogPosition() if version is None else ChangelogPosition.decode(version)
