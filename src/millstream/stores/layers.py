"""Layers of bytes under stores: the bases of all kinds, and those of key-value stores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

from millstream.core.state import StateStore, StateStoreContext
from millstream.core.store import Entry
from millstream.core.working_copy import WorkingCopy

Getter = Callable[[bytes], "bytes | None"]
Encode = Callable[[Sequence[Any], Sequence[int]], "list[bytes | None]"]
Put = tuple[bytes, "bytes | None"]
"""A key and its new value; None deletes it."""
Putter = Callable[[bytes, "bytes | None"], None]


class Layer(ABC):
    """Part of a store below its serdes: bytes, or a decorator of them."""

    stores_durably: bool
    """The contents survive the process."""

    @abstractmethod
    def init(self, context: StateStoreContext, root: StateStore) -> None:
        """Open it."""

    def flush(self) -> None:  # noqa: B027 - doing nothing is a right answer
        """Write out what is only in memory."""

    def reload(self) -> None:  # noqa: B027 - doing nothing is a right answer
        """Drop what was derived from the bytes."""

    def close(self) -> None:  # noqa: B027 - doing nothing is a right answer
        """Release what this layer holds."""


class Below(Protocol):
    """Target of delegated calls: a layer, or a store of a user's own."""

    def flush(self) -> None:
        """Write out what is only in memory."""

    def reload(self) -> None:
        """Drop what was derived from the bytes."""

    def close(self) -> None:
        """Release everything."""


class Delegating(Layer):
    """Layer that delegates what it does not do itself."""

    _delegate: Below

    def flush(self) -> None:
        self._delegate.flush()

    def reload(self) -> None:
        self._delegate.reload()

    def close(self) -> None:
        self._delegate.close()


class PointLayer(Layer):
    """Bytes by raw key: the base of every kind of store."""

    logs = False
    """Every write is logged, with the time of the current record."""
    get: Getter
    """Returns the value of a key. A function of its own, because it runs for every record."""
    put: Putter
    """Sets the value of a key; None deletes."""
    adds = False
    """A put adds a value to those that the key has."""
    folds = False
    """A key has the value of the last put: it may be read once for many changes."""
    dropped: Callable[[bytes], None] | None = None
    """Called with each key that was dropped, where the layer has a limit of entries."""

    @abstractmethod
    def init(self, context: StateStoreContext, root: StateStore) -> None:
        """Open it; ``get`` and ``put`` exist from here on."""

    def get_many(self, keys: Iterable[bytes]) -> list[bytes | None]:
        """Return the values of many keys, in order."""
        return list(map(self.get, keys))

    def put_all(self, entries: dict[bytes, bytes | None]) -> None:
        """Set many values."""
        put = self.put
        for key, value in entries.items():
            put(key, value)

    def put_in_order(self, entries: Sequence[Put]) -> None:
        """Set many values, one after the other; a key may be there twice."""
        for key, value in entries:
            self.put(key, value)

    def put_if_absent(self, key: bytes, value: bytes | None) -> bytes | None:
        """Set the value of a key unless it has one; return the one it had."""
        before = self.get(key)
        if before is None:
            self.put(key, value)
        return before

    def delete(self, key: bytes) -> bytes | None:
        """Delete a key and return the value it had."""
        before = self.get(key)
        self.put(key, None)
        return before

    def encoding_for(self, layer: PointLayer, encode: Encode) -> Encode | None:
        """Return the encoder for writes to ``layer``; None if writes here do more than that.

        ``encode`` is that for writes here: it makes bytes of many values and their times.
        """
        return encode if self is layer else None

    def remove(self, key: bytes) -> None:
        """Remove a session. Unlike a put of None, Kafka's stores never count it as too late."""
        self.put(key, None)


class ByteLayer(PointLayer):
    """Bytes to bytes in key order, for key-value stores."""

    @abstractmethod
    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        """Yield the entries with ``lower <= key < upper`` in key order."""

    @abstractmethod
    def size_estimate(self) -> int:
        """Return about how many entries there are."""


class StoredBytes(ByteLayer):
    """A task's working copy of a byte store."""

    folds = True

    def __init__(self, name: str, kind: str, *, durable: bool) -> None:
        self._name = name
        self._kind = kind
        self.stores_durably = durable

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        copy = self._copy = context.working_copy(self._name, self._kind)
        self.get = copy.get
        self.put = copy.put

    def get_many(self, keys: Iterable[bytes]) -> list[bytes | None]:
        return self._copy.get_many(keys)

    def put_all(self, entries: dict[bytes, bytes | None]) -> None:
        self._copy.put_all(entries)

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        return self._copy.scan(lower, upper, reverse=reverse)

    def size_estimate(self) -> int:
        return self._copy.size_estimate()

    def close(self) -> None:
        self._copy.close()


class LruBytes(ByteLayer):
    """Working copy with only the entries used last.

    Only this object knows which were used last: after a restart the order is that of the keys.
    Kafka Streams has the order of the last writes then, as it restores them from the changelog.
    """

    def __init__(self, name: str, kind: str, max_entries: int) -> None:
        self._name = name
        self._kind = kind
        self._max = max_entries
        self._used: OrderedDict[bytes, None] = OrderedDict()
        self.stores_durably = False

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        self._copy: WorkingCopy = context.working_copy(self._name, self._kind)
        self.get = self._get
        self.put = self._put
        self.reload()

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        return self._copy.scan(lower, upper, reverse=reverse)

    def size_estimate(self) -> int:
        return len(self._used)

    def reload(self) -> None:
        self._used = OrderedDict.fromkeys(key for key, _ in self._copy.scan(None, None))

    def close(self) -> None:
        self._copy.close()

    def _get(self, key: bytes) -> bytes | None:
        if key in self._used:
            self._used.move_to_end(key)
        return self._copy.get(key)

    def _put(self, key: bytes, value: bytes | None) -> None:
        self._copy.put(key, value)
        if value is None:
            self._used.pop(key, None)
            return
        self._used[key] = None
        self._used.move_to_end(key)
        for oldest in list(islice(self._used, max(0, len(self._used) - self._max))):
            del self._used[oldest]
            self._copy.put(oldest, None)
            if self.dropped is not None:
                self.dropped(oldest)
