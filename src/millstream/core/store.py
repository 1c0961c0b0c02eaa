"""The contract of a byte store: what a store plugin's author writes.

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
    """What a byte store promises; runtime, documentation and test kit all read it."""

    durable: bool = False
    """What ``write`` put is there, with its version, after ``open`` on the same directory."""
    snapshot_scans: bool = False
    """A scan does not see writes made after it began."""


class ByteStore(ABC):
    """Bytes to bytes, ordered by unsigned byte comparison, owned by one task in one process.

    Not thread-safe: a task runs on one thread. Keys and values may be empty. All changes of a batch
    come in one ``write``, so a store needs no transaction of its own beyond that call.
    """

    name: ClassVar[str]
    """What users write in ``default.dsl.store``; lower case, unique among the plugins."""
    traits: ClassVar[StoreTraits] = StoreTraits()

    @classmethod
    @abstractmethod
    def open(cls, directory: Path, options: Mapping[str, Any]) -> Self:
        """Open the store in a directory that exists and that no other process uses.

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
        deleted where its value is None (deleting what is absent is fine).
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
        """Release files and memory; calling it twice is fine."""
