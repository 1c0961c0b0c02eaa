"""Compliance tests of Kafka's store types over a byte store, compared with a dictionary."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from typing_extensions import Self

from millstream.core.serdes import Serdes
from millstream.core.state import ValueAndTimestamp
from millstream.core.store import ByteStore, Entry, Range, StoreTraits
from millstream.core.windows import SessionWindow, Windowed
from millstream.core.wording import a
from millstream.core.working_copy import WorkingCopy
from millstream.stores import Stores
from millstream.stores.construction.suppliers import (
    OurKeyValueSupplier,
    OurSessionSupplier,
    OurVersionedSupplier,
    OurWindowSupplier,
)
from millstream.testing.kit.promises import promise
from millstream.testing.kit.store_machine import Model
from millstream.testing.mock_context import MockProcessorContext
from millstream.testing.mock_store_context import MockStoreContext

RETENTION_MS = 150_000
WINDOW_MS = 1_000
STEPS = 300
STEP_MS = 2_000
NAME = "kept"
KEYS = ("a", "aa", "ab", "b", "b\0", "\x7f", "é")


class ReferenceStore(ByteStore):
    """Simplest byte store that fulfils the contract."""

    name = "reference"
    traits = StoreTraits(native_ttl=True, snapshot_scans=True)

    def __init__(self) -> None:
        self._model = Model()

    @classmethod
    def open(cls, directory: Path, options: Mapping[str, Any]) -> Self:
        return cls()

    def get(self, key: bytes) -> bytes | None:
        return self._model.entries.get(key)

    def write(
        self,
        batch: Mapping[bytes, bytes | None],
        version: bytes,
        *,
        dropped: Sequence[Range] = (),
    ) -> None:
        self._model.write(dict(batch), list(dropped))

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        return iter(self._model.scan(lower, upper, reverse=reverse))


@dataclass(frozen=True, slots=True)
class StoreKind:
    """One of Kafka's store types: its builder and a random operation."""

    noun: str
    builder: Callable[[bool], Any]
    """Returns its builder for a durable or an in-memory store."""
    act: Callable[[Any, Dice], Any]
    """Runs a random operation, determined by the dice, and returns its result."""


class Dice(random.Random):
    """Seeded random choices, and a rising stream time."""

    now_ms = 0

    def time(self) -> int:
        """Return a random time; some are so late that a store drops them."""
        return max(0, self.now_ms - int(self.expovariate(1 / (RETENTION_MS / 4))))

    def window(self) -> int:
        """Return the start of a window."""
        return self.time() // WINDOW_MS * WINDOW_MS


class KitContext(MockStoreContext):
    """Store context over one byte store."""

    def __init__(self, opener: Callable[[], ByteStore]) -> None:
        super().__init__(MockProcessorContext())
        self._opener = opener
        self.copies: list[WorkingCopy] = []

    def working_copy(self, store: str, kind: str) -> WorkingCopy:
        copy = WorkingCopy(self._opener())
        self.copies.append(copy)
        return copy


class Side:
    """One of the two compared sides: a Kafka store, its bytes and its dice."""

    def __init__(self, kind: StoreKind, opener: Callable[[], ByteStore], *, durable: bool) -> None:
        self.store = kind.builder(durable).build()
        self.context = KitContext(opener)
        self.store.init(self.context, self.store)
        self.dice = Dice(11)

    def commit(self) -> None:
        """Write the staged changes."""
        self.store.flush()
        for copy in self.context.copies:
            copy.apply(b"1")

    def forget(self) -> None:
        """Drop the staged changes."""
        for copy in self.context.copies:
            copy.forget()
        self.store.reload()

    def close(self) -> None:
        """Close store and bytes."""
        self.store.close()
        for copy in self.context.copies:
            copy.store.close()


def check_kafka_stores(opener: Callable[[Path], ByteStore], *, durable: bool) -> None:
    """Run the same random operations on each store type over two byte stores, and compare."""
    for kind in KINDS:
        with tempfile.TemporaryDirectory(prefix="millstream-kit-") as folder:
            _check(kind, partial(opener, Path(folder)), durable=durable)


def _check(kind: StoreKind, opener: Callable[[], ByteStore], *, durable: bool) -> None:
    tested = Side(kind, opener, durable=durable)
    reference = Side(kind, lambda: ReferenceStore.open(Path(), {}), durable=durable)
    try:
        for step in range(STEPS):
            for side in (tested, reference):
                side.dice.now_ms = step * STEP_MS
            seen, expected = (kind.act(side.store, side.dice) for side in (tested, reference))
            promise(
                seen == expected,
                f"{a(kind.noun)} store over it does what it does over a dictionary",
                f"step {step}: {seen!r} instead of {expected!r}",
            )
            for side in (tested, reference):
                if step % 50 == 37:
                    side.forget()
                elif step % 10 == 9:
                    side.commit()
    finally:
        tested.close()
        reference.close()


def _rows(entries: Any) -> list[Any]:
    with entries as iterator:
        return [(repr(entry.key), repr(entry.value)) for entry in iterator]


def _one_of(dice: Dice, *calls: Callable[[], Any]) -> Any:
    return dice.choice(calls)()


def _act_on_keys(wrap: Callable[[str, int], Any]) -> Callable[[Any, Dice], Any]:
    def act(store: Any, dice: Dice) -> Any:
        key, first, last = dice.choice(KEYS), *sorted(dice.sample(KEYS, 2))
        value, time = dice.choice(("", "x", "long" * 9)), dice.time()
        if dice.random() < 0.5:
            return store.put(key, wrap(value, time) if dice.random() < 0.8 else None)
        return _one_of(
            dice,
            lambda: repr(store.get(key)),
            lambda: _rows(store.range(first, last)),
            lambda: _rows(store.reverseRange(None, last)),
            lambda: _rows(store.all()),
            lambda: _rows(store.reverseAll()),
            lambda: _rows(store.prefixScan(key, Serdes.String().serializer())),
            lambda: repr(store.delete(key)),
        )

    return act


def _act_on_windows(wrap: Callable[[str, int], Any]) -> Callable[[Any, Dice], Any]:
    def act(store: Any, dice: Dice) -> Any:
        key, first, last = dice.choice(KEYS), *sorted(dice.sample(KEYS, 2))
        start, until = sorted(dice.window() for _ in range(2))
        if dice.random() < 0.6:
            value = wrap(dice.choice("xyz"), start) if dice.random() < 0.8 else None
            return store.put(key, value, start)
        return _one_of(
            dice,
            lambda: repr(store.fetch(key, start)),
            lambda: _rows(store.fetch(key, start, until)),
            lambda: _rows(store.backwardFetch(key, start, until)),
            lambda: _rows(store.fetch(first, last, start, until)),
            lambda: _rows(store.fetchAll(start, until)),
            lambda: _rows(store.backwardFetchAll(start, until)),
            lambda: _rows(store.all()),
        )

    return act


def _act_on_sessions(store: Any, dice: Dice) -> Any:
    key, first, last = dice.choice(KEYS), *sorted(dice.sample(KEYS, 2))
    start, end = sorted(dice.time() for _ in range(2))
    start = max(start, end - 5 * WINDOW_MS)
    if dice.random() < 0.6:
        aggregate = dice.choice("xyz") if dice.random() < 0.8 else None
        return store.put(Windowed(key, SessionWindow(start, end)), aggregate)
    return _one_of(
        dice,
        lambda: repr(store.fetchSession(key, start, end)),
        lambda: _rows(store.findSessions(key, start, end)),
        lambda: _rows(store.findSessions(first, last, start, end)),
        lambda: _rows(store.backwardFindSessions(key, start, end)),
        lambda: _rows(store.fetch(key)),
    )


def _act_on_versions(store: Any, dice: Dice) -> Any:
    key, time = dice.choice(KEYS), dice.time()
    if dice.random() < 0.6:
        return store.put(key, dice.choice("xyz") if dice.random() < 0.8 else None, time)
    return _one_of(
        dice,
        lambda: repr(store.get(key)),
        lambda: repr(store.get(key, time)),
        lambda: repr(store.delete(key, time)),
    )


def _window(*, durable: bool, duplicates: bool, timestamped: bool) -> Any:
    return OurWindowSupplier(
        store=NAME,
        kind=ReferenceStore.name,
        durable=durable,
        timestamped=timestamped,
        retention=RETENTION_MS,
        size=WINDOW_MS,
        duplicates=duplicates,
    )


def _plain_window(duplicates: bool, durable: bool) -> Any:
    supplier = _window(durable=durable, duplicates=duplicates, timestamped=False)
    return Stores.windowStoreBuilder(supplier, Serdes.String(), Serdes.String())


def _kinds() -> Iterator[StoreKind]:
    text = Serdes.String()
    over: dict[str, Any] = {"store": NAME, "kind": ReferenceStore.name}

    def plain(value: str, time: int) -> Any:
        return value

    yield StoreKind(
        "key-value",
        lambda durable: Stores.keyValueStoreBuilder(
            OurKeyValueSupplier(**over, durable=durable, timestamped=False), text, text
        ),
        _act_on_keys(plain),
    )
    yield StoreKind(
        "timestamped key-value",
        lambda durable: Stores.timestampedKeyValueStoreBuilder(
            OurKeyValueSupplier(**over, durable=durable), text, text
        ),
        _act_on_keys(ValueAndTimestamp.make),
    )
    for duplicates in (False, True):
        yield StoreKind(
            "window" if not duplicates else "window (with duplicates)",
            partial(_plain_window, duplicates),
            _act_on_windows(plain),
        )
    yield StoreKind(
        "timestamped window",
        lambda durable: Stores.timestampedWindowStoreBuilder(
            _window(durable=durable, duplicates=False, timestamped=True), text, text
        ),
        _act_on_windows(ValueAndTimestamp.make),
    )
    yield StoreKind(
        "session",
        lambda durable: Stores.sessionStoreBuilder(
            OurSessionSupplier(**over, durable=durable, retention=RETENTION_MS), text, text
        ),
        _act_on_sessions,
    )
    yield StoreKind(
        "versioned",
        lambda durable: Stores.versionedKeyValueStoreBuilder(
            OurVersionedSupplier(**over, durable=durable, retention=RETENTION_MS), text, text
        ),
        _act_on_versions,
    )


KINDS = tuple(_kinds())
