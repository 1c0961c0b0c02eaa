"""Stores of a mock context: bytes in memory, no cache, no changelog."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from millstream.core.chunk import Chunk
from millstream.core.engine.store_context import StoreContext
from millstream.core.file_names import directory_name
from millstream.core.record_context import RecordContext
from millstream.core.records import RecordMetadata
from millstream.core.state import StateRestoreCallback, StateStore
from millstream.core.working_copy import WorkingCopy
from millstream.plugins.registry import open_store

if TYPE_CHECKING:
    from millstream.testing.mock_context import _MockContext


class MockStoreContext(StoreContext):
    """The context for ``store.init`` in a test of one processor.

    Persistent stores are opened in the mock's state directory. A store has no record cache and no
    changelog.
    """

    def __init__(self, owner: _MockContext) -> None:
        super().__init__(owner, self._open)
        self._owner = owner
        self._record: RecordContext | None = None

    @property
    def record_context(self) -> RecordContext | None:
        """Return the record context of the mock's metadata, at its stream time if that is set."""
        if self._record is not None:
            return self._record
        metadata = self._owner.recordMetadata()
        if metadata is None:
            return RecordContext(None, -1, -1, -1)
        return RecordContext(metadata.topic(), metadata.partition(), metadata.offset(), 0)

    def recordMetadata(self) -> RecordMetadata | None:
        """Return the mock's metadata."""
        return self._owner.recordMetadata()

    # Also called for stores with their own serdes, so missing default serdes are no error here.
    def keySerde(self) -> Any:
        """Return the default key serde; None without one."""
        return self._owner.config.default_key_serde()

    def valueSerde(self) -> Any:
        """Return the default value serde; None without one."""
        return self._owner.config.default_value_serde()

    def register(
        self,
        store: StateStore,
        stateRestoreCallback: StateRestoreCallback | Callable[[bytes, bytes | None], None] | None,
        commitCallback: Any = None,
    ) -> None:
        """Add the store for the mock's ``getStateStore``; it is not restored."""
        self._add(store)

    def opened(self, root: StateStore, store: StateStore) -> None:
        """Add an opened store of Kafka's types for the mock's ``getStateStore``."""
        self._add(root)

    def _add(self, store: StateStore) -> None:
        store.partition = self.taskId().partition()
        self._owner.addStateStore(store)

    def _open(self, store: str, kind: str) -> WorkingCopy:
        directory = Path()
        if kind != "memory":
            directory = self.stateDir() / directory_name(store)
            directory.mkdir(parents=True, exist_ok=True)
        opened = open_store(kind, directory, self.appConfigs())
        return WorkingCopy(opened, on_close=_write_and_close)

    @contextmanager
    def as_record(self, record_context: RecordContext) -> Iterator[None]:
        before, self._record = self._record, record_context
        try:
            yield
        finally:
            self._record = before

    def chunk_context(self, chunk: Chunk, index: int) -> RecordContext:
        headers = None if chunk.headers is None else chunk.headers[index]
        return RecordContext(
            chunk.topic, chunk.partition, chunk.offsets[index], chunk.timestamps[index], headers
        )

    def count_dropped_record(self, store: str) -> None:
        del store
        tags = (("thread-id", "main"), ("task-id", repr(self.taskId())))
        self.metrics().sensor("dropped-records", tags).record()


def _write_and_close(copy: WorkingCopy) -> None:
    """Write the staged changes and close the byte store, so that it can be opened again."""
    copy.apply(b"")
    copy.store.close()
