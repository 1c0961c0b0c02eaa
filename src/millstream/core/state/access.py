"""Internal store API for DSL operators: serialized keys, bare cells, batched access.

A *cell* is what a key holds: ``(value, timestamp)`` in a timestamped store, the value itself in a
plain one, None where there is nothing. A *raw key* is a key as the byte store has it. Nothing is
checked here; the public methods of stores do that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from millstream.core.chunk import Chunk
from millstream.core.headers import Headers
from millstream.core.record_context import RecordContext
from millstream.core.windows import Windowed

ToCell = Callable[[Any, int], Any]
WindowColumns = tuple[list[Windowed[Any]], list[Any]]
"""Windowed keys and cells."""


class CacheFlushListener(Protocol):
    """Receives each entry that leaves a record cache.

    A listener that also has ``flush_chunk(chunk)`` receives runs of entries as chunks of a table
    instead, after all of them have been put into the store. Each chunk is from one source
    partition, unless the listener's ``mixes`` is true: such a one takes chunks with ``origins``.
    """

    def __call__(
        self, key: Any, new: Any, old: Any, timestamp: int, record_context: RecordContext
    ) -> None:
        """Take one change; ``old`` is None unless old values were asked for."""


@dataclass(frozen=True, slots=True)
class Headed:
    """A value together with headers, to be written so into a store that keeps headers."""

    value: Any
    headers: Headers | None


class Access(ABC):
    """Base of the accesses to all kinds of stores."""

    cached: bool
    """A record cache is in front: its flush listener alone forwards changes."""
    logs: bool
    """Every single write is logged in a changelog."""

    @abstractmethod
    def serialize_key(self, key: Any) -> bytes:
        """Return the bytes of a key."""

    @abstractmethod
    def serialize_keys(self, keys: Sequence[Any]) -> list[bytes]:
        """Return the bytes of many keys."""


class CellAccess(Access):
    """Base of the accesses to key-value, window and session stores, which read and write cells."""

    keeps_headers = False
    """Values may be written as ``Headed``."""
    folds: bool
    """A cell may be read once for many changes, of which only the last is written."""
    plain: type | None
    """Values of exactly this type cannot be changed, so that a cell may hold them as they are."""
    to_cell: ToCell
    """Returns the cell of any other value and its time, as it would be read back."""
    fits: Callable[[Sequence[Any]], bool]
    """Tells whether values of the plain type, or None, surely can be written.

    Not, for instance, a number that does not fit into the bytes of its serializer.
    """
    takes: Callable[[Sequence[Any]], bool]
    """Tells the same of any values, which may call their serializer."""


class RawKeyAccess(CellAccess):
    """Batched reads and writes by raw key: by key, or by key and window."""

    set_current_record: Callable[[Chunk, int], None]
    """Names the record of a chunk for which the next calls are, where they may evict entries.

    While an evicted entry is forwarded, stream time is that of this record.
    """

    read_at: Callable[[bytes], Any]
    """Returns the cell of a raw key."""

    write_at: Callable[[bytes, Any, Any, int, Chunk, int], None]
    """Sets the cell of a raw key: key, value (None deletes), time, record of a chunk by number."""

    @abstractmethod
    def read_many(self, raw_keys: Sequence[bytes]) -> list[Any]:
        """Return many cells, as that many calls of ``read_at``."""

    @abstractmethod
    def write_many(
        self,
        raw_keys: Sequence[bytes],
        keys: Sequence[Any],
        values: Sequence[Any],
        timestamps: Sequence[int],
        chunk: Chunk,
        indices: Sequence[int],
    ) -> None:
        """Do many ``write_at``, in order; only where ``has_room`` said so."""

    @abstractmethod
    def has_room(self, raw_keys: Sequence[bytes], chunk: Chunk) -> bool:
        """Tell whether reading and writing these keys for a chunk surely evicts nothing.

        Then the single updates of a key may be folded into its last one.
        """


class KeyValueAccess(RawKeyAccess):
    """Access to a key-value store."""

    @abstractmethod
    def read(self, key_bytes: bytes) -> Any:
        """Return a key's cell."""

    @abstractmethod
    def read_time(self, key_bytes: bytes) -> int | None:
        """Read a key's cell in a timestamped store for its time alone; None without a cell."""

    @abstractmethod
    def write(self, key_bytes: bytes, key: Any, value: Any, timestamp: int) -> None:
        """Set a key's cell for the current record; a value of None deletes."""

    def most_bytes(self, keys_bytes: Sequence[bytes], chunk: Chunk) -> int | None:
        """Return what a cache may need at most to take a chunk's values, and what they replace.

        None where that is not known beforehand, and anything that exceeds ``room`` where the need
        does. The keys are those of the chunk, each once.
        """
        return None

    def room(self) -> int:
        """Return how many bytes the cache still takes without a flush; 0 without a cache."""
        return 0

    def reads_quietly(self, raw_keys: Sequence[bytes]) -> bool:
        """Tell whether ``read_many`` of these keys surely makes no cache flush."""
        del raw_keys
        return False


class WindowAccess(RawKeyAccess):
    """Access to a window store; a cell belongs to a key and a window's start."""

    @abstractmethod
    def read(self, key_bytes: bytes, start: int) -> Any:
        """Return the cell of a key's window."""

    @abstractmethod
    def fetch(
        self, key_bytes: bytes, first: int, last: int, *, reverse: bool = False
    ) -> Iterable[tuple[int, Any]]:
        """Return start and cell of a key's windows that start within bounds, both inclusive.

        In the store's order; the result can be read once. Writes in the meantime may show if the
        store is cached.
        """

    def between(self, first: int, last: int, most: int) -> Iterator[WindowColumns] | None:
        """Yield the windows of all keys that start within bounds, both inclusive.

        In the store's order, at most so many at once; nothing is written in the meantime. None if
        the store has to be asked for them one by one.
        """
        return None

    @abstractmethod
    def join(self, key_bytes: bytes, start: int) -> bytes:
        """Return the raw key of a key and a start, for ``read_at`` and ``write_at``."""

    @abstractmethod
    def join_many(self, keys_bytes: Iterable[bytes], starts: Sequence[int]) -> list[bytes]:
        """Return the raw keys of keys and starts, which the methods for many windows take."""

    @abstractmethod
    def oldest_seen(self, latest: int) -> int:
        """Return the first start that can be read below a cache, once ``latest`` was written."""

    @abstractmethod
    def write(self, key_bytes: bytes, key: Any, start: int, value: Any, timestamp: int) -> None:
        """Set a cell for the current record; a value of None deletes; too late is dropped."""

    def adder(self) -> WindowAdds | None:
        """Return the access for many adds at once; None if each add has to be logged or cached."""
        return None


class WindowAdds(ABC):
    """Adds to windows that keep duplicates; the store's observed time is right once settled."""

    @abstractmethod
    def misses(self, key_bytes: bytes, first: int, last: int) -> bool:
        """Return True only if a key has no window that starts within bounds, both inclusive."""

    @abstractmethod
    def encoded(self, values: Sequence[Any], times: Sequence[int]) -> list[bytes | None] | None:
        """Return the bytes of values; None if a value could be changed before it is added."""

    @abstractmethod
    def encode(self, value: Any, time: int) -> bytes | None:
        """Return the bytes of one value."""

    @abstractmethod
    def accepts(self, start: int) -> bool:
        """Tell whether ``add`` takes a value that starts then."""

    @abstractmethod
    def add(self, key_bytes: bytes, start: int, data: bytes) -> bool:
        """Add a value's bytes; False, and nothing is done, if a write would do more than that."""

    @abstractmethod
    def settle(self) -> None:
        """Bring the store up to date with the adds."""


class SessionAccess(CellAccess):
    """Access to a session store; a cell belongs to a key, a start and an end.

    Cells have no time of their own: a cell is the aggregate. Where it folds, a key's sessions may
    be found once for many changes; see ``limits`` and ``write_many``.
    """

    @property
    @abstractmethod
    def observed(self) -> int:
        """The latest end in the bytes below; -1 without one."""

    @abstractmethod
    def limits(self, observed: int) -> tuple[int, int]:
        """Return the earliest ends that are still found, and still accepted.

        That is, once a session that ends at ``observed`` has been written.
        """

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

        Those that end at or after one time and start at or before the other. Later writes do not
        change the list.
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
        """Set a cell for the current record; None removes it; too late is dropped."""

    @abstractmethod
    def remove(self, key_bytes: bytes, key: Any, start: int, end: int) -> None:
        """Remove a session for the current record."""

    set_current_record: Callable[[Chunk, int], None]
    """As that of ``RawKeyAccess``."""

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
        """Do what ``write`` does into a cache, for a record of a chunk by number."""

    @abstractmethod
    def remove_at(
        self, key_bytes: bytes, key: Any, start: int, end: int, chunk: Chunk, index: int
    ) -> None:
        """Do what ``remove`` does in a cache, for a record of a chunk by number."""

    @abstractmethod
    def write_many(
        self,
        keys_bytes: Sequence[bytes],
        keys: Sequence[Any],
        bounds: Sequence[tuple[int, int]],
        values: Sequence[Any],
        chunk: Chunk,
        indices: Sequence[int],
    ) -> None:
        """Do many ``write``, or ``remove`` where the value is None, for a chunk's records.

        Bounds are start and end. Only where it ``folds`` and is not cached, and for sessions
        that are not too late.
        """


class VersionedAccess(Access):
    """Access to a versioned store, which is never cached."""

    cached = False

    folds: bool = False
    """Its writes need no current record, unless they are ``expired``."""

    @abstractmethod
    def read(self, key_bytes: bytes) -> tuple[Any, int] | None:
        """Return value and time of a key's latest version."""

    @abstractmethod
    def expired(self, time: int) -> bool:
        """Tell whether a version of that time is too old to be written; only where it folds."""

    @abstractmethod
    def read_time(self, key_bytes: bytes) -> int | None:
        """Return the time of a key's latest version."""

    @abstractmethod
    def read_as_of(self, key_bytes: bytes, time: int) -> tuple[Any, int, int | None] | None:
        """Return value, first moment and end (None: the latest) of the version that held then."""

    @abstractmethod
    def write(self, key_bytes: bytes, key: Any, value: Any, timestamp: int) -> int:
        """Add a version, or a deletion, and return until when it holds.

        See the return codes of ``VersionedKeyValueStore.put``.
        """
