"""Versioned stores of bytes, as suppliers make and users see them: ``time || value``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from millstream.core.errors import UnsupportedOperationException
from millstream.core.state import (
    VersionedBytesStore,
    VersionedRecord,
)
from millstream.core.state.delegating import DelegatingStore


def _error(method: str) -> UnsupportedOperationException:
    return UnsupportedOperationException(f"versioned key-value stores do not support {method}")


def _unsupported(method: str) -> Callable[..., NoReturn]:
    def refuse(*arguments: Any, **keywords: Any) -> NoReturn:
        """Refuse, as Kafka does."""
        raise _error(method)

    return refuse


class OurVersionedBytes(DelegatingStore, VersionedBytesStore):
    """Our versioned store of bytes, in the form in which suppliers hand it out.

    Source: ``internals.VersionedKeyValueToBytesStoreAdapter``.
    """

    def put(self, key: bytes, value: bytes | None, timestamp: Any = None) -> Any:
        """Add a version that holds from ``timestamp`` on, and return until when it holds.

        Raises:
            UnsupportedOperationException: There is no timestamp.
        """
        if timestamp is None:
            raise _error("put without a timestamp")
        return self._store.put(key, value, timestamp)

    def get(self, key: bytes, asOfTimestamp: int | None = None) -> bytes | None:
        return _joined(self._store.get(key, asOfTimestamp))

    def delete(self, key: bytes, timestamp: int | None = None) -> bytes | None:
        """End the version that holds at ``timestamp``, and return it.

        Raises:
            UnsupportedOperationException: There is no timestamp.
        """
        if timestamp is None:
            raise _error("delete without a timestamp")
        return _joined(self._store.delete(key, timestamp))

    putIfAbsent: Any = _unsupported("putIfAbsent")
    putAll: Any = _unsupported("putAll")
    range: Any = _unsupported("range")
    reverseRange: Any = _unsupported("reverseRange")
    all: Any = _unsupported("all")
    reverseAll: Any = _unsupported("reverseAll")
    prefixScan: Any = _unsupported("prefixScan")
    approximateNumEntries: Any = _unsupported("approximateNumEntries")


def _joined(found: VersionedRecord[bytes] | None) -> bytes | None:
    if found is None:
        return None
    return found.timestamp().to_bytes(8, "big", signed=True) + found.value()
