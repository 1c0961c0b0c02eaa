"""Benchmark of byte stores against their libraries: batch writes, reads, scans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.stores.measure import as_in_a_worker, micros, resident
from benchmarks.stores.peers import PEERS
from millstream.plugins.registry import open_store

BATCH = 1_000
READS = 20_000
VALUE_BYTES = 100
PRIME = 7_368_787


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What can be done to a store or to its peer."""

    write: Callable[[Mapping[bytes, bytes]], object]
    get: Callable[[bytes], bytes | None]
    scan: Callable[[], Iterable[object]]
    close: Callable[[], None]


def byte_store_rows(store: str, keys: int, rounds: int) -> dict[str, Any]:
    """Return microseconds for an entry of each operation, the peer's, and the store's memory."""
    with TemporaryDirectory(prefix="millstream-bench-") as folder, as_in_a_worker():
        ours = _ours(store, _made(folder, "ours"))
        before = resident()
        fill = _fill(ours, keys)
        memory = {kind: used - before[kind] for kind, used in resident().items()}
        sides = {"ours": ours}
        if store in PEERS:
            sides["peer"] = _peer(store, _made(folder, "peer"))
            _fill(sides["peer"], keys)
        rows = _measured(sides, keys, rounds)
        rows["fill"] = {"ours": round(fill, 3)}
        for side in sides.values():
            side.close()
    return {"operations": rows, "memory": memory}


def _measured(sides: dict[str, Side], keys: int, rounds: int) -> dict[str, Any]:
    """Measure both sides in turns, so that what the machine does meanwhile hits both."""
    random = Random(keys)
    known = [_key(number) for number in range(keys)]
    taken: dict[str, dict[str, list[float]]] = {
        operation: {name: [] for name in sides} for operation in ("get", "put", "scan")
    }
    for _ in range(rounds):
        wanted = random.choices(known, k=READS)
        changed = [
            dict.fromkeys(random.sample(known, BATCH), random.randbytes(VALUE_BYTES))
            for _ in range(10)
        ]
        for name, side in sides.items():
            taken["get"][name].append(micros(partial(_read, side, wanted), READS))
            taken["put"][name].append(micros(partial(_write, side, changed), 10 * BATCH))
            taken["scan"][name].append(micros(partial(_scan, side), len(known)))
    return {operation: _row(times) for operation, times in taken.items()}


def _row(times: dict[str, list[float]]) -> dict[str, float]:
    row = {name: round(median(values), 3) for name, values in times.items()}
    if "peer" in times:
        pairs = zip(times["ours"], times["peer"], strict=True)
        row["ratio"] = round(median(ours / peer for ours, peer in pairs), 2)
    return row


def _fill(side: Side, keys: int) -> float:
    """Write every key once, in no order; return microseconds for one."""
    spent, random = 0.0, Random(keys)
    for at in range(0, keys, BATCH):
        numbers = range(at, min(at + BATCH, keys))
        # The prime makes a permutation of all numbers without a list of them.
        batch = {_key(n * PRIME % keys): random.randbytes(VALUE_BYTES) for n in numbers}
        spent += micros(partial(side.write, batch), 1)
    return spent / keys


def _key(number: int) -> bytes:
    return b"key-%012d" % number


def _ours(name: str, directory: Path) -> Side:
    store = open_store(name, directory, {})
    return Side(
        write=lambda batch: store.write(batch, b"1"),
        get=store.get,
        scan=lambda: store.scan(None, None),
        close=store.close,
    )


def _peer(name: str, directory: Path) -> Side:
    peer = PEERS[name](directory)
    return Side(write=peer.write, get=peer.get, scan=peer.scan, close=peer.close)


def _made(folder: str, name: str) -> Path:
    directory = Path(folder) / name
    directory.mkdir()
    return directory


def _write(side: Side, batches: Iterable[Mapping[bytes, bytes]]) -> None:
    for batch in batches:
        side.write(batch)


def _read(side: Side, keys: Iterable[bytes]) -> None:
    get = side.get
    for key in keys:
        get(key)


def _scan(side: Side) -> None:
    for _ in side.scan():
        pass
