"""Contract of a byte store, for authors of store plugins.

Four methods carry every kind of Kafka store: the types of the ``stores`` room (key-value, window,
session, ...) lay out their keys so that ordered bytes are all they need.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from typing_extensions import Self

Entry = tuple[bytes, bytes]
Range = tuple[bytes, bytes]
"""``(lower, upper)``: lower inclusive, upper exclusive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreTraits:
    """What a byte store promises; runtime, documentation and test kit all read it.

    A promise that is not made costs time, never correctness: the runtime does the work instead.
    """

    durable: bool = False
    """What ``write`` put is there, with its version, after ``open`` on the same directory.

    That holds when the process was killed in between, at any moment. The runtime gives such a store
    a directory that outlives the worker; without it, the store is rebuilt from its changelog.
    """
    ordered: bool = True
    """``scan`` keeps to its bounds and to the order of unsigned bytes.

    Without it, ``scan`` may yield everything in any order, and the runtime reads all of it into
    memory to pick and sort.
    """
    snapshot_scans: bool = False
    """A scan shows what was there when it was made, whatever is written while it is read.

    Without it, the runtime reads open scans to their end into memory before each ``write``.
    """
    native_ttl: bool = False
    """``write`` expires the ranges of ``dropped`` itself.

    Without it, ``dropped`` is always empty: the runtime scans for the keys of an expired range and
    puts their deletions into the batch.
    """
    shareable: bool = False
    """Several processes of a machine may have one directory open; only one of them writes.

    The readers see whole writes only. The runtime then keeps one copy on a machine, which its
    workers hand on; without it, each worker has its own.
    """


class ByteStore(ABC):
    """Bytes to bytes, ordered by unsigned byte comparison, owned by one task in one process.

    Calls come one at a time, though not always from the same thread. Keys and values may be empty,
    and of any length. All changes of a batch come in one ``write``, so a store needs no transaction
    beyond that call.
    """

    name: ClassVar[str]
    """What users write in ``default.dsl.store``; lower case, unique among the plugins."""
    traits: ClassVar[StoreTraits] = StoreTraits()

    @classmethod
    @abstractmethod
    def open(cls, directory: Path, options: Mapping[str, Any]) -> Self:
        """Open the store in a directory that exists and that no other process writes to.

        Args:
            directory: Its own; a store that is not durable leaves it alone.
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

        First every key of each range of ``dropped`` goes, then each entry of ``batch`` is set, or
        deleted where its value is None (deleting what is absent is fine). ``batch`` is the caller's
        and changes afterwards: copy what you keep.
        """

    @abstractmethod
    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        """Yield the entries with ``lower <= key < upper`` in key order; None is unbounded."""

    def version(self) -> bytes | None:
        """Return the version of the last ``write``; None for a new store.

        A durable store overrides this: the version has to survive with the data.
        """
        return None

    def get_many(self, keys: Iterable[bytes]) -> list[bytes | None]:
        """Return the value of each key, in order; override it where one call is cheaper."""
        return [self.get(key) for key in keys]

    def size_estimate(self) -> int:
        """Return about how many entries there are."""
        return sum(1 for _ in self.scan(None, None))

    def close(self) -> None:  # noqa: B027 - doing nothing is a right answer
        """Release files and memory, also those of unfinished scans; calling it twice is fine."""
