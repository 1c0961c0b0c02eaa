"""Versioned stores of bytes as a user's own supplier sees or makes them: ``time || value``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from millstream.core.errors import UnsupportedOperationException
from millstream.core.keyvalue import KeyValue
from millstream.core.state import (
    KeyValueIterator,
    StateStore,
    StateStoreContext,
    VersionedBytesStore,
    VersionedKeyValueStore,
    VersionedRecord,
)
from millstream.stores.layers import Above
from millstream.stores.versioned.layers import VersionLayer
from millstream.stores.versioned.rows import Found, Latest, latest_of


class SuppliedVersionedBytes(Above, VersionLayer):
    """A versioned store of bytes that a user's own supplier made."""

    def __init__(self, store: VersionedBytesStore) -> None:
        self._store = self._passes_to = store
        self.stores_durably = store.persistent()

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        self._store.init(context, root)

    def put(self, key: bytes, value: bytes | None, time: int) -> int:
        return self._store.put(key, value, time)  # type: ignore[no-any-return]

    def latest(self, key: bytes) -> Latest | None:
        return _split(self._store.get(key))

    def as_of(self, key: bytes, time: int) -> Found | None:
        found = _split(self._store.get(key, time))
        # Such a store cannot tell until when a version holds.
        return None if found is None else (*found, None)


class OurVersionedBytes(VersionedBytesStore):
    """Our versioned store of bytes, in the form in which suppliers hand it out.

    Source: ``internals.VersionedKeyValueToBytesStoreAdapter``.
    """

    def __init__(self, store: VersionedKeyValueStore[bytes, bytes]) -> None:
        self._store = store

    def name(self) -> str:
        """Return the name."""
        return self._store.name()

    def init(self, stateStoreContext: StateStoreContext, root: StateStore) -> None:
        """Open the store for a task."""
        self._store.init(stateStoreContext, root)

    def put(self, key: bytes, value: bytes | None, timestamp: Any = None) -> Any:
        """Add a version that holds from ``timestamp`` on, and return until when it holds.

        Raises:
            UnsupportedOperationException: There is no timestamp.
        """
        if timestamp is None:
            _refuse("put without a timestamp")
        return self._store.put(key, value, timestamp)

    def get(self, key: bytes, asOfTimestamp: int | None = None) -> bytes | None:
        """Return the version that held at a time, or the latest one."""
        return _joined(self._store.get(key, asOfTimestamp))

    def delete(self, key: bytes, timestamp: int | None = None) -> bytes | None:
        """End the version that holds at ``timestamp``, and return it.

        Raises:
            UnsupportedOperationException: There is no timestamp.
        """
        if timestamp is None:
            _refuse("delete without a timestamp")
        return _joined(self._store.delete(key, timestamp))

    def putIfAbsent(self, key: bytes, value: bytes | None) -> bytes | None:
        """Refuse."""
        _refuse("putIfAbsent")

    def putAll(self, entries: Iterable[KeyValue[bytes, bytes | None]]) -> None:
        """Refuse."""
        _refuse("putAll")

    def range(self, from_: bytes | None, to: bytes | None) -> KeyValueIterator[bytes, bytes]:
        """Refuse."""
        _refuse("range")

    def reverseRange(self, from_: bytes | None, to: bytes | None) -> KeyValueIterator[bytes, bytes]:
        """Refuse."""
        _refuse("reverseRange")

    def all(self) -> KeyValueIterator[bytes, bytes]:
        """Refuse."""
        _refuse("all")

    def reverseAll(self) -> KeyValueIterator[bytes, bytes]:
        """Refuse."""
        _refuse("reverseAll")

    def prefixScan(self, prefix: Any, prefixKeySerializer: Any) -> KeyValueIterator[bytes, bytes]:
        """Refuse."""
        _refuse("prefixScan")

    def approximateNumEntries(self) -> int:
        """Refuse."""
        _refuse("approximateNumEntries")

    def flush(self) -> None:
        """Write out what is only in memory."""
        self._store.flush()

    def reload(self) -> None:
        """Read again what is kept of the bytes below."""
        self._store.reload()

    def close(self) -> None:
        """Release everything."""
        self._store.close()

    def persistent(self) -> bool:
        """Tell whether the contents survive the process."""
        return self._store.persistent()

    def isOpen(self) -> bool:
        """Tell whether the store can be used."""
        return self._store.isOpen()


def _split(found: bytes | None) -> Latest | None:
    return None if found is None else latest_of(found)


def _joined(found: VersionedRecord[bytes] | None) -> bytes | None:
    if found is None:
        return None
    return found.timestamp().to_bytes(8, "big", signed=True) + found.value()


def _refuse(method: str) -> NoReturn:
    raise UnsupportedOperationException(f"versioned key-value stores do not support {method}")
