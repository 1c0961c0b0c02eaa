"""Decorators of byte layers: change-logging, and adapters of value formats.

Only single keys go through them. Ranges are read from the layer below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from millstream.core.state import StateStore, StateStoreContext
from millstream.stores.layers import Delegating, Encode, PointLayer, Put
from millstream.stores.value_forms import Adapter, Log

LoggedKey = Callable[[bytes], bytes]
"""Returns the key of Kafka's changelog topics for a store's own."""


class PointsDecorator(Delegating, PointLayer):
    """Base of the decorators: hands everything on to the layer below."""

    def __init__(self, below: PointLayer) -> None:
        self._below = self._delegate = below
        self.adds = below.adds
        self.stores_durably = below.stores_durably

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        self._below.init(context, root)
        self.get = self._below.get
        self.put = self._below.put

    def remove(self, key: bytes) -> None:
        self._below.remove(key)

    def put_in_order(self, entries: Sequence[Put]) -> None:
        self._below.put_in_order(entries)

    def put_if_absent(self, key: bytes, value: bytes | None) -> bytes | None:
        return self._below.put_if_absent(key, value)

    def delete(self, key: bytes) -> bytes | None:
        return self._below.delete(key)


class AdaptedPoints(PointsDecorator):
    """Adapter in front of a layer that keeps less of a value; see ``Adapter``."""

    def __init__(self, below: PointLayer, adapter: Adapter) -> None:
        super().__init__(below)
        self._adapter = adapter

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        super().init(context, root)
        get_below, put_below = self._below.get, self._below.put
        kept, shown = self._adapter.below, self._adapter.above

        def get(key: bytes) -> bytes | None:
            value = get_below(key)
            return None if value is None else shown(value)

        def put(key: bytes, value: bytes | None) -> None:
            put_below(key, None if value is None else kept(value))

        self.get, self.put = get, put

    def encoding_for(self, layer: PointLayer, encode: Encode) -> Encode | None:
        kept = self._adapter.below

        def encode_kept(values: Sequence[Any], times: Sequence[int]) -> list[bytes | None]:
            return [None if data is None else kept(data) for data in encode(values, times)]

        return self._below.encoding_for(layer, encode_kept)

    def put_all(self, entries: dict[bytes, bytes | None]) -> None:
        kept = self._adapter.below
        self._below.put_all({k: None if v is None else kept(v) for k, v in entries.items()})

    def put_in_order(self, entries: Sequence[Put]) -> None:
        kept = self._adapter.below
        self._below.put_in_order([(k, None if v is None else kept(v)) for k, v in entries])

    def put_if_absent(self, key: bytes, value: bytes | None) -> bytes | None:
        kept = None if value is None else self._adapter.below(value)
        return self._shown(self._below.put_if_absent(key, kept))

    def delete(self, key: bytes) -> bytes | None:
        return self._shown(self._below.delete(key))

    def _shown(self, value: bytes | None) -> bytes | None:
        return None if value is None else self._adapter.above(value)


class ChangeLoggingPoints(PointsDecorator):
    """Change-logging, in the form of Kafka's changelog topics; of refused writes too, as Kafka."""

    logs = True

    def __init__(
        self,
        below: PointLayer,
        name: str,
        log: Log,
        logged_key: LoggedKey | None = None,
        *,
        logs_dropped: bool = False,
    ) -> None:
        """Wrap a layer; ``logs_dropped`` also logs what the layer drops to make room."""
        super().__init__(below)
        self.folds = below.folds
        self._name = name
        self._log_change = log
        self._logged_key = logged_key
        self._logs_dropped = logs_dropped

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        self._context = context
        super().init(context, root)
        self.logs = context.logs_changes(self._name)
        if self.logs:
            self._put_below = self._below.put
            self.put = self._put
            if self._logs_dropped:
                self._below.dropped = lambda key: self._log(key, None)

    def get_many(self, keys: Iterable[bytes]) -> list[bytes | None]:
        return self._below.get_many(keys)

    def put_all(self, entries: dict[bytes, bytes | None]) -> None:
        if self.logs:
            super().put_all(entries)
        else:
            self._below.put_all(entries)

    def encoding_for(self, layer: PointLayer, encode: Encode) -> Encode | None:
        return None if self.logs else self._below.encoding_for(layer, encode)

    def remove(self, key: bytes) -> None:
        self._below.remove(key)
        if self.logs:
            self._log(key, None)

    def put_in_order(self, entries: Sequence[Put]) -> None:
        self._below.put_in_order(entries)
        if self.logs:
            for key, value in entries:
                self._log(key, value)

    def put_if_absent(self, key: bytes, value: bytes | None) -> bytes | None:
        before = self._below.put_if_absent(key, value)
        if before is None and self.logs:
            self._log(key, value)
        return before

    def delete(self, key: bytes) -> bytes | None:
        before = self._below.delete(key)
        if self.logs:
            self._log(key, None)
        return before

    def _put(self, key: bytes, value: bytes | None) -> None:
        self._put_below(key, value)
        self._log(key, value)

    def _log(self, key: bytes, value: bytes | None) -> None:
        logged = key if self._logged_key is None else self._logged_key(key)
        self._log_change(self._context, self._name, logged, value)


def without_segment(key: bytes) -> bytes:
    """Return the changelog's key of a window or session: it does not have the segment."""
    return key[8:]


class DuplicateNumbers:
    """Numbering of the changes of windows that keep duplicates: each has its own changelog key."""

    def __init__(self) -> None:
        self._sequence = 0

    def __call__(self, key: bytes) -> bytes:
        self._sequence = (self._sequence + 1) & 0x7FFFFFFF
        return key[8:-4] + self._sequence.to_bytes(4, "big")
