"""Layer over a key-value store of bytes that a user's own supplier made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from millstream.core.keyvalue import KeyValue
from millstream.core.state import StateStore, StateStoreContext
from millstream.core.store import Entry
from millstream.stores.layers import ByteLayer, Put
from millstream.stores.supplied import SuppliedLayer


class SuppliedBytes(SuppliedLayer, ByteLayer):
    """A store of bytes that a user's own supplier made."""

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        self._store.init(context, root)
        self.get = self._get
        self.put = self._store.put

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        if lower is None and upper is None and hasattr(self._own, "all"):
            method = "reverseAll" if reverse else "all"
            found = getattr(self._store, method)()
        else:
            # Kafka's ranges include their end, which this method excludes.
            method = "reverseRange" if reverse else "range"
            found = getattr(self._store, method)(lower, upper)
        for key, value in self._pairs(found, f"{method}()"):
            data = self._value(key, f"{method}()") or b""
            if upper is None or data < upper:
                yield data, value

    def put_in_order(self, entries: Sequence[Put]) -> None:
        if self._has("putAll"):
            self._store.putAll([KeyValue(key, value) for key, value in entries])
        else:
            super().put_in_order(entries)

    def put_if_absent(self, key: bytes, value: bytes | None) -> bytes | None:
        if not self._has("putIfAbsent"):
            return super().put_if_absent(key, value)
        return self._value(self._store.putIfAbsent(key, value), "putIfAbsent()")

    def delete(self, key: bytes) -> bytes | None:
        if not self._has("delete"):
            return super().delete(key)
        return self._value(self._store.delete(key), "delete()")

    def _has(self, method: str) -> bool:
        """Tell whether the store has a method, which one that is no ``KeyValueStore`` may lack."""
        return callable(getattr(self._own, method, None))

    def size_estimate(self) -> int:
        return self._count(self._store.approximateNumEntries(), "approximateNumEntries()")

    def _get(self, key: bytes) -> bytes | None:
        found = self._store.get(key)
        return found if found is None or type(found) is bytes else self._value(found, "get()")
