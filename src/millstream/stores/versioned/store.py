"""Versioned stores with serdes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from millstream.core.durations import LONG_MAX, event_millis
from millstream.core.errors import UnsupportedOperationException
from millstream.core.serdes import Serde
from millstream.core.state import (
    CacheFlushListener,
    KeyValueIterator,
    StateStore,
    StateStoreContext,
    VersionedAccess,
    VersionedKeyValueStore,
    VersionedRecord,
)
from millstream.stores.codec import BoundSerde
from millstream.stores.iterators import Entries
from millstream.stores.key_value.store import given, warn_empty_range
from millstream.stores.typed import OpenedStore
from millstream.stores.versioned.layers import VersionLayer
from millstream.stores.versioned.ranges import KeyHistory
from millstream.stores.versioned.rows import Found

K = TypeVar("K")
V = TypeVar("V")


class SerdeVersionedStore(OpenedStore["SerdeVersionedAccess"], VersionedKeyValueStore[K, V]):
    """Keys and values by their serdes, over layers of bytes."""

    _layer: VersionLayer

    def __init__(
        self,
        name: str,
        layer: VersionLayer,
        key_serde: Serde[Any] | None,
        value_serde: Serde[Any] | None,
    ) -> None:
        super().__init__(name, key_serde, value_serde)
        self._layer = self._below = layer

    def init(self, stateStoreContext: StateStoreContext, root: StateStore) -> None:
        keys, values = self._parts(stateStoreContext)
        self._layer.init(stateStoreContext, root)
        self._access = SerdeVersionedAccess(keys, values, self._layer)
        stateStoreContext.opened(root, self)

    def persistent(self) -> bool:
        return self._layer.stores_durably

    def set_flush_listener(self, listener: CacheFlushListener, send_old_values: bool) -> bool:
        """Return False: what is cached of a versioned store has been written already."""
        return False

    def put(self, key: K, value: V | None, timestamp: int) -> int:
        access, time = self._opened(), event_millis(timestamp, "timestamp")
        return access.write(access.serialize_key(given(key)), key, value, time)

    def delete(self, key: K, timestamp: int) -> VersionedRecord[V] | None:
        access, time = self._opened(), event_millis(timestamp, "timestamp")
        key_bytes = access.serialize_key(given(key))
        before = access.read_as_of(key_bytes, time)
        end = access.write(key_bytes, key, None, time)
        return None if end == self.PUT_RETURN_CODE_NOT_PUT else _record(before)

    def get(self, key: K, asOfTimestamp: int | None = None) -> VersionedRecord[V] | None:
        access = self._opened()
        key_bytes = access.serialize_key(given(key))
        found: tuple[Any, ...] | None
        if asOfTimestamp is None:
            found = access.read(key_bytes)
        else:
            time = event_millis(asOfTimestamp, "asOfTimestamp")
            found = access.read_as_of(key_bytes, time)
        # Kafka's typed store does not tell when a version stopped to hold.
        return _record(found)

    def history(
        self, key: K, first: int | None, last: int | None
    ) -> list[VersionedRecord[V]] | None:
        """Return the versions that held at some moment between two times, newest first.

        Both times are inclusive epoch milliseconds; None is no bound. None is returned if the store
        below is a user's own, which can only tell one version at a time.
        """
        access = self._opened()
        return access.history(access.serialize_key(given(key)), first, last)

    def histories(
        self,
        from_: K | None,
        to: K | None,
        first: int | None,
        last: int | None,
        *,
        reverse: bool = False,
        oldest_first: bool = False,
    ) -> KeyValueIterator[K, VersionedRecord[V]]:
        """Return what ``history`` does for the keys between two, both inclusive; None: no bound.

        Raises:
            UnsupportedOperationException: The store below is a user's own.
        """
        access = self._opened()
        lower = None if from_ is None else access.serialize_key(from_)
        upper = None if to is None else access.serialize_key(to)
        if lower is not None and upper is not None and lower > upper:
            warn_empty_range(self._name)
            found: Iterator[tuple[bytes, Found]] = iter(())
        else:
            found = access.between(lower, upper, first, last, reverse, oldest_first)
        return self._watched(Entries(found, access.key_of, access.record_of, self._name))

    def _ranges(
        self, first: K | None, last: K | None, time: int | None, *, reverse: bool
    ) -> KeyValueIterator[K, VersionedRecord[V]]:
        # No older version holds then, and the latest one does if it has no end.
        from_time = LONG_MAX if time is None else time
        return self.histories(first, last, from_time, time, reverse=reverse)


class SerdeVersionedAccess(VersionedAccess):
    """Serdes in front of the bytes."""

    def __init__(self, keys: BoundSerde[Any], values: BoundSerde[Any], layer: VersionLayer) -> None:
        self.logs = layer.logs
        self.folds = layer.folds
        self._keys = keys
        self._values = values
        self._layer = layer

    def serialize_key(self, key: Any) -> bytes:
        return self._keys.to_bytes(key)  # type: ignore[return-value]

    def serialize_keys(self, keys: Sequence[Any]) -> list[bytes]:
        return self._keys.column_to_bytes(keys)  # type: ignore[return-value]

    def read(self, key_bytes: bytes) -> tuple[Any, int] | None:
        found = self._layer.latest(key_bytes)
        return None if found is None else (self._values.from_bytes(found[0]), found[1])

    def expired(self, time: int) -> bool:
        return self._layer.expired(time)

    def read_time(self, key_bytes: bytes) -> int | None:
        found = self._layer.latest(key_bytes)
        return None if found is None else found[1]

    def read_as_of(self, key_bytes: bytes, time: int) -> tuple[Any, int, int | None] | None:
        found = self._layer.as_of(key_bytes, time)
        if found is None:
            return None
        return self._values.from_bytes(found[0]), found[1], found[2]

    def history(
        self, key_bytes: bytes, first: int | None, last: int | None
    ) -> list[VersionedRecord[Any]] | None:
        found = self._layer.history(key_bytes, first, last)
        return None if found is None else list(map(self.record_of, found))

    def between(
        self,
        lower: bytes | None,
        last_key: bytes | None,
        first: int | None,
        last: int | None,
        reverse: bool,
        oldest_first: bool,
    ) -> Iterator[tuple[bytes, Found]]:
        """Return keys and versions between bounds, all of them inclusive."""
        # No key is between a key and the same with a zero byte more.
        upper = None if last_key is None else last_key + b"\0"
        found = self._layer.between(lower, upper, first, last, reverse=reverse)
        if found is None:
            raise UnsupportedOperationException(
                "a versioned store of a user's own has no ranges of keys", hint="Read single keys."
            )
        return _each(found, oldest_first)

    def key_of(self, key_bytes: bytes) -> Any:
        """Return the key of some bytes."""
        return self._keys.from_bytes(key_bytes)

    def record_of(self, found: Found) -> VersionedRecord[Any]:
        """Return a version as users see it."""
        value, start, end = found
        return VersionedRecord(self._values.from_bytes(value), start, end)

    def write(self, key_bytes: bytes, key: Any, value: Any, timestamp: int) -> int:
        data = None if value is None else self._values.to_bytes(value)
        return self._layer.put(key_bytes, data, timestamp)


def _each(found: Iterator[KeyHistory], oldest_first: bool) -> Iterator[tuple[bytes, Found]]:
    for key, versions in found:
        for version in reversed(versions) if oldest_first else versions:
            yield key, version


def _record(found: Any) -> VersionedRecord[Any] | None:
    """Return a version; None as well where a deserializer has made None of its bytes."""
    return None if found is None or found[0] is None else VersionedRecord(*found[:2])
