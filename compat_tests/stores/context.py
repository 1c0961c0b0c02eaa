"""A store's context without a task: what the stores ask for and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.headers import Headers
from millstream.core.processor import TaskId
from millstream.core.record_context import RecordContext
from millstream.core.records import RecordMetadata
from millstream.core.serdes import Serdes
from millstream.core.state import CacheBudget, StateStoreContext
from millstream.core.working_copy import WorkingCopy
from millstream.plugins.registry import store_class

Logged = tuple[str, str | None, int]


class StoreTestContext(StateStoreContext):
    """Keeps changes in ``logged`` (key and value as text or hex) and counts dropped records."""

    def __init__(
        self, directory: Path, *, cache_bytes: int = 0, logs: bool = True, real: bool = False
    ) -> None:
        self.cache_budget = CacheBudget(cache_bytes)
        self.copies: dict[str, WorkingCopy] = {}
        self.changes: list[tuple[bytes, bytes | None, int]] = []
        self.dropped = 0
        self._record: RecordContext | None = RecordContext("in", 0, 0, 0)
        self._directory = directory
        self._logs = logs
        self._real = real

    @property
    def record_context(self) -> RecordContext | None:
        return self._record

    def at(self, timestamp: int, offset: int = 0, headers: Headers | None = None) -> None:
        """Take the next record in hand."""
        self._record = RecordContext("in", 0, offset, timestamp, headers)

    def logged(self) -> list[Logged]:
        """What went to the changelog since the last call, as text."""
        changes, self.changes = self.changes, []
        return [(k.decode(), None if v is None else v.decode(), time) for k, v, time in changes]

    def applicationId(self) -> str:
        return "app"

    def taskId(self) -> TaskId:
        return TaskId(0, 0)

    def recordMetadata(self) -> RecordMetadata | None:
        return None

    def keySerde(self) -> Any:
        return Serdes.String()

    def valueSerde(self) -> Any:
        return Serdes.String()

    def stateDir(self) -> Path:
        return self._directory

    def metrics(self) -> Any:
        return None

    def register(self, *arguments: Any, **keywords: Any) -> None:
        pass

    def appConfigs(self) -> dict[str, Any]:
        return {}

    def appConfigsWithPrefix(self, prefix: str) -> dict[str, Any]:
        return {}

    def working_copy(self, store: str, kind: str) -> WorkingCopy:
        directory = self._directory / store
        directory.mkdir(exist_ok=True)
        opened = store_class(kind if self._real else "memory")
        copy = self.copies[store] = WorkingCopy(opened.open(directory, {}))
        return copy

    def logs_changes(self, store: str) -> bool:
        return self._logs

    def log_change(
        self, store: str, key: bytes, value: bytes | None, timestamp: int, headers: Headers | None
    ) -> None:
        self.changes.append((key, value, timestamp))

    @contextmanager
    def as_record(self, record_context: RecordContext) -> Iterator[None]:
        before, self._record = self._record, record_context
        yield
        self._record = before

    def chunk_context(self, chunk: Chunk, index: int) -> RecordContext:
        headers = None if chunk.headers is None else chunk.headers[index]
        return RecordContext(
            chunk.topic, chunk.partition, chunk.offsets[index], chunk.timestamps[index], headers
        )

    def count_dropped_record(self, store: str) -> None:
        self.dropped += 1
