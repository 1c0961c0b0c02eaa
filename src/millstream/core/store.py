"""Contract of a byte store, for authors of store plugins.

Four methods are enough for every kind of Kafka store: the store types in ``stores`` (key-value,
window, session, ...) lay out their keys so that they need ordered bytes only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from typing_extensions import Self

from millstream.core.readable import Closing, Readable

Entry = tuple[bytes, bytes]
Range = tuple[bytes, bytes]
"""``(lower, upper)``: lower inclusive, upper exclusive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreTraits:
    """Promises of a byte store, for the runtime, the documentation and the test kit.

    A missing promise costs time, never correctness: the runtime does the work instead.
    """

    durable: bool = False
    """Written entries and their version are there after ``open`` on the same directory.

    This holds even if the process was killed in between, at any moment. Such a store has a
    directory that outlives the worker; any other store is rebuilt from its changelog.
    """
    ordered: bool = True
    """``scan`` keeps to its bounds and to the order of unsigned bytes.

    Without it, ``scan`` may yield all entries in any order, and the runtime reads all of them into
    memory to select and sort.
    """
    snapshot_scans: bool = False
    """A scan yields the entries at its start, whatever is written while it is read.

    Without it, the runtime reads open scans to their end into memory before each ``write``.
    """
    native_ttl: bool = False
    """``write`` expires the ranges of ``dropped`` itself.

    Without it, ``dropped`` is always empty: the runtime scans an expired range for keys and adds
    their deletions to the batch.
    """
    shareable: bool = False
    """Several processes of a machine may have one directory open; only one of them writes.

    Readers see complete writes only. The runtime then keeps one copy on a machine, which its
    workers use in turn, and calls ``rest`` at the end of each turn; without it, each worker has its
    own copy.
    """


class ByteStore(Readable, Closing, ABC):
    """Bytes to bytes, ordered by unsigned byte comparison, owned by one task in one process.

    Calls come one at a time, but not always from the same thread. Keys and values may be empty, and
    of any length. All changes of a batch come in one ``write``, so a store needs no transaction
    over several calls.
    """

    name: ClassVar[str]
    """The name for ``default.dsl.store``; lower case, unique among the plugins."""
    traits: ClassVar[StoreTraits] = StoreTraits()

    @classmethod
    @abstractmethod
    def open(cls, directory: Path, options: Mapping[str, Any]) -> Self:
        """Open the store in a directory that exists and that no other process writes to.

        Args:
            directory: The directory of a durable store, its own by the whole path: tasks have
                stores of one name. All others may be given the same one, and do not use it.
            options: The application's configuration.
        """

    @abstractmethod
    def get(self, key: bytes) -> bytes | None:
        """Return the value of ``key``; None if it has none."""

    @abstractmethod
    def write(
        self,
        batch: Mapping[bytes, bytes | None],
        version: bytes,
        *,
        dropped: Sequence[Range] = (),
    ) -> None:
        """Apply one batch atomically and remember ``version`` with it.

        First delete every key of each range of ``dropped``, then set each entry of ``batch``, or
        delete it if its value is None (the key may be absent). The caller changes ``batch``
        afterwards: copy it if you keep it.
        """

    @abstractmethod
    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        """Yield the entries with ``lower <= key < upper`` in key order; None is unbounded."""

    def version(self) -> bytes | None:
        """Return the version of the last ``write``; None for a new store.

        A durable store overrides this: the version must be as durable as the data.
        """
        return None

    def get_many(self, keys: Iterable[bytes]) -> list[bytes | None]:
        """Return the value of each key, in order; override it if one call is faster."""
        return [self.get(key) for key in keys]

    def size_estimate(self) -> int:
        """Return the approximate number of entries."""
        return sum(1 for _ in self.scan(None, None))

    def rest(self) -> None:
        """Let other processes have a ``shareable`` store's files; this one's turn has ended.

        What reads hold of the files must not last: the next turn may be a long time away. The store
        stays open, and the next turn begins with ``version``.
        """

    def close(self) -> None:
        """Release files and memory, also those of unfinished scans; calling it twice is fine."""
