"""Copies that follow batches hold the bytes of the worker's stores, for every kind of store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from compat_tests.spark.queries.world import TEXT, Idle, World
from millstream import Stores, Topology, ValueAndTimestamp, Windowed
from millstream.core.windows import SessionWindow

SECOND = 1000
KEYS = ["a", "b", "ö", "key with spaces"]

Write = Callable[[Any, Random, int], None]


def plain(store: Any, random: Random, time: int) -> None:
    store.put(random.choice(KEYS), random.choice([f"{time}", None]))


def stamped(store: Any, random: Random, time: int) -> None:
    store.put(random.choice(KEYS), ValueAndTimestamp(f"{time}", time))


def windowed(store: Any, random: Random, time: int) -> None:
    store.put(random.choice(KEYS), f"{time}", max(0, time - random.randrange(5) * SECOND))


def sessions(store: Any, random: Random, time: int) -> None:
    window = SessionWindow(max(0, time - random.randrange(3) * SECOND), time)
    store.put(Windowed(random.choice(KEYS), window), random.choice([f"{time}", None]))


def versioned(store: Any, random: Random, time: int) -> None:
    store.put(random.choice(KEYS), random.choice([f"{time}", None]), time)


BUILDERS: dict[str, tuple[Any, Write]] = {
    "rocksdb": (
        Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore("kv"), TEXT, TEXT),
        plain,
    ),
    "memory": (
        Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("kv"), TEXT, TEXT),
        plain,
    ),
    "cached": (
        Stores.keyValueStoreBuilder(
            Stores.persistentKeyValueStore("kv"), TEXT, TEXT
        ).withCachingEnabled(),
        plain,
    ),
    "without-logging": (
        Stores.keyValueStoreBuilder(
            Stores.persistentKeyValueStore("kv"), TEXT, TEXT
        ).withLoggingDisabled(),
        plain,
    ),
    "lru-map": (Stores.keyValueStoreBuilder(Stores.lruMap("kv", 2), TEXT, TEXT), plain),
    "timestamped": (
        Stores.timestampedKeyValueStoreBuilder(
            Stores.persistentTimestampedKeyValueStore("kv"), TEXT, TEXT
        ),
        stamped,
    ),
    "window": (
        Stores.windowStoreBuilder(
            Stores.persistentWindowStore("kv", 10 * SECOND, SECOND, False), TEXT, TEXT
        ),
        windowed,
    ),
    "window-duplicates-in-memory": (
        Stores.windowStoreBuilder(
            Stores.inMemoryWindowStore("kv", 10 * SECOND, SECOND, True), TEXT, TEXT
        ),
        windowed,
    ),
    "session": (
        Stores.sessionStoreBuilder(Stores.persistentSessionStore("kv", 10 * SECOND), TEXT, TEXT),
        sessions,
    ),
    "versioned": (
        Stores.versionedKeyValueStoreBuilder(
            Stores.persistentVersionedKeyValueStore("kv", 10 * SECOND), TEXT, TEXT
        ),
        versioned,
    ),
}


@pytest.mark.parametrize("name", BUILDERS)
def test_a_copy_that_follows_has_the_bytes_of_the_worker(name: str, tmp_path: Path) -> None:
    builder, write = BUILDERS[name]
    program = Topology().addSource("source", "in").addProcessor("p", Idle, "source")
    world = World(tmp_path, program.addStateStore(builder, "p"))
    world.queries._follower = None
    world.asked = {0: frozenset({"kv"})}
    random, time = Random(5), 0
    world.queries.stores("kv")
    for number in range(40):

        def batch(store: Any) -> None:
            nonlocal time
            for _ in range(random.randrange(1, 6)):
                time += random.randrange(2 * SECOND)
                write(store, random, time)
            store.flush()

        world.change(number % 2, "kv", batch)
        world.state.batch = world.next_batch()
        shown = world.queries.stores("kv")
        for partition, host in world.hosts.items():
            replica = world.queries._copies[0]._replicas[partition]._host
            assert _entries(replica) == _entries(host)
            if hasattr(shown[partition], "all"):
                own = world.stores[partition, "kv"]
                assert list(shown[partition].all()) == list(own.all())
    assert world.state.asked == []
    world.close()


def _entries(host: Any) -> list[Any]:
    return list(host.changelog._copies["kv"].working.scan(None, None))
