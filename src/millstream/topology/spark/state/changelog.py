"""Changelog of a task's stores: a manifest and a numbered sequence of segments.

Every batch appends its changes. At the start of a batch a worker's copies are brought to the
manifest's version in the cheapest possible way: nothing to do; apply the changes that this worker
staged in the previous batch, now that the manifest shows they are committed; replay the missed
segments; or restore everything. To roll back a failed batch, its staged changes are dropped.

A batch also rewrites a bounded slice of the state. After a full round the oldest segments are no
longer needed; see `slices`.

Segments do not depend on the kind of byte store. If the application is configured with another kind
than the manifest names, the store is restored into the new kind, and the next manifest names it.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Protocol

from millstream.core.errors import PluginError
from millstream.core.store import ByteStore
from millstream.core.working_copy import Changes, WorkingCopy, store_errors
from millstream.topology.spark.state.copies import (
    UNFINISHED,
    Copy,
    carry_over,
    closed_on_failure,
    empty,
    fill,
    position_of,
)
from millstream.topology.spark.state.manifest import ChangelogPosition, Manifest, Round
from millstream.topology.spark.state.segments import (
    ID_BYTES,
    SLICE,
    Section,
    Segment,
    changes_section,
    damaged,
    decode_segment,
    encode_segments,
)
from millstream.topology.spark.state.slices import next_slice, wants_round

log = logging.getLogger(__name__)

LOGGED = "memory"
"""Plugin for the changelog of users' own stores, and for stores the topology does not have."""

REMOVED_PER_BATCH = 64
"""Number of old segments a batch deletes beyond the number that it writes."""

SEGMENT_COST = 512
"""Fixed cost of a segment in bytes, so that many tiny segments are compacted too."""

_MIN_SLICE = 64 * 1024


class SegmentReader(Protocol):
    """Segments by number."""

    def get(self, seq: int) -> bytes | None:
        """Return a segment; None if it does not exist."""


class SegmentLog(SegmentReader, Protocol):
    """Segments by number; Spark's map state, or a dict in a test."""

    def put(self, seq: int, segment: bytes) -> None:
        """Add a segment."""

    def remove(self, seq: int) -> None:
        """Delete a segment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """A store that a worker has restored from its changelog."""

    store: str
    partition: int = -1
    """The task's partition; -1 until it is set."""
    first: int
    """Number of the first segment."""
    steps: tuple[tuple[int, int], ...]
    """Number and count of entries of each segment that has entries of the store."""
    end: int
    """Number after the last segment."""


class Changelog:
    """The stores of one task in one worker.

    Args:
        open_store: Opens the byte store for a store name and a plugin's name.
        kinds: Store -> its configured plugin, where that is known before the stores are opened.
    """

    def __init__(
        self,
        open_store: Callable[[str, str], ByteStore],
        kinds: Mapping[str, str] | None = None,
    ) -> None:
        self._open_store = open_store
        self._kinds = dict(kinds or {})
        self._copies: dict[str, Copy] = {}
        self._staged: ChangelogPosition | None = None
        self._position = ChangelogPosition()
        self.rebuilt: list[Rebuilt] = []
        """Restored stores not reported yet; the reader empties the list."""
        self.applied: dict[str, int] = {}
        """Store -> number of entries taken from segments so far."""
        self.written: list[bytes] = []
        """Segments with the last batch's changes; the reader empties the list."""

    def working_copy(self, store: str, kind: str) -> WorkingCopy:
        """Return a store's working copy; a store that is not in the changelog starts empty.

        Contents in another kind of byte store are moved to the new kind.
        """
        copy = self._copies.get(store)
        if copy is not None and copy.kind == kind:
            return copy.working
        self._kinds[store] = kind
        opened = self._open(store, kind)
        with closed_on_failure(opened.working.store):
            if copy is None:
                fill(opened, iter(()), self._position)
            else:
                _log_carried(store, copy.kind, kind)
                carry_over(copy, opened, self._position)
        self._copies[store] = opened
        return opened.working

    def catch_up(self, manifest: Manifest, log: SegmentReader) -> None:
        """Bring every store to the manifest's version.

        Raises:
            ProcessorStateException: A segment is missing or damaged.
        """
        self._settle(manifest.position)
        self._position = manifest.position
        self._open_all(manifest)
        behind = {
            store: copy
            for store, copy in self._copies.items()
            if copy.position != manifest.position
        }
        if behind:
            self._replay(behind, manifest, log)

    def advance(
        self, base: ChangelogPosition, manifest: Manifest, changes: Mapping[str, Changes]
    ) -> bool:
        """Apply one batch's changes to copies that only follow; return whether they fit.

        Args:
            base: The version that the batch began with.
            manifest: The one that it ended with, with the stores to bring there.
            changes: What it changed, by store; other stores have not changed.
        """
        copies = [(self._copies.get(store), store) for store in manifest.stores]
        if any(copy is None or copy.position != base for copy, _ in copies):
            return False
        version = manifest.position.encode()
        for copy, store in copies:
            assert copy is not None
            change = changes.get(store, Changes({}))
            with store_errors(store, "write()"):
                copy.working.store.write(change.entries, version, dropped=change.dropped)
            copy.position = manifest.position
        self._position = manifest.position
        return True

    def first_missing(self, manifest: Manifest) -> int | None:
        """Return the number of the first segment that ``catch_up`` reads; None if it reads none."""
        starts = []
        self._open_all(manifest)
        for store in manifest.stores:
            position = self._copies[store].position
            if position == manifest.position:
                continue
            seq = 0 if position is None else position.seq
            follows = 0 < seq < manifest.position.seq and seq >= manifest.oldest
            starts.append(seq if follows else manifest.first)
        return min(starts, default=None)

    def changes(self) -> dict[str, Changes]:
        """Return what the batch has changed so far, by store."""
        return {name: copy.working.changes() for name, copy in sorted(self._copies.items())}

    def commit(
        self, manifest: Manifest, log: SegmentLog, *, snapshot: bytes, arrivals: Mapping[str, int]
    ) -> Manifest:
        """Write the batch's changes, and a slice; return the manifest to save.

        The changes stay staged: the next ``catch_up`` applies or drops them.
        """
        changed = {name: each for name, each in self.changes().items() if each}
        round_ = manifest.round
        if round_ is None and wants_round(manifest.live, manifest.state):
            round_ = Round(first=manifest.position.seq)
        slices: list[Section] = []
        done = False
        if round_ is not None:
            budget = max(_MIN_SLICE, sum(map(_size, changed.values())))
            if round_.slices > manifest.state > 0:
                # A round that exceeds the previous one: the slices must keep up with the writes.
                budget *= 2
            stores = {name: copy.working.store for name, copy in self._copies.items()}
            slices, round_, done = next_slice(stores, round_, budget)
        id_ = os.urandom(ID_BYTES)
        sections = [changes_section(name, each) for name, each in changed.items()]
        slice_segments = encode_segments(manifest.position.id, id_, slices)
        self.written = encode_segments(manifest.position.id, id_, sections)
        segments = slice_segments + self.written
        seq = manifest.position.seq
        for number, segment in enumerate(segments):
            log.put(seq + number, segment)
        position = ChangelogPosition(seq + len(segments), id_) if segments else manifest.position
        following = replace(
            manifest,
            position=position,
            step=os.urandom(8),
            stores={name: copy.kind for name, copy in self._copies.items()},
            arrivals=dict(arrivals),
            snapshot=snapshot,
        )
        following = _account(following, round_, done, _cost(slice_segments), _cost(segments))
        self._staged = position
        return _trim(following, log, REMOVED_PER_BATCH + len(segments))

    def abandon(self) -> None:
        """Drop the staged changes of the current batch."""
        self._staged = None
        for copy in self._copies.values():
            copy.working.forget()

    def rest(self) -> None:
        """Let other workers have the stores that they share with this one."""
        for name, copy in self._copies.items():
            if copy.working.store.traits.shareable:
                with store_errors(name, "rest()"):
                    copy.working.store.rest()

    def close(self) -> None:
        """Close every byte store, even if one of them fails."""
        copies, self._copies = self._copies, {}
        with ExitStack() as closing:
            for copy in copies.values():
                closing.callback(copy.working.store.close)

    def _settle(self, truth: ChangelogPosition) -> None:
        """Apply or drop the changes that the last batch staged here."""
        staged, self._staged = self._staged, None
        for copy in self._copies.values():
            # Another worker may have advanced a shared store.
            found = position_of(copy.working)
            if staged is not None and staged == truth and found == copy.position:
                copy.working.apply(truth.encode())
                copy.position = truth
            else:
                copy.working.forget()
                copy.position = found

    def _open_all(self, manifest: Manifest) -> None:
        """Open the manifest's stores that are not open yet, in the configured kind."""
        for store, kind in manifest.stores.items():
            if store in self._copies:
                continue
            wanted = self._kinds.get(store, kind)
            try:
                self._copies[store] = self._open(store, wanted)
            except PluginError:
                if store in self._kinds:
                    raise
                # Its plugin is not installed any more. The segments still have its entries.
                self._copies[store] = self._open(store, LOGGED)
            if self._copies[store].kind != kind:
                _log_carried(store, kind, self._copies[store].kind)

    def _open(self, store: str, kind: str) -> Copy:
        with store_errors(store, "open()"):
            opened = self._open_store(store, kind)
        working = WorkingCopy(opened, name=store)
        with closed_on_failure(opened):
            return Copy(kind, working, position_of(working))

    def _replay(self, copies: dict[str, Copy], manifest: Manifest, log: SegmentReader) -> None:
        starts = {}
        steps: dict[str, list[tuple[int, int]]] = {store: [] for store in copies}
        for store, copy in copies.items():
            if not _continues(copy.position, manifest, log):
                empty(copy.working)
                copy.position, copy.building = None, True
            starts[store] = manifest.first if copy.position is None else copy.position.seq
        anew = {s for s, copy in copies.items() if copy.position is None or not copy.position.seq}
        last: Segment | None = None
        for seq in range(min(starts.values()), manifest.position.seq):
            segment = read_segment(log, seq)
            if last is not None and not _follows(segment, last):
                raise damaged(f"segment {seq}", "It was not written after the segment before it.")
            for section in segment.sections:
                if starts.get(section.store, seq + 1) <= seq:
                    _apply(copies[section.store], section, ChangelogPosition(seq + 1, segment.id))
                    steps[section.store].append((seq, len(section.keys)))
                    self._count(section)
            last = segment
        if last is not None and last.id != manifest.position.id:
            raise damaged("the last segment", "It is not of the manifest's version.")
        for store, copy in copies.items():
            with store_errors(store, "write()"):
                copy.working.store.write({}, manifest.position.encode())
            if store in anew:
                done = tuple(steps[store])
                first, end = starts[store], manifest.position.seq
                self.rebuilt.append(Rebuilt(store=store, first=first, steps=done, end=end))
            copy.position, copy.building = manifest.position, False

    def _count(self, section: Section) -> None:
        before = self.applied.get(section.store, 0)
        self.applied[section.store] = before + len(section.keys)


def read_segment(log: SegmentReader, seq: int) -> Segment:
    """Return segment ``seq``, which must exist.

    Raises:
        ProcessorStateException: It is missing or damaged.
    """
    blob = log.get(seq)
    if blob is None:
        raise damaged(f"segment {seq}", "It is missing.")
    return decode_segment(blob, f"segment {seq}")


def _continues(position: ChangelogPosition | None, manifest: Manifest, log: SegmentReader) -> bool:
    """Return whether the manifest's version descends from ``position`` by segments still there."""
    if position is None or position.seq > manifest.position.seq:
        return False
    if position.seq == manifest.position.seq:
        return position.id == manifest.position.id
    if position.seq < manifest.oldest or (position.seq == 0 and manifest.first > 0):
        return False
    following = read_segment(log, position.seq)
    return position.id in (following.parent, following.id)


def _follows(segment: Segment, last: Segment) -> bool:
    same_batch = segment.id == last.id and segment.parent == last.parent
    return same_batch or segment.parent == last.id


def _apply(copy: Copy, section: Section, reached: ChangelogPosition) -> None:
    # A slice repeats existing entries; only a store that is being restored needs them.
    if section.kind == SLICE and not copy.building:
        return
    version = UNFINISHED if copy.building else reached.encode()
    entries = dict(zip(section.keys, section.values, strict=True))
    with store_errors(section.store, "write()"):
        copy.working.store.write(entries, version, dropped=section.dropped)


def _log_carried(store: str, before: str, now: str) -> None:
    log.info("store moves to another kind of byte store store=%s from=%s to=%s", store, before, now)


def _size(changes: Changes) -> int:
    entries = changes.entries
    values = sum(len(value) for value in entries.values() if value is not None)
    return sum(map(len, entries)) + values + 8 * len(entries)


def _cost(segments: list[bytes]) -> int:
    return sum(map(len, segments)) + SEGMENT_COST * len(segments)


def _account(
    manifest: Manifest, round_: Round | None, done: bool, slices: int, total: int
) -> Manifest:
    live = manifest.live + total
    if round_ is None:
        return replace(manifest, live=live, round=None)
    round_ = replace(round_, slices=round_.slices + slices, total=round_.total + total)
    if not done:
        return replace(manifest, live=live, round=round_)
    return replace(manifest, first=round_.first, live=round_.total, state=round_.slices, round=None)


def _trim(manifest: Manifest, log: SegmentLog, limit: int) -> Manifest:
    oldest = min(manifest.first, manifest.oldest + limit)
    for seq in range(manifest.oldest, oldest):
        log.remove(seq)
    return replace(manifest, oldest=oldest)
