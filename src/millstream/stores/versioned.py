"""Versioned stores as users see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from millstream.core.serdes import Serde
from millstream.core.state import (
    FlushListener,
    StateStore,
    StateStoreContext,
    VersionedAccess,
    VersionedKeyValueStore,
    VersionedRecord,
)
from millstream.stores.codec import Part, resolve
from millstream.stores.key_value import changelog_topic, closed, given
from millstream.stores.versioned_layers import VersionLayer

K = TypeVar("K")
V = TypeVar("V")


class SerdeVersionedStore(VersionedKeyValueStore[K, V]):
    """Keys and values by their serdes, over layers of bytes."""

    def __init__(
        self,
        name: str,
        layer: VersionLayer,
        key_serde: Serde[Any] | None,
        value_serde: Serde[Any] | None,
    ) -> None:
        self._name = name
        self._layer = layer
        self._key_serde = key_serde
        self._value_serde = value_serde
        self._access: Versions | None = None

    def name(self) -> str:
        """Return the name."""
        return self._name

    def init(self, stateStoreContext: StateStoreContext, root: StateStore) -> None:
        """Open the store for a task."""
        context = stateStoreContext
        topic = changelog_topic(context, self._name)
        keys = Part(resolve(self._key_serde, context.keySerde(), "key", self._name), topic)
        values = Part(resolve(self._value_serde, context.valueSerde(), "value", self._name), topic)
        self._layer.init(context, root)
        self._access = Versions(keys, values, self._layer)

    def access(self) -> VersionedAccess:
        """Return the operators' way in."""
        return self._opened()

    def set_flush_listener(self, listener: FlushListener, send_old_values: bool) -> bool:
        """Return False: versioned stores have no cache."""
        return False

    def put(self, key: K, value: V | None, timestamp: int) -> int:
        """Add a version that holds from ``timestamp`` on, and return until when it holds."""
        access = self._opened()
        return access.write(access.serialize_key(given(key)), key, value, timestamp)

    def delete(self, key: K, timestamp: int) -> VersionedRecord[V] | None:
        """End the version that holds at ``timestamp``, and return it."""
        access = self._opened()
        key_bytes = access.serialize_key(given(key))
        before = access.read_as_of(key_bytes, timestamp)
        end = access.write(key_bytes, key, None, timestamp)
        if before is None or end == self.PUT_RETURN_CODE_NOT_PUT:
            return None
        return VersionedRecord(*before[:2])

    def get(self, key: K, asOfTimestamp: int | None = None) -> VersionedRecord[V] | None:
        """Return the version that held at a time, or the latest one."""
        access = self._opened()
        key_bytes = access.serialize_key(given(key))
        found: tuple[Any, ...] | None
        if asOfTimestamp is None:
            found = access.read(key_bytes)
        else:
            found = access.read_as_of(key_bytes, asOfTimestamp)
        # Kafka's typed store does not tell when a version stopped to hold.
        return None if found is None else VersionedRecord(*found[:2])

    def flush(self) -> None:
        """Write out what is only in memory."""
        if self._access is not None:
            self._layer.flush()

    def reload(self) -> None:
        """Read again what is kept of the bytes below: they were changed behind the store."""
        self._opened()
        self._layer.reload()

    def close(self) -> None:
        """Release everything."""
        if self._access is not None:
            self._access = None
            self._layer.close()

    def persistent(self) -> bool:
        """Tell whether the contents survive the process."""
        return self._layer.stores_durably

    def isOpen(self) -> bool:
        """Tell whether the store can be used."""
        return self._access is not None

    def _opened(self) -> Versions:
        access = self._access
        if access is None:
            raise closed(self._name)
        return access


class Versions(VersionedAccess):
    """Serdes in front of the bytes."""

    def __init__(self, keys: Part[Any], values: Part[Any], layer: VersionLayer) -> None:
        self.logs = layer.logs
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

    def read_as_of(self, key_bytes: bytes, time: int) -> tuple[Any, int, int | None] | None:
        found = self._layer.as_of(key_bytes, time)
        if found is None:
            return None
        return self._values.from_bytes(found[0]), found[1], found[2]

    def write(self, key_bytes: bytes, key: Any, value: Any, timestamp: int) -> int:
        data = None if value is None else self._values.to_bytes(value)
        return self._layer.put(key_bytes, data, timestamp)
