"""Benchmark of Kafka's kinds of stores: fetch of a window, of a session, of a version."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.stores.measure import as_in_a_worker, micros
from millstream import Serdes, SessionWindow, Stores, Windowed
from millstream.core.state import DslSessionParams, DslWindowParams
from millstream.core.working_copy import WorkingCopy
from millstream.plugins.registry import store_class, store_kinds
from millstream.stores.construction.suppliers import OurVersionedSupplier
from millstream.testing import MockProcessorContext

EACH = 10
"""Windows, sessions or versions of a key."""
STEP_MS = 60_000
RETENTION_MS = 24 * 3_600_000
APPLY_EVERY = 20_000
READS = 2_000


def kafka_store_rows(store: str, keys: int, rounds: int) -> dict[str, Any]:
    """Return microseconds for a read of each kind of store, over ``keys`` entries each."""
    names = [f"key-{number:09d}" for number in range(max(1, keys // EACH))]
    kinds: dict[str, Callable[..., Callable[[str], object]]] = {
        "window fetch": _windows,
        "session find": _sessions,
        "versioned get": _versions,
    }
    rows = {}
    for kind, fill in kinds.items():
        with TemporaryDirectory(prefix="millstream-bench-") as folder, as_in_a_worker():
            rows[kind] = _measured(fill, store, names, Path(folder), rounds)
    return rows


def _measured(
    fill: Callable[..., Callable[[str], object]],
    kind: str,
    names: list[str],
    folder: Path,
    rounds: int,
) -> dict[str, float]:
    random = Random(1)
    bytes_ = Bytes(folder)
    read = fill(kind, names, bytes_.context, bytes_.apply)
    taken = []
    for _ in range(rounds):
        wanted = random.choices(names, k=READS)
        taken.append(micros(partial(_each, read, wanted), READS))
    bytes_.close()
    return {"ours": round(median(taken), 3)}


def _each(read: Callable[[str], object], names: list[str]) -> None:
    for name in names:
        read(name)


class Bytes:
    """A mock of a task's context whose stores' bytes can be applied, as at the end of a batch."""

    def __init__(self, folder: Path) -> None:
        context: Any = MockProcessorContext({}, None, folder).getStateStoreContext()
        self._copies: list[WorkingCopy] = []
        self._open = context.working_copy
        context.working_copy = self._opened
        self.context = context

    def apply(self) -> None:
        for copy in self._copies:
            copy.apply(b"1")

    def close(self) -> None:
        for copy in self._copies:
            copy.store.close()

    def _opened(self, store: str, kind: str) -> WorkingCopy:
        copy: WorkingCopy = self._open(store, kind)
        self._copies.append(copy)
        return copy


def _filled(names: list[str], put: Callable[[str, int], object], apply: Callable[[], None]) -> None:
    count = 0
    for at in range(EACH):
        for name in names:
            put(name, at * STEP_MS)
            count += 1
            if not count % APPLY_EVERY:
                apply()
    apply()


def _windows(
    kind: str, names: list[str], context: Any, apply: Callable[[], None]
) -> Callable[[str], object]:
    params = DslWindowParams("windows", RETENTION_MS, STEP_MS)
    supplier = store_kinds().dsl_suppliers(kind).windowStore(params)
    store: Any = Stores.windowStoreBuilder(supplier, Serdes.String(), Serdes.Long()).build()
    store.init(context, store)
    _filled(names, lambda name, at: store.put(name, at, at), apply)
    last = EACH * STEP_MS

    def read(name: str) -> None:
        with store.fetch(name, 0, last) as found:
            assert sum(1 for _ in found) == EACH

    return read


def _sessions(
    kind: str, names: list[str], context: Any, apply: Callable[[], None]
) -> Callable[[str], object]:
    params = DslSessionParams("sessions", RETENTION_MS)
    supplier = store_kinds().dsl_suppliers(kind).sessionStore(params)
    store: Any = Stores.sessionStoreBuilder(supplier, Serdes.String(), Serdes.Long()).build()
    store.init(context, store)
    _filled(
        names,
        lambda name, at: store.put(Windowed(name, SessionWindow(at, at + 1000)), at),
        apply,
    )

    def read(name: str) -> None:
        with store.findSessions(name, 3 * STEP_MS, 3 * STEP_MS + 1000) as found:
            assert sum(1 for _ in found) == 1

    return read


def _versions(
    kind: str, names: list[str], context: Any, apply: Callable[[], None]
) -> Callable[[str], object]:
    durable = store_class(kind).traits.durable
    supplier = OurVersionedSupplier(
        store="versions", kind=kind, durable=durable, retention=RETENTION_MS
    )
    store: Any = Stores.versionedKeyValueStoreBuilder(
        supplier, Serdes.String(), Serdes.Long()
    ).build()
    store.init(context, store)
    _filled(names, lambda name, at: store.put(name, at, at), apply)

    def read(name: str) -> None:
        found = store.get(name, 3 * STEP_MS + 1)
        assert found is not None
        assert found.value() == 3 * STEP_MS

    return read
