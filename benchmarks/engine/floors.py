"""Lower bounds: the same work as a plain loop, without an engine."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from rocksdict import Options, Rdict, WriteBatch

from benchmarks.vs_kafka_streams.workloads import WINDOW_SIZE_MS
from millstream.core.chunk import RawChunk

_LONG = struct.Struct(">q")
_TIMED = struct.Struct(">qq")


class Floor(Protocol):
    """Counts batches of records."""

    outputs: int
    """Results so far."""

    def step(self, chunks: list[RawChunk]) -> None:
        """Take in one batch."""

    def close(self) -> None:
        """Release what it holds."""


class DictFloor:
    """Counts by key in a dict; at the end of a batch, encodes each key that it has changed."""

    def __init__(self, folder: Path) -> None:
        del folder
        self.outputs = 0
        self._counts: dict[str, int] = {}

    def step(self, chunks: list[RawChunk]) -> None:
        counts, changed = self._counts, dict[str, int]()
        for key, _value, timestamp in _decoded(chunks):
            counts[key] = counts.get(key, 0) + 1
            changed[key] = timestamp
        results = [(key.encode(), _LONG.pack(counts[key]), changed[key]) for key in changed]
        self.outputs += len(results)

    def close(self) -> None:
        """Do nothing."""


class RocksdictFloor:
    """Counts by key and window in RocksDB: one read and one batched write a pair and batch."""

    def __init__(self, folder: Path) -> None:
        self.outputs = 0
        self._db = Rdict(str(folder / "floor"), Options(raw_mode=True))

    def step(self, chunks: list[RawChunk]) -> None:
        counts: dict[tuple[str, int], list[int]] = {}
        for key, _value, timestamp in _decoded(chunks):
            slot = key, timestamp - timestamp % WINDOW_SIZE_MS
            cell = counts.get(slot)
            if cell is None:
                data = self._db.get(_LONG.pack(slot[1]) + key.encode())
                cell = counts[slot] = [0, 0] if data is None else list(_TIMED.unpack(data))
            cell[0] = max(cell[0], timestamp)
            cell[1] += 1
        batch = WriteBatch(raw_mode=True)
        results = []
        for (key, start), (timestamp, count) in counts.items():
            data = key.encode()
            batch.put(_LONG.pack(start) + data, _TIMED.pack(timestamp, count))
            results.append((data, _LONG.pack(count), timestamp))
        self._db.write(batch)
        self.outputs += len(results)

    def close(self) -> None:
        self._db.close()


FLOORS: dict[str, Callable[[Path], Floor]] = {"dict": DictFloor, "rocksdict": RocksdictFloor}


def _decoded(chunks: list[RawChunk]) -> list[tuple[str, str, int]]:
    return [
        (key.decode(), value.decode(), timestamp)
        for chunk in chunks
        for key, value, timestamp in zip(chunk.keys, chunk.values, chunk.timestamps, strict=True)
        if key is not None and value is not None
    ]
