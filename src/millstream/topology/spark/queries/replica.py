"""Read-only copy of a task's stores on the driver, as of the last committed batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.engine.assembly import configured, restore
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.working_copy import WorkingCopy
from millstream.core.errors import TaskCorruptedException, UnsupportedOperationException
from millstream.core.headers import Headers
from millstream.core.metrics import StreamsMetrics
from millstream.core.plan import StoreNode
from millstream.core.processor import TaskId
from millstream.core.query.position import Position
from millstream.core.record_context import RecordContext
from millstream.core.records import RecordMetadata
from millstream.core.state import CacheBudget, StateRestoreCallback, StateStore, StateStoreContext
from millstream.topology.spark.state.changelog import SegmentLog
from millstream.topology.spark.state.manifest import Manifest
from millstream.topology.spark.worker.task_host import SparkTaskHost


class Replica:
    """Copies of those stores of one task that have been asked for.

    Args:
        id_: The task.
        settings: What the configuration says.
        host: Where the copies are kept; a host of this process, not of a worker.
    """

    def __init__(self, id_: TaskId, settings: TaskSettings, host: SparkTaskHost) -> None:
        self._id = id_
        self._settings = settings
        self._host = host
        self._kinds: dict[str, str] = {}
        self._stores: dict[str, Any] = {}
        self._restored: set[str] = set()
        """Stores of a user's own, which are made anew for every batch."""

    def first_missing(self, name: str, manifest: Manifest) -> int | None:
        """Return the number of the first segment that is needed to show a store; None: none is."""
        kind = manifest.stores.get(name)
        if kind is None:
            return None
        self._kinds[name] = kind
        with self._discarding():
            return self._host.changelog.first_missing(self._wanted(manifest))

    def catch_up(self, manifest: Manifest, log: SegmentLog, position: Position) -> None:
        """Bring the stores that were asked for to a batch.

        Raises:
            ProcessorStateException: A segment is missing or damaged.
        """
        with self._discarding():
            self._host.changelog.catch_up(self._wanted(manifest), log)
        for name, store in list(self._stores.items()):
            if name in self._restored:
                store.close()
                del self._stores[name]
                continue
            store.reload()
            store.getPosition().merge(position)

    def store(self, node: StoreNode, position: Position) -> Any:
        """Return a store, opened to be read."""
        found = self._stores.get(node.name)
        if found is None:
            context = ReplicaContext(self._id, self._settings, self._host)
            found = configured(node.builder, self._settings.configs).build()
            found.init(context, found)
            found.partition = self._id.partition()
            found.getPosition().merge(position)
            callback = context.restorers.get(node.name)
            if callback is not None:
                restore(found, callback, self._host.logged(node.name))
            if self._host.logs_changes(node.name):
                self._restored.add(node.name)
            self._stores[node.name] = found
        return found

    def close(self) -> None:
        """Close stores and copies."""
        for store in self._stores.values():
            store.close()
        self._stores = {}
        self._host.changelog.close()

    @contextmanager
    def _discarding(self) -> Iterator[None]:
        """Delete copies that turn out to be damaged or gone: the next query builds them anew."""
        try:
            yield
        except TaskCorruptedException:
            self._stores = {}
            self._host.discard_stores()
            raise

    def _wanted(self, manifest: Manifest) -> Manifest:
        return replace(manifest, stores=self._kinds)


class ReplicaContext(StateStoreContext):
    """What a replica's store sees of its task: bytes, and no records."""

    def __init__(self, id_: TaskId, settings: TaskSettings, host: SparkTaskHost) -> None:
        self._id = id_
        self._settings = settings
        self._host = host
        self._metrics = StreamsMetrics()
        self.cache_budget = CacheBudget(0)
        self.restorers: dict[str, Any] = {}

    @property
    def record_context(self) -> RecordContext | None:
        """None: there are no records."""
        return None

    def applicationId(self) -> str:
        """Return ``application.id``."""
        return self._settings.application_id

    def taskId(self) -> TaskId:
        """Return the task whose store it is."""
        return self._id

    def recordMetadata(self) -> RecordMetadata | None:
        """Return None: there are no records."""
        return None

    def keySerde(self) -> Any:
        """Return the default key serde."""
        return self._settings.key_serde

    def valueSerde(self) -> Any:
        """Return the default value serde."""
        return self._settings.value_serde

    def stateDir(self) -> Path:
        """Return a directory of this process's own."""
        return self._host.state_dir()

    def metrics(self) -> Any:
        """Return metrics that are not read."""
        return self._metrics

    def register(
        self,
        store: StateStore,
        stateRestoreCallback: StateRestoreCallback | Callable[[bytes, bytes | None], None],
        commitCallback: Any = None,
    ) -> None:
        """Note how a user's own store is filled."""
        self.restorers[store.name()] = stateRestoreCallback

    def appConfigs(self) -> dict[str, Any]:
        """Return the application's configuration."""
        return dict(self._settings.configs)

    def appConfigsWithPrefix(self, prefix: str) -> dict[str, Any]:
        """Return the entries whose key starts with ``prefix``, without it."""
        configs: Mapping[str, Any] = self._settings.configs
        return {k.removeprefix(prefix): v for k, v in configs.items() if k.startswith(prefix)}

    def working_copy(self, store: str, kind: str) -> WorkingCopy:
        """Return the copy of a store's bytes."""
        return self._host.working_copy(store, kind)

    def logs_changes(self, store: str) -> bool:
        """Return False: nothing is written here."""
        return False

    def log_change(
        self, store: str, key: bytes, value: bytes | None, timestamp: int, headers: Headers | None
    ) -> None:
        """Do nothing: restoring a store is no change."""

    @contextmanager
    def as_record(self, record_context: RecordContext) -> Iterator[None]:
        """Do nothing: there are no records."""
        yield

    def chunk_context(self, chunk: Chunk, index: int) -> RecordContext:
        """Refuse: there are no records.

        Raises:
            UnsupportedOperationException: Always.
        """
        raise UnsupportedOperationException("a copy of a store takes no records")

    def count_dropped_record(self, store: str) -> None:
        """Do nothing: nothing is written here."""
