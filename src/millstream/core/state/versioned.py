"""The interface of versioned stores."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Generic, TypeVar

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
