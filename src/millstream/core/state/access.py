"""The operators' way into a store: serialised keys, bare tuples, many at a time.

A *cell* is what a key holds: ``(value, timestamp)`` in a timestamped store, the value itself in a
plain one, None where there is nothing. Nothing is checked here; the public methods do that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol

from millstream.core.chunk import Chunk
from millstream.core.record_context import RecordContext


class FlushListener(Protocol):
    """Told of each entry that leaves a record cache.

    A listener that also has ``flush_chunk(chunk)`` gets runs of entries as chunks of a table
    instead, after all of them have been put into the store.
    """

    def __call__(
        self, key: Any, new: Any, old: Any, timestamp: int, record_context: RecordContext
    ) -> None:
        """Take one change; ``old`` is None unless old values were asked for."""


class KeyValueAccess(ABC):
    """Fast reads and writes of a key-value store."""

    cached: bool
    """A cache is in front: changes are passed on by its flush listener only."""
    logs: bool
    """Every single write is noted in a changelog."""

    @abstractmethod
    def serialize_key(self, key: Any) -> bytes:
        """Return the bytes of a key."""

    @abstractmethod
    def serialize_keys(self, keys: Sequence[Any]) -> list[bytes]:
        """Return the bytes of many keys."""

    @abstractmethod
    def read(self, key_bytes: bytes) -> Any:
        """Return a key's cell."""

    @abstractmethod
    def read_many(self, keys_bytes: Sequence[bytes]) -> list[Any]:
        """Return many keys' cells, as that many calls of ``read``."""

    @abstractmethod
    def write(self, key_bytes: bytes, key: Any, value: Any, timestamp: int) -> None:
        """Set a key's cell for the record in hand; a value of None deletes."""

    @abstractmethod
    def write_at(
        self, key_bytes: bytes, key: Any, value: Any, timestamp: int, chunk: Chunk, index: int
    ) -> None:
        """Set a key's cell for one record of a chunk."""

    @abstractmethod
    def write_many(
        self,
        keys_bytes: Sequence[bytes],
        keys: Sequence[Any],
        values: Sequence[Any],
        timestamps: Sequence[int],
        chunk: Chunk,
        indices: Sequence[int],
    ) -> None:
        """Do many ``write_at``, in order; only where ``has_room`` said so."""

    @abstractmethod
    def has_room(self, keys_bytes: Sequence[bytes], chunk: Chunk) -> bool:
        """Tell whether reading and writing these keys for a chunk surely evicts nothing.

        Then the single updates of a key may be folded into its last one.
        """


class WindowAccess(ABC):
    """Fast reads and writes of a window store; a cell belongs to a key and a window's start."""

    cached: bool
    """A cache is in front: changes are passed on by its flush listener only."""
    logs: bool
    """Every single write is noted in a changelog."""

    @abstractmethod
    def serialize_key(self, key: Any) -> bytes:
        """Return the bytes of a key."""

    @abstractmethod
    def serialize_keys(self, keys: Sequence[Any]) -> list[bytes]:
        """Return the bytes of many keys."""

    @abstractmethod
    def read(self, key_bytes: bytes, start: int) -> Any:
        """Return the cell of a key's window."""

    @abstractmethod
    def read_many(self, keys_bytes: Sequence[bytes], starts: Sequence[int]) -> list[Any]:
        """Return many cells, as that many calls of ``read``."""

    @abstractmethod
    def write(self, key_bytes: bytes, key: Any, start: int, value: Any, timestamp: int) -> None:
        """Set a cell for the record in hand; a value of None deletes; too late is dropped."""

    @abstractmethod
    def write_at(
        self,
        key_bytes: bytes,
        key: Any,
        start: int,
        value: Any,
        timestamp: int,
        chunk: Chunk,
        index: int,
    ) -> None:
        """Set a cell for one record of a chunk."""

    @abstractmethod
    def write_many(
        self,
        keys_bytes: Sequence[bytes],
        keys: Sequence[Any],
        starts: Sequence[int],
        values: Sequence[Any],
        timestamps: Sequence[int],
        chunk: Chunk,
        indices: Sequence[int],
    ) -> None:
        """Do many ``write_at``, in order; only where ``has_room`` said so."""

    @abstractmethod
    def has_room(self, keys_bytes: Sequence[bytes], chunk: Chunk) -> bool:
        """Tell whether reading and writing that many windows for a chunk surely evicts nothing."""


class SessionAccess(ABC):
    """Fast reads and writes of a session store; a cell belongs to a key, a start and an end.

    Cells have no time of their own: a cell is the aggregate.
    """

    cached: bool
    """A cache is in front: changes are passed on by its flush listener only."""
    logs: bool
    """Every single write is noted in a changelog."""

    @abstractmethod
    def serialize_key(self, key: Any) -> bytes:
        """Return the bytes of a key."""

    @abstractmethod
    def serialize_keys(self, keys: Sequence[Any]) -> list[bytes]:
        """Return the bytes of many keys."""

    @abstractmethod
    def key_of(self, key_bytes: bytes) -> Any:
        """Return the key of some bytes."""

    @abstractmethod
    def read(self, key_bytes: bytes, start: int, end: int) -> Any:
        """Return the cell of exactly one session."""

    @abstractmethod
    def find(
        self, key_bytes: bytes, earliest_end: int, latest_start: int
    ) -> list[tuple[int, int, Any]]:
        """Return start, end and cell of a key's sessions, in the store's order.

        Those that end at or after one time and start at or before the other. What the caller writes
        while walking through the list does not change it.
        """

    @abstractmethod
    def ended(self, first_end: int, last_end: int) -> list[tuple[bytes, int, int, Any]]:
        """Return key bytes, start, end and cell of all sessions that end within bounds.

        Both bounds are inclusive; the order is the store's.

        Raises:
            UnsupportedOperationException: The store is cached, or on disk and not made for
                emitting on close.
        """

    @abstractmethod
    def write(self, key_bytes: bytes, key: Any, start: int, end: int, value: Any) -> None:
        """Set a cell for the record in hand; None removes it; too late is dropped."""

    @abstractmethod
    def remove(self, key_bytes: bytes, key: Any, start: int, end: int) -> None:
        """Remove a session for the record in hand."""

    @abstractmethod
    def write_at(
        self,
        key_bytes: bytes,
        key: Any,
        start: int,
        end: int,
        value: Any,
        chunk: Chunk,
        index: int,
    ) -> None:
        """Set a cell for one record of a chunk."""

    @abstractmethod
    def remove_at(
        self, key_bytes: bytes, key: Any, start: int, end: int, chunk: Chunk, index: int
    ) -> None:
        """Remove a session for one record of a chunk."""

    @abstractmethod
    def has_room(self, keys_bytes: Sequence[bytes], chunk: Chunk) -> bool:
        """Tell whether writing or removing that many sessions for a chunk surely evicts nothing."""


class VersionedAccess(ABC):
    """Fast reads and writes of a versioned store, which is never cached."""

    cached = False
    logs: bool
    """Every single write is noted in a changelog."""

    @abstractmethod
    def serialize_key(self, key: Any) -> bytes:
        """Return the bytes of a key."""

    @abstractmethod
    def serialize_keys(self, keys: Sequence[Any]) -> list[bytes]:
        """Return the bytes of many keys."""

    @abstractmethod
    def read(self, key_bytes: bytes) -> tuple[Any, int] | None:
        """Return value and time of a key's latest version."""

    @abstractmethod
    def read_as_of(self, key_bytes: bytes, time: int) -> tuple[Any, int, int | None] | None:
        """Return value, first moment and end (None: the latest) of the version that held then."""

    @abstractmethod
    def write(self, key_bytes: bytes, key: Any, value: Any, timestamp: int) -> int:
        """Add a version, or a deletion, and return until when it holds.

        See the return codes of ``VersionedKeyValueStore.put``.
        """
