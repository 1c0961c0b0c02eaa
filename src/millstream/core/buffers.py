"""Contract of a suppression buffer, for authors of buffer plugins.

``suppress`` adds a table's updates to a buffer and evicts them in order of time. A buffer
stores bytes only; ``suppress`` does serdes, limits and the changelog.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from typing_extensions import Self

from millstream.core.durations import LONG_MAX
from millstream.core.readable import Readable
from millstream.core.record_context import RecordContext
from millstream.core.working_copy import WorkingCopy

_FIXED = 8 + 8 + 8 + 4
"""Size of an entry's time, and of its record's time, offset and partition."""


class BufferedChange(NamedTuple):
    """A buffer's entry for one key."""

    time: int
    """The entry's time in the order: that of the key's first update since its last eviction."""
    prior: bytes | None
    """The value that the table downstream still has: the old value of that first update."""
    old: bytes | None
    """The old value of the last update."""
    new: bytes | None
    """The new value of the last update; None is a deleted row."""
    context: RecordContext
    """Coordinates, time and headers of the last update; they are forwarded with it."""

    def size(self, key: bytes) -> int:
        """Return the entry's size as ``maxBytes`` counts it."""
        return entry_size(key, self.prior, self.old, self.new, self.context)


def entry_size(
    key: bytes, prior: bytes | None, old: bytes | None, new: bytes | None, context: RecordContext
) -> int:
    """Return an entry's size as Kafka estimates it.

    Source: ``BufferValue.residentMemorySizeEstimate`` and ``ProcessorRecordContext``'s.
    """
    size = _FIXED + len(key) + len(context._topic or "")
    if prior is not None:
        size += len(prior)
    if old is not None and old != prior:
        size += len(old)
    if new is not None:
        size += len(new)
    for header in context._headers or ():
        size += len(header.key()) + len(header.value() or b"")
    return size


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferTraits:
    """Promises of a suppression buffer, for the runtime, the documentation and the test kit."""

    spills: bool = False
    """Entries beyond the limits of the settings go to disk, so that memory stays bounded.

    Such a buffer is never full. For any other buffer ``suppress`` enforces the limits.
    """
    recovers: bool = False
    """All entries are in the host's working copies, so that ``open`` finds them again.

    The entries of any other buffer are logged at every commit and restored by ``restore``.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferSettings:
    """Settings with which a buffer is opened."""

    store: str
    """Name of the buffer's state store."""
    max_records: int = LONG_MAX
    """Maximum number of entries in memory."""
    max_bytes: int = LONG_MAX
    """Maximum size of the entries in memory."""
    byte_store: str = "rocksdb"
    """Name of the byte store plugin for entries that do not fit into memory."""
    working_copy: Callable[[str, str], WorkingCopy]
    """Returns the working copy for a store name and a byte store plugin's name; it is durable.

    The store name must be ``store`` or begin with it.
    """
    configs: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The application's configuration."""


class SuppressionBuffer(Readable, ABC):
    """The last update of each key, ordered by time, then by key bytes; owned by one task.

    A later update of a key replaces the entry's new value and context; time and prior value stay
    those of the first update. Not thread-safe.
    """

    name: ClassVar[str]
    """Unique among the plugins; lower case."""
    traits: ClassVar[BufferTraits] = BufferTraits()

    @classmethod
    @abstractmethod
    def open(cls, settings: BufferSettings) -> Self:
        """Open the buffer of one task."""

    @abstractmethod
    def add(
        self,
        time: int,
        key: bytes,
        old: bytes | None,
        new: bytes | None,
        context: RecordContext,
    ) -> None:
        """Add an update, which becomes the last one of its key."""

    @abstractmethod
    def get(self, key: bytes) -> BufferedChange | None:
        """Return the entry of ``key``; None if there is none."""

    @abstractmethod
    def evict(self, until: int) -> Iterator[tuple[bytes, BufferedChange]]:
        """Remove and yield the entries with ``time <= until`` in order.

        An entry is removed when it is yielded; the caller may stop early, and the rest stays.
        The caller adds nothing while it iterates.
        """

    @abstractmethod
    def restore(self, key: bytes, change: BufferedChange | None) -> None:
        """Restore the logged entry of ``key`` exactly; None: the entry was evicted."""

    @abstractmethod
    def first_time(self) -> int:
        """Return the smallest time of an entry; ``LONG_MAX`` if the buffer is empty."""

    @abstractmethod
    def count(self) -> int:
        """Return the number of entries."""

    @abstractmethod
    def size(self) -> int:
        """Return the sum of ``BufferedChange.size`` over all entries."""

    def flush(self) -> None:
        """Write pending entries to the working copies. A commit calls it."""

    def reload(self) -> None:
        """Drop state derived from the working copies: the host has changed them."""

    def close(self) -> None:
        """Release everything; calling it twice is fine."""
