"""Read-only copy of a task's stores on the driver, as of the last committed batch."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Any

from millstream.core.engine.assembly import configured, restore
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.store_context import StoreContext
from millstream.core.engine.task_facts import TaskFacts
from millstream.core.errors import UnsupportedOperationException
from millstream.core.metrics import StreamsMetrics
from millstream.core.plan import StoreNode
from millstream.core.processor import TaskId
from millstream.core.query.position import Position
from millstream.core.state import tell_partition
from millstream.topology.spark.queries.carrying import TaskChanges
from millstream.topology.spark.state.changelog import SegmentReader
from millstream.topology.spark.state.manifest import Manifest
from millstream.topology.spark.worker.global_tables import unlogged_of
from millstream.topology.spark.worker.task_host import SparkTaskHost


class Replica:
    """Copies of the queried stores of one task.

    Args:
        id_: The task.
        settings: The settings of tasks.
        host: The host of the copies, in the driver's process.
        tables: How many global stores the task reads.
    """

    def __init__(
        self, id_: TaskId, settings: TaskSettings, host: SparkTaskHost, tables: int = 0
    ) -> None:
        self._id = id_
        self._settings = settings
        self._host = host
        self._tables = tables
        self._unlogged: set[str] = set()
        """Global stores of the program's own classes whose entries are in no checkpoint."""
        self._kinds: dict[str, str] = {}
        self._stores: dict[str, Any] = {}
        self._below: dict[str, list[Any]] = {}
        """What of ours is below each of them."""
        self._restored: set[str] = set()
        """Stores of a user's own type, which are restored again for every batch."""

    def first_missing(self, name: str, manifest: Manifest) -> int | None:
        """Return the number of the first segment that a store needs; None if it needs none."""
        kind = manifest.stores.get(name)
        if kind is None:
            return None
        self._kinds[name] = kind
        return self._host.changelog.first_missing(self._wanted(manifest))

    def catch_up(self, manifest: Manifest, log: SegmentReader, position: Position) -> None:
        """Bring the queried stores to a batch.

        Raises:
            ProcessorStateException: A segment is missing or damaged.
            TaskCorruptedException: A copy cannot be trusted; they must be discarded.
        """
        self._host.changelog.catch_up(self._wanted(manifest), log)
        if self._tables and manifest.snapshot:
            self._unlogged = unlogged_of(manifest.snapshot, self._tables)
        self.refresh(position)

    def advance(self, found: TaskChanges, names: Collection[str]) -> bool:
        """Bring some stores from one batch to the next; return whether the changes fit.

        Args:
            found: What the batch has changed in these stores.
            names: The stores; others stay behind.

        Raises:
            TaskCorruptedException: A copy cannot be trusted; they must be discarded.
        """
        kinds = {name: kind for name, kind in found.manifest.stores.items() if name in names}
        manifest = replace(found.manifest, stores=kinds)
        if not self._host.changelog.advance(found.base, manifest, found.changes):
            return False
        self._kinds |= kinds
        return True

    def refresh(self, position: Position) -> None:
        """Drop what stores have derived from their bytes, which have changed."""
        for name, store in list(self._stores.items()):
            if name in self._restored:
                store.close()
                del self._stores[name]
                continue
            # A user's own store may not hand it on.
            for each in (store, *self._below[name]):
                each.reload()
            store.getPosition().merge(position)

    def store(self, node: StoreNode, position: Position) -> Any:
        """Return a store, opened for reading.

        Raises:
            UnsupportedOperationException: Its entries are in no checkpoint.
        """
        if node.name in self._unlogged:
            raise UnsupportedOperationException(
                f'global store "{node.name}" cannot be queried: it logs no changes',
                detail="It is of a class of the program, and its entries are in the workers only.",
                hint="Let it log each change by context.log_change() and register a callback that "
                "takes them back, or use a store of Stores.",
            )
        found = self._stores.get(node.name)
        if found is None:
            if self._restored.isdisjoint(self._stores):
                # No store has files open there: what is in them is of an earlier batch.
                self._host.renew_state_dir()
            facts = TaskFacts(self._id, self._settings, self._host, StreamsMetrics())
            context = StoreContext(facts, self._host.working_copy)
            found = configured(node.builder, self._settings.configs).build()
            found.init(context, found)
            tell_partition(found, self._id.partition())
            found.getPosition().merge(position)
            callback = context.restorers.get(node.name)
            if callback is not None:
                restore(found, callback, self._host.logged(node.name))
            if self._host.logs_changes(node.name):
                self._restored.add(node.name)
            self._stores[node.name] = found
            ours = context.below.get(node.name, [])
            self._below[node.name] = [each for each in ours if each is not found]
        return found

    def discard(self) -> None:
        """Delete all copies, as one is damaged or missing; whoever asks next restores them."""
        with suppress(Exception):  # the one may be why
            self.close()
        self._host.discard_stores()

    def close(self) -> None:
        """Close stores and copies, even if one of them fails."""
        stores, self._stores = self._stores, {}
        with ExitStack() as closing:
            closing.callback(self._host.changelog.close)
            for store in stores.values():
                closing.callback(store.close)

    def _wanted(self, manifest: Manifest) -> Manifest:
        return replace(manifest, stores=self._kinds)
