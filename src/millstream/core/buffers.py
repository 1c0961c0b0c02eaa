"""Contract of a suppression buffer, for authors of buffer plugins.

``suppress`` puts a table's updates into a buffer and takes them out in order of time. A buffer
sees bytes only; serdes, limits and the changelog are ``suppress``'s affair.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from typing_extensions import Self

from millstream.core.durations import LONG_MAX
from millstream.core.engine.working_copy import WorkingCopy
from millstream.core.record_context import RecordContext

_FIXED = 8 + 8 + 8 + 4
"""Bytes of an entry's time, and its record's time, offset and partition."""


class BufferedChange(NamedTuple):
    """What a buffer holds for one key."""

    time: int
    """Its place in the order: the time of the key's first update since it was last evicted."""
    prior: bytes | None
    """The value that the table below still has: the old value of that first update."""
    old: bytes | None
    new: bytes | None
    """Of the last update; a ``new`` of None is a deleted row."""
    context: RecordContext
    """Of the last update: its coordinates, time and headers go out with it."""

    def size(self, key: bytes) -> int:
        """Return what the entry counts for in ``maxBytes``."""
        return entry_size(key, self.prior, self.old, self.new, self.context)


def entry_size(
    key: bytes, prior: bytes | None, old: bytes | None, new: bytes | None, context: RecordContext
) -> int:
    """Return what an entry counts for, as Kafka estimates it.

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
    """What a suppression buffer promises; runtime, documentation and test kit all read it."""

    spills: bool = False
    """What exceeds the limits of its settings goes to disk, so that memory stays bounded.

    Only such a buffer is never full; of any other, ``suppress`` enforces the limits from outside.
    """
    recovers: bool = False
    """Everything is in the host's working copies, so that ``open`` finds it again.

    What another buffer holds is logged at every commit and given back by ``restore``.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferSettings:
    """What a buffer is opened with."""

    store: str
    """Name of the state store that it belongs to."""
    max_records: int = LONG_MAX
    """How many entries it may hold in memory."""
    max_bytes: int = LONG_MAX
    """How much memory they may take."""
    byte_store: str = "rocksdb"
    """Name of the byte store plugin for what does not fit."""
    working_copy: Callable[[str, str], WorkingCopy]
    """Given a name and a byte store plugin's, returns bytes that the host makes durable.

    The name is the store's, or begins with it.
    """
    configs: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The application's configuration."""


class SuppressionBuffer(ABC):
    """The last update of each key, ordered by time, then by key bytes; owned by one task.

    An update of a key that is held takes the place of the one before: time, place and prior value
    stay those of the first. Not thread-safe.
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
        """Hold an update, which becomes the last one of its key."""

    @abstractmethod
    def get(self, key: bytes) -> BufferedChange | None:
        """Return what is held for ``key``; None if nothing is."""

    @abstractmethod
    def evict(self, until: int) -> Iterator[tuple[bytes, BufferedChange]]:
        """Take out the entries with ``time <= until`` in order.

        An entry is gone when it has been yielded; the caller may stop early and keep the rest.
        Nothing is added meanwhile.
        """

    @abstractmethod
    def restore(self, key: bytes, change: BufferedChange | None) -> None:
        """Take back what was logged for ``key``, exactly as it is; None: it has been evicted."""

    @abstractmethod
    def first_time(self) -> int:
        """Return the smallest time that is held; ``LONG_MAX`` if nothing is."""

    @abstractmethod
    def count(self) -> int:
        """Return how many keys are held."""

    @abstractmethod
    def size(self) -> int:
        """Return the sum of ``BufferedChange.size`` over all entries."""

    def flush(self) -> None:  # noqa: B027 - doing nothing is a right answer
        """Put into the working copies what is not there yet. A commit calls it."""

    def reload(self) -> None:  # noqa: B027 - doing nothing is a right answer
        """Forget what was derived from the working copies: they were changed from outside."""

    def close(self) -> None:  # noqa: B027 - doing nothing is a right answer
        """Release everything; calling it twice is fine."""
