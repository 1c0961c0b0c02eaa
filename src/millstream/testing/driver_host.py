"""Task host of the test driver: memory, a mock clock, and lists for topics."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from millstream.core.engine.assembly import close_all, closing
from millstream.core.engine.host import TaskHost
from millstream.core.engine.output import Sent, SentChunk
from millstream.core.file_names import directory_name
from millstream.core.headers import Headers
from millstream.core.metrics.measured import measured
from millstream.core.state.logged_rows import Logged, from_row, to_row
from millstream.core.store import Entry
from millstream.core.working_copy import WorkingCopy
from millstream.plugins.registry import open_store

if TYPE_CHECKING:
    from millstream.testing.saved_state import SavedState

BUILT_IN = ("rocksdb", "lmdb")


class DriverHost(TaskHost):
    """Host of the driver's task; stores sent records until the driver collects them.

    Args:
        application_id: Prefix of the changelog topics' names.
        configs: The application's configuration.
        now_ms: Start of the mock wall clock.
        real_stores: Open persistent stores in their own kind of byte store; otherwise in memory,
            which makes no difference to a test before the driver is closed.
        state: Contents of the stores when they are opened; None: they are empty.
    """

    def __init__(
        self,
        application_id: str,
        configs: Mapping[str, Any],
        now_ms: int,
        *,
        real_stores: bool = False,
        state: SavedState | None = None,
    ) -> None:
        super().__init__()
        self._application_id = application_id
        self._configs = configs
        self._now_ms = now_ms
        self._real_stores = real_stores
        self._state = state
        self._logged: dict[str, dict[bytes, bytes]] = {}
        self._copies: dict[str, WorkingCopy] = {}
        self._directory: tempfile.TemporaryDirectory[str] | None = None
        self.sent: list[Sent] = []

    def working_copy(self, store: str, kind: str) -> WorkingCopy:
        in_memory = kind == "memory" or (kind in BUILT_IN and not self._real_stores)
        directory = Path() if in_memory else self.state_dir() / directory_name(store)
        if not in_memory:
            directory.mkdir(parents=True, exist_ok=True)
        opened = open_store("memory" if in_memory else kind, directory, self._configs)
        if self._state is not None:
            self._state.fill(store, opened)
        copy = self._copies[store] = WorkingCopy(opened, name=store)
        return copy

    def send(self, record: Sent) -> None:
        """Store a record; every topic has one partition."""
        topic, key, value, timestamp, headers, partition = record
        columns = [key], [value], [timestamp], [headers] if headers else None
        self.measures.add(topic, measured(topic, *columns))
        self.sent.append(record if partition is None else record._replace(partition=None))

    def send_chunk(self, chunk: SentChunk) -> None:
        if not chunk:
            return
        columns = chunk.keys, chunk.values, chunk.timestamps, chunk.headers
        self.measures.add(chunk.topic, measured(chunk.topic, *columns))
        headers = chunk.headers or [None] * len(chunk)
        rows = zip(chunk.keys, chunk.values, chunk.timestamps, headers, strict=True)
        self.sent.extend(Sent(chunk.topic, *row) for row in rows)

    def logs_changes(self, store: str) -> bool:
        """Return True: changelog topics can be read like any other."""
        del store
        return True

    def log_change(
        self,
        store: str,
        key: bytes,
        value: bytes | None,
        timestamp: int,
        headers: Headers | None,
    ) -> None:
        if store not in self._copies:
            self.keep_change(store, key, value, timestamp, headers)
        topic = f"{self._application_id}-{store}-changelog"
        self.sent.append(Sent(topic, key, value, timestamp, headers))

    def keep_change(
        self,
        store: str,
        key: bytes,
        value: bytes | None,
        timestamp: int,
        headers: Headers | None,
    ) -> None:
        """Note a change of a store that no working copy has."""
        own = self._logged.setdefault(store, {})
        if value is None:
            own.pop(key, None)
        else:
            time = self._now_ms if timestamp is None else timestamp
            own[key] = to_row(value, time, headers)

    def logged(self, store: str) -> Iterator[tuple[bytes, Logged]]:
        """Yield what the driver begins with of a user's own store."""
        if self._state is None:
            return
        own = self._logged.setdefault(store, {})
        for key, data in self._state.entries(store):
            own[key] = data
            yield key, from_row(data)

    def contents(self) -> Iterator[tuple[str, Iterable[Entry]]]:
        """Yield each store with its entries; of users' own stores, those of the changelog."""
        self.apply()
        for store, copy in self._copies.items():
            yield store, copy.scan(None, None)
        for store, own in self._logged.items():
            yield store, own.items()

    def now_ms(self) -> int:
        """Return the mock wall clock."""
        return self._now_ms

    def advance(self, step_ms: int) -> None:
        """Advance the mock wall clock."""
        self._now_ms += step_ms

    def state_dir(self) -> Path:
        """Return a directory that is deleted when the driver is closed."""
        if self._directory is None:
            self._directory = tempfile.TemporaryDirectory(prefix="millstream-")
        return Path(self._directory.name)

    def apply(self) -> list[str]:
        """Write the staged changes to the byte stores; return the names of changed stores."""
        changed = [store for store, copy in self._copies.items() if copy.changes()]
        for store in changed:
            self._copies[store].apply(b"")
        return changed

    @contextmanager
    def closed_on_failure(self) -> Iterator[None]:
        """Close what is open if the driver cannot be made: its caller has nothing to close."""
        try:
            yield
        except BaseException:
            with suppress(Exception):  # the first error is the one that counts
                self.close()
            raise

    def close(self) -> None:
        """Close the byte stores and remove their files.

        Raises:
            ProcessorStateException: A plugin's byte store failed to close; the others are closed.
        """
        try:
            close_all(closing({name: copy.store for name, copy in self._copies.items()}))
        finally:
            if self._directory is not None:
                self._directory.cleanup()
