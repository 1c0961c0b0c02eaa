"""Key-value stores with serdes."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from millstream.core.errors import (
    ClassCastException,
    IllegalStateException,
    InvalidStateStoreException,
    NullPointerException,
)
from millstream.core.keyvalue import KeyValue
from millstream.core.serdes import serializer_call
from millstream.core.state import (
    KeyValueIterator,
    KeyValueStore,
    StateStoreContext,
    TimestampedKeyValueStore,
    TimestampedKeyValueStoreWithHeaders,
    ValueAndTimestamp,
    ValueTimestampHeaders,
)
from millstream.core.wording import a_kind
from millstream.stores.access import DirectAccess, StoreAccess
from millstream.stores.cache.merge import merged
from millstream.stores.iterators import Entries
from millstream.stores.key_value.codecs import HeadedRowCodec, RowCodec
from millstream.stores.layers import ByteLayer
from millstream.stores.typed import TypedStore

K = TypeVar("K")
V = TypeVar("V")

_PAIR = 2
_ENTRIES = "Give KeyValue objects, tuples of key and value, or a dict."

logger = logging.getLogger("millstream.stores")


class SerdeKeyValueStore(TypedStore[StoreAccess], KeyValueStore[K, V]):
    """Keys and values by their serdes, over layers of bytes."""

    remembers = True
    _layer: ByteLayer

    def get(self, key: K) -> V | None:
        access = self._opened()
        shown: V | None = self._codec.show(access.read(access.serialize_key(given(key))))
        return shown

    def put(self, key: K, value: V | None) -> None:
        access = self._opened()
        plain, timestamp = self._codec.take(value)
        if self._headed is None:
            access.write(access.serialize_key(given(key)), key, plain, timestamp)
            return
        with self._key_written(given(key), value) as key_bytes:
            access.write(key_bytes, key, plain, timestamp)

    def putIfAbsent(self, key: K, value: V | None) -> V | None:
        access = self._opened()
        plain, timestamp = self._codec.take(value)
        with self._key_written(given(key), value) as key_bytes:
            before = access.write_absent(key_bytes, key, plain, timestamp)
        shown: V | None = self._codec.show(before)
        return shown

    def putAll(self, entries: Iterable[KeyValue[K, V | None]]) -> None:
        pairs = pairs_of(entries)
        for key, _ in pairs:
            given(key)
        access, take = self._opened(), self._codec.take
        if self._headed is None and isinstance(access, DirectAccess):
            to_bytes = access.serialize_key
            access.write_in_order((to_bytes(key), *take(value)) for key, value in pairs)
            return
        for key, value in pairs:
            self.put(key, value)

    def delete(self, key: K) -> V | None:
        access = self._opened()
        with self._key_written(given(key), None) as key_bytes:
            before = access.delete(key_bytes, key)
        shown: V | None = self._codec.show(before)
        return shown

    def range(self, from_: K | None, to: K | None) -> KeyValueIterator[K, V]:
        return self._between(from_, to, reverse=False)

    def reverseRange(self, from_: K | None, to: K | None) -> KeyValueIterator[K, V]:
        return self._between(from_, to, reverse=True)

    def all(self) -> KeyValueIterator[K, V]:
        return self._entries(self._scan(None, None))

    def reverseAll(self) -> KeyValueIterator[K, V]:
        return self._entries(self._scan(None, None, reverse=True))

    def prefixScan(self, prefix: Any, prefixKeySerializer: Any) -> KeyValueIterator[K, V]:
        self._opened()
        for name, given in (("prefix", prefix), ("prefixKeySerializer", prefixKeySerializer)):
            if given is None:
                raise NullPointerException(f"{name} cannot be null")
        if not callable(getattr(prefixKeySerializer, "serialize", None)):
            raise ClassCastException(
                f"prefixKeySerializer cannot be {a_kind(prefixKeySerializer)}",
                hint="Give a serializer, such as Serdes.String().serializer().",
            )
        lower = serializer_call(prefixKeySerializer)(self._keys.topic, None, prefix) or b""
        return self._entries(self._scan(lower, next_prefix(lower)))

    def approximateNumEntries(self) -> int:
        self._opened()
        return self._layer.size_estimate()

    def _between(self, from_: K | None, to: K | None, *, reverse: bool) -> KeyValueIterator[K, V]:
        access = self._opened()
        lower = None if from_ is None else access.serialize_key(from_)
        last = None if to is None else access.serialize_key(to)
        if lower is not None and last is not None and lower > last:
            warn_empty_range(self._name)
            return self._entries(iter(()))
        # The end belongs to the range; no key is between a key and the same with a zero byte more.
        upper = None if last is None else last + b"\0"
        return self._entries(self._scan(lower, upper, reverse=reverse))

    def _entries(self, cells: Iterator[tuple[bytes, Any]]) -> KeyValueIterator[K, V]:
        in_memory = not (self.persistent() or self._opened().cached)
        closed = IllegalStateException if in_memory else InvalidStateStoreException
        return self._watched(
            Entries(
                cells,
                self._keys.from_bytes,
                self._codec.show,
                self._name,
                closed=closed,
                key_and_cell=self._key_and_cell(bytes) if self._reads_headed_keys else None,
            )
        )

    def _end(self, entries: Entries[Any, Any]) -> None:
        # RocksDB's iterators are closed with their store; those over memory find nothing more.
        if self.persistent():
            entries.close()
        else:
            entries.end()

    def _scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[tuple[bytes, Any]]:
        access = self._opened()
        decode = self._decode
        stored = self._layer.scan(lower, upper, reverse=reverse)
        if not access.cached:
            return ((key, decode(data)) for key, data in stored)
        return merged(
            ((key, key, cell) for key, cell in access.cached_cells(lower, upper, reverse=reverse)),
            ((key, key, decode(data)) for key, data in stored),
            reverse=reverse,
        )

    def _open(self, points: StoreAccess, context: StateStoreContext) -> StoreAccess:
        return points

    def _show_keys(self, stored_keys: Sequence[bytes], keys: Sequence[Any]) -> list[Any]:
        return self._keys_of(stored_keys, keys)


class SerdeTimestampedKeyValueStore(
    SerdeKeyValueStore[K, ValueAndTimestamp[V]], TimestampedKeyValueStore[K, V]
):
    """A key-value store with a time in every value."""

    codec_class = RowCodec


class SerdeKeyValueStoreWithHeaders(
    SerdeKeyValueStore[K, ValueTimestampHeaders[V]], TimestampedKeyValueStoreWithHeaders[K, V]
):
    """A key-value store with a time and headers in every value."""

    codec_class = HeadedRowCodec


def pairs_of(entries: Any) -> list[tuple[Any, Any]]:
    """Return the keys and values of ``KeyValue`` objects, of tuples of two, or of a mapping.

    Raises:
        NullPointerException: There is None instead, or among them.
        ClassCastException: An entry is something else, such as a text of two letters.

    Example:
        >>> pairs_of({"ab": 1}), pairs_of([KeyValue("c", 2)])
        ([('ab', 1)], [('c', 2)])
    """
    if entries is None:
        raise NullPointerException("entries cannot be null")
    if not isinstance(entries, Iterable):
        raise ClassCastException(f"entries cannot be {a_kind(entries)}", hint=_ENTRIES)
    pairs = []
    for entry in entries.items() if isinstance(entries, Mapping) else entries:
        if entry is None:
            raise NullPointerException("an entry cannot be null", hint=_ENTRIES)
        if not isinstance(entry, KeyValue | tuple | list) or len(tuple(entry)) != _PAIR:
            raise ClassCastException(
                f"an entry cannot be {a_kind(entry)}",
                detail=f"It is {entry!r}.",
                hint=_ENTRIES,
            )
        key, value = entry
        pairs.append((key, value))
    return pairs


def given(key: K) -> K:
    """Return ``key``.

    Raises:
        NullPointerException: It is None.
    """
    if key is None:
        raise NullPointerException("key cannot be null")
    return key


def warn_empty_range(store: str) -> None:
    """Log that a range ends before it begins."""
    # Kafka Streams' own line, which programs look for in a log; it does not name the store.
    logger.warning(
        "Returning empty iterator for fetch with invalid key range: from > to. This may be due to "
        "range arguments set in the wrong order, or serdes that don't preserve ordering when "
        "lexicographically comparing the serialized bytes. Note that the built-in numerical serdes "
        "do not follow this for negative numbers"
    )
    logger.info('The empty range was asked of store "%s".', store)


def next_prefix(prefix: bytes) -> bytes | None:
    """Return the first bytes after all that start with ``prefix``; None if there are none."""
    stem = prefix.rstrip(b"\xff")
    return stem[:-1] + bytes((stem[-1] + 1,)) if stem else None
