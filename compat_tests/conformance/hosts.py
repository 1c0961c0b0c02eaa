"""Where a scenario's topology runs: the contract, and the test driver as the first host."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from compat_tests.conformance.api import member, public
from compat_tests.conformance.commands import is_store
from millstream.core.java_time import from_epoch_millis


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRecord:
    """A record on a topic, as bytes."""

    topic: str
    key: bytes | None
    value: bytes | None
    timestamp: int
    headers: tuple[tuple[str, bytes | None], ...] = ()


class Host(Protocol):
    """One run of one topology. Errors are those that the host's user would see."""

    def start(self, topology: Any, config: dict[str, Any], wall_clock_ms: int) -> None:
        """Make ready for the first record; refuse what cannot run."""

    def pipe(self, record: RawRecord) -> None:
        """Put one record on an input topic and process all that follows from it."""

    def advance_wall_clock(self, by_ms: int) -> None:
        """Move the mock wall clock on and run what falls due."""

    def produced(self) -> list[RawRecord]:
        """What was produced since the last call, by topic name, then in emission order."""

    def store(self, name: str, view: str | None = None) -> tuple[Any, bool]:
        """A store to query, and whether its values carry timestamps.

        It is of its own public type, or seen as `plain`, `timestamped` or with `headers`.
        """

    def close(self) -> None:
        """Free everything; may be called after a failure."""


class DriverHost:
    """The TopologyTestDriver: one task in this process, by default with its stores in memory."""

    def __init__(self, *, real_stores: bool = False) -> None:
        self._real_stores = real_stores
        self._driver: Any = None
        self._cleanup = ExitStack()

    @classmethod
    def over(cls, stores: Any) -> DriverHost:
        """A host that only answers for stores, which are elsewhere."""
        host = cls()
        host._driver = stores
        return host

    def start(self, topology: Any, config: dict[str, Any], wall_clock_ms: int) -> None:
        driver = public("TopologyTestDriver")
        folder = self._cleanup.enter_context(tempfile.TemporaryDirectory(prefix="conformance-"))
        settings = {**config, "state.dir": folder}
        self._driver = driver(topology, settings, wall_clock_ms, real_stores=self._real_stores)
        self._cleanup.callback(self._driver.close)

    def pipe(self, record: RawRecord) -> None:
        writer = public("Serdes").ByteArray().serializer()
        headers = public("Headers")()
        for name, value in record.headers:
            headers.add(name, value)
        # A number below 0 is refused, a point in time before 1970 is not.
        time = record.timestamp if record.timestamp >= 0 else from_epoch_millis(record.timestamp)
        sent = public("TestRecord")(record.key, record.value, headers, time)
        self._driver.createInputTopic(record.topic, writer, writer).pipeInput(sent)

    def advance_wall_clock(self, by_ms: int) -> None:
        self._driver.advanceWallClockTime(by_ms)

    def produced(self) -> list[RawRecord]:
        reader = public("Serdes").ByteArray().deserializer()
        found = []
        for topic in sorted(self._driver.producedTopicNames()):
            output = self._driver.createOutputTopic(topic, reader, reader)
            found += [_raw(topic, record) for record in output.readRecordsToList()]
        return found

    def store(self, name: str, view: str | None = None) -> tuple[Any, bool]:
        raw = self._driver.getAllStateStores()[name]
        if view is None:
            getter = next(get for kind, get in _GETTERS.items() if is_store(raw, kind))
        else:
            kinds = ("SessionStore", "WindowStore", "KeyValueStore")
            kind = next(kind for kind in kinds if is_store(raw, kind))
            stamped = view != "plain" and kind != "SessionStore"
            getter = f"get{'Timestamped' if stamped else ''}{kind}"
            getter += "WithHeaders" if view == "headers" else ""
        return member(self._driver, getter)(name), "Timestamped" in getter

    def close(self) -> None:
        self._cleanup.close()


# The most special type first: a timestamped store is a key-value store, too.
_GETTERS = {
    "VersionedKeyValueStore": "getVersionedKeyValueStore",
    "TimestampedKeyValueStoreWithHeaders": "getTimestampedKeyValueStore",
    "TimestampedKeyValueStore": "getTimestampedKeyValueStore",
    "KeyValueStore": "getKeyValueStore",
    "TimestampedWindowStoreWithHeaders": "getTimestampedWindowStore",
    "TimestampedWindowStore": "getTimestampedWindowStore",
    "WindowStore": "getWindowStore",
    "SessionStore": "getSessionStore",
}


def _raw(topic: str, record: Any) -> RawRecord:
    return RawRecord(
        topic=topic,
        key=record.key(),
        value=record.value(),
        timestamp=record.timestamp(),
        headers=tuple((header.key(), header.value()) for header in record.headers()),
    )


HOSTS: dict[str, Callable[[], Host]] = {
    "driver": DriverHost,
    "driver-real-stores": partial(DriverHost, real_stores=True),
}
