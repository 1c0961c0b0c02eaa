"""The driver's copies of one stage's stores, and how they come from one batch to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Protocol

from millstream.core.plan import StoreNode
from millstream.core.query import Position
from millstream.topology.spark.checkpoint.log import Positions
from millstream.topology.spark.compile import Stage
from millstream.topology.spark.queries.carrying import Carrying, TaskChanges
from millstream.topology.spark.queries.replica import Replica
from millstream.topology.spark.state.changelog import SegmentReader
from millstream.topology.spark.state.manifest import Manifest


class CommittedReader(Protocol):
    """The committed state that is read; ``CommittedState``, or a test's own."""

    def last_batch(self, known: int | None = None) -> int | None:
        """Return the number of the last committed batch; None before the first."""

    def consumed(self, batch: int) -> Positions:
        """Return the end offsets of a batch."""

    def manifests(self, stage: Stage, batch: int) -> dict[int, Manifest]:
        """Return the manifest of each task that has one, by partition."""

    def segments(
        self, stage: Stage, batch: int, first: Mapping[int, int]
    ) -> dict[int, dict[int, bytes]]:
        """Return segments by partition and number."""


NOTHING = -1
"""Number before that of the first batch."""


@dataclass(slots=True)
class StageCopies:
    """The replicas of one stage's tasks.

    Args:
        stage: The stage.
        committed: The checkpoint.
        make: Makes the replica of a partition's task.
    """

    stage: Stage
    committed: CommittedReader
    make: Callable[[Stage, int], Replica]
    batch: int | None = None
    names: set[str] = field(default_factory=set)
    """Stores that are up to date with ``batch``."""
    _replicas: dict[int, Replica] = field(default_factory=dict)
    _manifests: dict[int, Manifest] = field(default_factory=dict)
    _consumed: Positions = field(default_factory=dict)

    def is_at(self, batch: int | None, name: str) -> bool:
        """Return whether a store is up to date with a batch; None for none committed yet."""
        if batch is None and self.batch in (None, NOTHING):
            self.batch = NOTHING
            self.names.add(name)
        return batch is None or (self.batch == batch and name in self.names)

    def advance(self, batch: int, carrying: Carrying) -> bool:
        """Bring the stores to a committed batch by what batches have carried; return whether.

        Stores that these batches do not carry any more stay behind.

        Raises:
            TaskCorruptedException: A copy cannot be trusted; they must be discarded.
        """
        if self.batch is None or self.batch > batch:
            return False
        consumed = self.committed.consumed(batch)
        for number in range(self.batch + 1, batch + 1):
            carried = carrying.carried(number, self.stage.index)
            changes = carrying.changes(number, self.stage.index)
            if not carried or changes is None or not self.names & carried:
                return False
            self.names &= carried
            if not all(self._apply(*each) for each in changes.items()):
                return False
            self.batch = number
        self._consumed = consumed
        for partition, replica in self._replicas.items():
            replica.refresh(self._position(partition))
        return True

    def catch_up(self, batch: int, name: str) -> None:
        """Bring a store to a committed batch by what the checkpoint has.

        Raises:
            ProcessorStateException: A segment is missing or damaged.
            TaskCorruptedException: A copy cannot be trusted; they must be discarded.
        """
        if self.batch != batch:
            manifests = self.committed.manifests(self.stage, batch)
            self._consumed = self.committed.consumed(batch)
            self._manifests, self.batch, self.names = manifests, batch, set()
        first: dict[int, int] = {}
        for number, manifest in self._manifests.items():
            missing = self._replica(number).first_missing(name, manifest)
            if missing is not None:
                first[number] = missing
        segments = self.committed.segments(self.stage, batch, first) if first else {}
        for number, manifest in self._manifests.items():
            log = _Fetched(self.committed, self.stage, batch, number, segments.get(number, {}))
            self._replica(number).catch_up(manifest, log, self._position(number))
        self.names.add(name)

    def store(self, node: StoreNode, partition: int) -> object:
        """Return a store of one task, opened for reading."""
        return self._replica(partition).store(node, self._position(partition))

    def discard(self) -> None:
        """Delete all copies; whoever asks next has them built anew."""
        # Before that no store may pass for one that is up to date: it would begin empty.
        self.batch, self.names, self._manifests = None, set(), {}
        for replica in self._replicas.values():
            replica.discard()

    def close(self) -> None:
        """Close all copies, even if one of them fails."""
        with ExitStack() as closing:
            for replica in self._replicas.values():
                closing.callback(replica.close)

    def _apply(self, partition: int, found: TaskChanges) -> bool:
        known = self._manifests.get(partition, Manifest())
        if found.base != known.position:
            return False
        if not self._replica(partition).advance(found, self.names):
            return False
        self._manifests[partition] = found.manifest
        return True

    def _replica(self, number: int) -> Replica:
        found = self._replicas.get(number)
        if found is None:
            found = self._replicas[number] = self.make(self.stage, number)
        return found

    def _position(self, number: int) -> Position:
        position = Position.emptyPosition()
        for topic, offsets in self._consumed.items():
            if topic in self.stage.topics and offsets.get(number, 0) > 0:
                position.withComponent(topic, number, offsets[number] - 1)
        manifest = self._manifests.get(number)
        for topic, following in ({} if manifest is None else manifest.arrivals).items():
            if following > 0:
                position.withComponent(topic, number, following - 1)
        return position


@dataclass(slots=True)
class _Fetched(SegmentReader):
    """Segments of one task, read in advance; a missing one is read with all after it."""

    committed: CommittedReader
    stage: Stage
    batch: int
    partition: int
    segments: dict[int, bytes]

    def get(self, seq: int) -> bytes | None:
        if seq not in self.segments:
            more = self.committed.segments(self.stage, self.batch, {self.partition: seq})
            self.segments = more[self.partition] | self.segments
        return self.segments.get(seq)
