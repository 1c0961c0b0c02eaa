"""Stores of bytes of a user's own supplier get back, after a restart, the bytes that were put."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest

from millstream import (
    HeadersBytesStore,
    KeyValueBytesStoreSupplier,
    Processor,
    Serdes,
    SessionBytesStoreSupplier,
    SessionStore,
    StreamsBuilder,
    TimestampedBytesStore,
    ValueAndTimestamp,
    ValueTimestampHeaders,
    WindowBytesStoreSupplier,
    WindowStore,
)
from millstream.core.headers import Headers
from millstream.core.state import (
    AggregationWithHeaders,
    KeyValueStore,
    SessionStoreWithHeaders,
    TimestampedKeyValueStore,
    TimestampedKeyValueStoreWithHeaders,
    TimestampedWindowStore,
    TimestampedWindowStoreWithHeaders,
)
from millstream.core.state.logged_rows import Logged, from_row, to_row
from millstream.core.windows import SessionWindow, Windowed
from millstream.stores.construction.builders import store_builder
from millstream.testing import TestRecord, TopologyTestDriver

TEXT = Serdes.String()


class Own:
    """A store of bytes that inherits nothing, and notes what it is given."""

    put_bytes: ClassVar[dict[bytes, Any]] = {}
    restored: ClassVar[list[Any]] = []

    def __init__(self, durable: bool) -> None:
        self._durable = durable

    def name(self) -> str:
        return "own"

    def init(self, context: Any, root: Any) -> None:
        context.register(root, lambda key, value: self.restored.append(value))

    def persistent(self) -> bool:
        return self._durable

    def put(self, key: Any, value: Any, *_: Any) -> None:
        self.put_bytes[key.key() if isinstance(key, Windowed) else key] = value

    def get(self, key: bytes) -> Any:
        return self.put_bytes.get(key)

    def isOpen(self) -> bool:
        return True

    def fetch(self, *_: Any) -> Any:
        return None

    findSessions = fetchSession = fetch

    def flush(self) -> None: ...

    def close(self) -> None: ...


class Stamped(Own, TimestampedBytesStore): ...


class Headed(Own, HeadersBytesStore): ...


class Supplies:
    def __init__(self, made: type[Own], durable: bool) -> None:
        self._made, self._durable = made, durable

    def name(self) -> str:
        return "own"

    def get(self) -> Any:
        return self._made(self._durable)

    def metricsScope(self) -> str:
        return "own"

    def retentionPeriod(self) -> int:
        return 1000

    segmentIntervalMs = retentionPeriod

    def windowSize(self) -> int:
        return 10

    def retainDuplicates(self) -> bool:
        return False


class Pairs(Supplies, KeyValueBytesStoreSupplier): ...


class Windows(Supplies, WindowBytesStoreSupplier): ...


class Sessions(Supplies, SessionBytesStoreSupplier): ...


def supplier(kind: type[Any], made: type[Own], durable: bool) -> Any:
    if issubclass(kind, SessionStore):
        return Sessions(made, durable)
    return (Windows if issubclass(kind, WindowStore) else Pairs)(made, durable)


class Put(Processor[str, str, None, None]):
    def __init__(self, kind: type[Any]) -> None:
        self._kind = kind

    def init(self, context: Any) -> None:
        self._store = context.getStateStore("own")

    def process(self, record: Any) -> None:
        value, time, kind = record.value(), record.timestamp(), self._kind
        if kind is SessionStoreWithHeaders:
            value = AggregationWithHeaders.make(value, record.headers())
        elif "WithHeaders" in kind.__name__:
            value = ValueTimestampHeaders.make(value, time, record.headers())
        elif "Timestamped" in kind.__name__:
            value = ValueAndTimestamp.make(value, time)
        if issubclass(kind, SessionStore):
            self._store.put(Windowed(record.key(), SessionWindow(time, time)), value)
        elif issubclass(kind, WindowStore):
            self._store.put(record.key(), value, time)
        else:
            self._store.put(record.key(), value)


@pytest.mark.parametrize("durable", [False, True], ids=["memory", "durable"])
@pytest.mark.parametrize("made", [Own, Stamped, Headed])
@pytest.mark.parametrize(
    "kind",
    [
        KeyValueStore,
        TimestampedKeyValueStore,
        TimestampedKeyValueStoreWithHeaders,
        WindowStore,
        TimestampedWindowStore,
        TimestampedWindowStoreWithHeaders,
        SessionStore,
        SessionStoreWithHeaders,
    ],
)
def test_own_bytes_come_back_as_they_were_put(
    kind: type[Any], made: type[Own], durable: bool, tmp_path: Path
) -> None:
    def topology() -> Any:
        builder = StreamsBuilder()
        builder.addStateStore(store_builder(kind, supplier(kind, made, durable), TEXT, TEXT))
        builder.stream("in").process(lambda: Put(kind), "own")
        return builder.build()

    config = {"default.key.serde": TEXT, "default.value.serde": TEXT}
    Own.put_bytes.clear()
    Own.restored.clear()
    with TopologyTestDriver(topology(), config) as driver:
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        topic.pipeInput(TestRecord("a", "1", Headers().add("h", b"x"), 5))
        topic.pipeInput("b", "2", 6)
        driver.savepoint(str(tmp_path / "saved"))
    with TopologyTestDriver.fromSavepoint(topology(), config, str(tmp_path / "saved")):
        assert Own.restored == [Own.put_bytes[b"a"], Own.put_bytes[b"b"]]


@pytest.mark.parametrize("time", [-(2**63), -1, 0, 5])
@pytest.mark.parametrize("headers", [None, Headers().add("h", b"x").add("n", None)])
def test_a_logged_row_gives_back_what_it_was_made_of(time: int, headers: Any) -> None:
    assert from_row(to_row(b"v", time, headers)) == Logged(b"v", time, headers)
