"""What an open iterator of a window or session store shows of writes that come after it.

Expected is what Kafka Streams 4.3.1 answers; of sessions in memory without a cache, what those on
disk show.
"""

from __future__ import annotations

from typing import Any

import pytest

from millstream import (
    Consumed,
    Processor,
    Serdes,
    SessionWindow,
    Stores,
    StreamsBuilder,
    Windowed,
)
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
RETENTION = 1_000_000
UNCACHED = ["10=old", "15=new", "30=changed", "40=old", "50=new"]
CACHED = ["10=old", "30=changed", "40=old"]


def windows(supplier: Any) -> Any:
    return Stores.windowStoreBuilder(supplier("rows", RETENTION, 10, False), TEXT, TEXT)


def sessions(supplier: Any) -> Any:
    return Stores.sessionStoreBuilder(supplier("rows", RETENTION), TEXT, TEXT)


def put(store: Any, time: int, value: str | None) -> None:
    if hasattr(store, "findSessions"):
        store.put(Windowed("a", SessionWindow(time, time)), value)
    else:
        store.put("a", value, time)


def shown(entry: Any) -> str:
    key = entry.key
    return f"{key if isinstance(key, int) else key.window().start()}={entry.value}"


READS: dict[str, Any] = {
    "one": lambda store: store.fetch("a", 0, 100),
    "all": lambda store: store.all(),
    "backward": lambda store: store.backwardFetch("a", 0, 100),
    "sessions": lambda store: store.fetch("a"),
    "range": lambda store: store.findSessions("a", "b", 0, 100),
}


class Reads(Processor[str, str, Any, Any]):
    """Writes rows or asks for an iterator, changes rows, and reads the iterator."""

    def __init__(self, how: str, seen: list[str]) -> None:
        self._how, self._seen = how, seen

    def init(self, context: Any) -> None:
        self._store = context.getStateStore("rows")

    def process(self, record: Any) -> None:
        if "fill" in record.value():
            for time in (10, 20, 30, 40):
                put(self._store, time, "old")
        if "read" in record.value():
            with READS[self._how](self._store) as entries:
                put(self._store, 15, "new")
                put(self._store, 20, None)
                put(self._store, 30, "changed")
                put(self._store, 50, "new")
                self._seen.extend(map(shown, entries))


def read(builder: Any, how: str, *batches: str) -> list[str]:
    streams, seen = StreamsBuilder(), list[str]()
    streams.addStateStore(builder)
    streams.stream("in", Consumed.with_(TEXT, TEXT)).process(lambda: Reads(how, seen), "rows")
    with TopologyTestDriver(streams.build()) as driver:
        lines = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        for batch in batches:
            lines.pipeInput("a", batch)
    return seen[::-1] if how == "backward" else seen


BATCHES = pytest.mark.parametrize("batches", [("fill", "read"), ("fill and read",)])


@BATCHES
@pytest.mark.parametrize("how", ["one", "all", "backward"])
def test_windows_show_what_is_written_before_the_first_read(
    how: str, batches: tuple[str, ...]
) -> None:
    # The window that is the latest now was left out.
    assert read(windows(Stores.persistentWindowStore), how, *batches) == UNCACHED


@BATCHES
@pytest.mark.parametrize("how", ["sessions", "range"])
def test_sessions_show_what_is_written_before_the_first_read(
    how: str, batches: tuple[str, ...]
) -> None:
    disk = read(sessions(Stores.persistentSessionStore), how, *batches)
    # Those in memory showed what the batch had found; they mean the same as those on disk.
    memory = read(sessions(Stores.inMemorySessionStore), how, *batches)
    assert (disk, memory) == (UNCACHED, UNCACHED)


@BATCHES
@pytest.mark.parametrize("kind", ["persistent", "inMemory"])
@pytest.mark.parametrize("how", ["one", "all", "backward"])
def test_cached_windows_are_those_of_the_call_as_they_are_when_read(
    how: str, kind: str, batches: tuple[str, ...]
) -> None:
    rows = windows(getattr(Stores, f"{kind}WindowStore")).withCachingEnabled()
    # On disk new ones showed; in memory what was deleted did, and what others had been.
    assert read(rows, how, *batches) == CACHED


@BATCHES
@pytest.mark.parametrize("kind", ["persistent", "inMemory"])
@pytest.mark.parametrize("how", ["sessions", "range"])
def test_cached_sessions_are_those_of_the_call_as_they_are_when_read(
    how: str, kind: str, batches: tuple[str, ...]
) -> None:
    rows = sessions(getattr(Stores, f"{kind}SessionStore")).withCachingEnabled()
    assert read(rows, how, *batches) == CACHED
