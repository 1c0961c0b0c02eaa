"""Worker's copy of one store: its byte store and its version."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice

from millstream.core.store import ByteStore, Entry
from millstream.core.working_copy import WorkingCopy, store_errors
from millstream.topology.spark.state.manifest import ChangelogPosition

UNFINISHED = b"building"
"""Version of a byte store that is not complete yet; not a valid position."""

_COPIED_AT_ONCE = 4096


@dataclass(slots=True)
class Copy:
    """A store in a worker.

    Attributes:
        building: Whether it is being restored: slices are applied as well as changes.
    """

    kind: str
    working: WorkingCopy
    position: ChangelogPosition | None
    """The version of its byte store; None if it has no valid one."""
    building: bool = False


@contextmanager
def closed_on_failure(store: ByteStore) -> Iterator[None]:
    """Close a store that nobody will have: what it has locked, the next attempt needs."""
    try:
        yield
    except BaseException:
        with suppress(Exception):  # the first error is the one that counts
            store.close()
        raise


def fill(copy: Copy, entries: Iterator[Entry], position: ChangelogPosition) -> None:
    """Replace the contents of a byte store."""
    store, name = copy.working.store, copy.working.name
    empty(copy.working)
    with store_errors(name):
        while some := dict(islice(entries, _COPIED_AT_ONCE)):
            store.write(some, UNFINISHED)
        store.write({}, position.encode())
    copy.position = position


def carry_over(old: Copy, new: Copy, at: ChangelogPosition) -> None:
    """Move a store, with the changes of the current batch, to another kind of byte store."""
    if new.position != at or at == ChangelogPosition():
        with store_errors(old.working.name, "scan()"):
            entries = old.working.store.scan(None, None)
        fill(new, entries, at)
    changes = old.working.changes()
    for lower, upper in changes.dropped:
        new.working.drop_range(lower, upper)
    new.working.put_all(changes.entries)
    with store_errors(old.working.name, "close()"):
        old.working.store.close()


def empty(copy: WorkingCopy) -> None:
    """Delete all entries of a byte store, and the version."""
    with store_errors(copy.name, "scan()"):
        last = next(iter(copy.store.scan(None, None, reverse=True)), None)
    everything = [] if last is None else [(b"", last[0] + b"\0")]
    with store_errors(copy.name, "write()"):
        copy.store.write({}, UNFINISHED, dropped=everything)


def position_of(copy: WorkingCopy) -> ChangelogPosition | None:
    """Return a byte store's position; None if it has no valid version."""
    with store_errors(copy.name, "version()"):
        version = copy.store.version()
    return ChangelogPosition() if version is None else ChangelogPosition.decode(version)
