"""The bytes under a key-value store: where they lie, and the changelog around them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterator
from itertools import islice

from millstream.core.state import KeyValueStore, StateStore, StateStoreContext
from millstream.core.store import Entry
from millstream.core.working_copy import WorkingCopy

Getter = Callable[[bytes], "bytes | None"]
Putter = Callable[[bytes, "bytes | None"], None]

NO_TIME = (-1).to_bytes(8, "big", signed=True)


class PointLayer(ABC):
    """Bytes by key: what every kind of store is built on."""

    logs = False
    """Every write is noted, with the time of the record in hand."""
    get: Getter
    """Returns the value of a key. A function of its own, because it runs for every record."""
    put: Putter
    """Sets the value of a key; None deletes."""
    adds = False
    """A put adds a value to those that the key has."""

    @abstractmethod
    def init(self, context: StateStoreContext, root: StateStore) -> None:
        """Open it; ``get`` and ``put`` exist from here on."""

    @abstractmethod
    def put_all(self, entries: dict[bytes, bytes | None]) -> None:
        """Set many values."""

    def flush(self) -> None:  # noqa: B027 - doing nothing is a right answer
        """Write out what is only in memory."""

    def reload(self) -> None:  # noqa: B027 - doing nothing is a right answer
        """Forget what was derived from the bytes."""

    def close(self) -> None:  # noqa: B027 - doing nothing is a right answer
        """Release what this layer holds."""


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

    def __init__(self, name: str, kind: str) -> None:
        self._name = name
        self._kind = kind

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        copy = self._copy = context.working_copy(self._name, self._kind)
        self.get = copy.get
        self.put = copy.put

    def put_all(self, entries: dict[bytes, bytes | None]) -> None:
        self._copy.put_all(entries)

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        return self._copy.scan(lower, upper, reverse=reverse)

    def size_estimate(self) -> int:
        return self._copy.size_estimate()


class LruBytes(ByteLayer):
    """A working copy that keeps only the entries used last.

    Which were used last is known to this object only: after a restart the order is that of the
    keys, as it is after Kafka has restored such a store.
    """

    def __init__(self, name: str, kind: str, max_entries: int) -> None:
        self._name = name
        self._kind = kind
        self._max = max_entries
        self._used: OrderedDict[bytes, None] = OrderedDict()
        self.dropped: Callable[[bytes], None] | None = None
        """Told of each key that had to go."""

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        self._copy: WorkingCopy = context.working_copy(self._name, self._kind)
        self.get = self._get
        self.put = self._put
        self.reload()

    def put_all(self, entries: dict[bytes, bytes | None]) -> None:
        for key, value in entries.items():
            self._put(key, value)

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        return self._copy.scan(lower, upper, reverse=reverse)

    def size_estimate(self) -> int:
        return len(self._used)

    def reload(self) -> None:
        self._used = OrderedDict.fromkeys(key for key, _ in self._copy.scan(None, None))

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


class SuppliedBytes(ByteLayer):
    """A store of bytes that a user's own supplier made."""

    def __init__(self, store: KeyValueStore[bytes, bytes]) -> None:
        self._store = store

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        self._store.init(context, root)
        self.get = self._store.get
        self.put = self._store.put

    def put_all(self, entries: dict[bytes, bytes | None]) -> None:
        for key, value in entries.items():
            self._store.put(key, value)

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        # Kafka's ranges include their end, so the end itself is left out here.
        reads = self._store.reverseRange if reverse else self._store.range
        with reads(lower, upper) as entries:
            for entry in entries:
                if upper is None or entry.key < upper:
                    yield entry.key, entry.value

    def size_estimate(self) -> int:
        return self._store.approximateNumEntries()

    def flush(self) -> None:
        self._store.flush()

    def reload(self) -> None:
        self._store.reload()

    def close(self) -> None:
        self._store.close()


class UntimedBytes(ByteLayer):
    """Keeps timestamped values without their times; they are read back with -1, as in Kafka."""

    def __init__(self, below: ByteLayer) -> None:
        self._below = below

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        self._below.init(context, root)
        self.get, self.put = without_times(self._below)

    def put_all(self, entries: dict[bytes, bytes | None]) -> None:
        self._below.put_all({key: None if v is None else v[8:] for key, v in entries.items()})

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        entries = self._below.scan(lower, upper, reverse=reverse)
        return ((key, NO_TIME + value) for key, value in entries)

    def size_estimate(self) -> int:
        return self._below.size_estimate()

    def flush(self) -> None:
        self._below.flush()

    def reload(self) -> None:
        self._below.reload()

    def close(self) -> None:
        self._below.close()


def without_times(below: PointLayer) -> tuple[Getter, Putter]:
    """Return a layer's ``get`` and ``put`` for values whose times it does not keep."""
    get_below, put_below = below.get, below.put

    def get(key: bytes) -> bytes | None:
        value = get_below(key)
        return None if value is None else NO_TIME + value

    def put(key: bytes, value: bytes | None) -> None:
        put_below(key, None if value is None else value[8:])

    return get, put


class LoggedBytes(ByteLayer):
    """Notes each write, in the form of Kafka's changelog topics.

    A timestamped value goes to a changelog without its time, which becomes the record's.
    """

    logs = True

    def __init__(self, below: ByteLayer, name: str, timestamped: bool) -> None:
        self._below = below
        self._name = name
        self._timestamped = timestamped

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        self._context = context
        self._below.init(context, root)
        self.get = self._below.get
        self.put = self._below.put
        self.logs = context.logs_changes(self._name)
        if self.logs:
            self._put_below = self._below.put
            self.put = self._put
            if isinstance(self._below, LruBytes):
                self._below.dropped = lambda key: self._log(key, None)

    def put_all(self, entries: dict[bytes, bytes | None]) -> None:
        if not self.logs:
            self._below.put_all(entries)
            return
        for key, value in entries.items():
            self._put(key, value)

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        return self._below.scan(lower, upper, reverse=reverse)

    def size_estimate(self) -> int:
        return self._below.size_estimate()

    def flush(self) -> None:
        self._below.flush()

    def reload(self) -> None:
        self._below.reload()

    def close(self) -> None:
        self._below.close()

    def _put(self, key: bytes, value: bytes | None) -> None:
        self._put_below(key, value)
        self._log(key, value)

    def _log(self, key: bytes, value: bytes | None) -> None:
        log_value(self._context, self._name, key, value, self._timestamped)


def log_value(
    context: StateStoreContext, store: str, key: bytes, value: bytes | None, timestamped: bool
) -> None:
    """Note a change; a timestamped value is cut into plain value and record time."""
    if timestamped and value is not None:
        time = int.from_bytes(value[:8], "big", signed=True)
        context.log_change(store, key, value[8:], time, None)
        return
    record = context.record_context
    # A store may be filled before the first record, from a processor's init.
    time = -1 if record is None else record.timestamp()
    context.log_change(store, key, value, time, None)
