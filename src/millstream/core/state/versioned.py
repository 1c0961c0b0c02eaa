"""Interface of versioned stores."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Generic, TypeVar

from millstream.core.errors import UnsupportedOperationException
from millstream.core.state.iterators import KeyValueIterator
from millstream.core.state.store import StateStore
from millstream.core.state.values import VersionedRecord

K = TypeVar("K")
V = TypeVar("V")


class VersionedKeyValueStore(StateStore, Generic[K, V]):
    """A map that remembers what each key's value was, back to its history retention.

    Source: KIP-889, ``state.VersionedKeyValueStore``.
    """

    PUT_RETURN_CODE_VALID_TO_UNDEFINED: ClassVar[int] = -1
    """The new version is the latest."""
    PUT_RETURN_CODE_NOT_PUT: ClassVar[int] = -(2**63)
    """The version is older than the history retention and was not stored."""

    @abstractmethod
    def put(self, key: K, value: V | None, timestamp: int) -> int:
        """Add a version that holds from ``timestamp`` on, and return until when it holds."""

    @abstractmethod
    def delete(self, key: K, timestamp: int) -> VersionedRecord[V] | None:
        """End the version that holds at ``timestamp``, and return it."""

    @abstractmethod
    def get(self, key: K, asOfTimestamp: int | None = None) -> VersionedRecord[V] | None:
        """Return the version that held at a time, or the latest one."""

    def range(
        self, from_: K | None, to: K | None, asOfTimestamp: int | None = None
    ) -> KeyValueIterator[K, VersionedRecord[V]]:
        """Return the latest versions of the keys between two, or those that held at a time.

        Both keys are inclusive and compared by their bytes; None is no bound. Kafka has no ranges
        of versioned stores; these tell until when each version held, too.

        Raises:
            UnsupportedOperationException: The store is a user's own that has no ranges; also below.
        """
        return self._ranges(from_, to, asOfTimestamp, reverse=False)

    def reverseRange(
        self, from_: K | None, to: K | None, asOfTimestamp: int | None = None
    ) -> KeyValueIterator[K, VersionedRecord[V]]:
        """Return what ``range`` returns, last key first."""
        return self._ranges(from_, to, asOfTimestamp, reverse=True)

    def all(self, asOfTimestamp: int | None = None) -> KeyValueIterator[K, VersionedRecord[V]]:
        """Return the latest version of every key, or those that held at a time."""
        return self._ranges(None, None, asOfTimestamp, reverse=False)

    def reverseAll(
        self, asOfTimestamp: int | None = None
    ) -> KeyValueIterator[K, VersionedRecord[V]]:
        """Return what ``all`` returns, last key first."""
        return self._ranges(None, None, asOfTimestamp, reverse=True)

    def _ranges(
        self, first: K | None, last: K | None, time: int | None, *, reverse: bool
    ) -> KeyValueIterator[K, VersionedRecord[V]]:
        raise UnsupportedOperationException(
            f'versioned store "{self.name()}" has no ranges of keys', hint="Read single keys."
        )
