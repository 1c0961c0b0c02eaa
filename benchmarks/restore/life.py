"""One life of the application, in a process of its own.

``python -m benchmarks.restore.life CONFIG STORE UNTIL``: runs until the table has read ``UNTIL``
records, and prints a line of JSON about its batches.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from millstream import (
    Consumed,
    KafkaStreams,
    Materialized,
    Serdes,
    StateRestoreListener,
    Stores,
    StreamsBuilder,
    Topology,
)
from millstream.core.state.suppliers import KeyValueBytesStoreSupplier

SOURCE, STORE = "restored", "table"
_PATIENCE_S = 1800.0
_LOAD = ("rocksdbLoadFromSnapshot", "rocksdbLoad", "rocksdbReplayChangeLog")


def topology(kind: str) -> Topology:
    """Return the program: the last value of each key."""
    text = Serdes.String()
    builder = StreamsBuilder()
    materialized = Materialized.as_(_supplier(kind)).withKeySerde(text).withValueSerde(text)
    builder.table(SOURCE, Consumed.with_(text, text), materialized)
    return builder.build()


def main() -> None:
    """Run, and say what was seen."""
    config, kind, until = json.loads(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    began = time.monotonic()
    memory = Memory()
    memory.start()
    restored = Restored()
    app = KafkaStreams(topology(kind), config)
    app.setGlobalStateRestoreListener(restored)
    with app:
        started = time.monotonic()
        while _read(app) < until:
            if time.monotonic() - started > _PATIENCE_S or not app.state().isRunningOrRebalancing():
                sys.exit(f"the application is {app.state()}, and has read {_read(app)} records")
            time.sleep(0.05)
        ended = time.monotonic()
        batches = [_batch(each) for each in app._runner.recent_progress()]
    batches = [each for each in batches if each["records"]]
    seen = {
        "start_s": started - began,
        "until_s": ended - began,
        "batches": batches,
        "worker_mb": memory.stop(),
        "restored": restored.entries,
    }
    print(json.dumps(seen), flush=True)


def _supplier(kind: str) -> KeyValueBytesStoreSupplier:
    if kind == "memory":
        return Stores.inMemoryKeyValueStore(STORE)
    return Stores.persistentKeyValueStore(STORE)


def _batch(progress: dict[str, Any]) -> dict[str, Any]:
    metrics = [each["customMetrics"] for each in progress["stateOperators"]]
    return {
        "ms": progress["durationMs"]["triggerExecution"],
        "records": progress["numInputRows"],
        "load_ms": sum(value for each in metrics for name, value in each.items() if _loads(name)),
    }


def _loads(metric: str) -> bool:
    return any(name in metric for name in _LOAD)


def _read(app: KafkaStreams) -> int:
    ends: dict[str, int] = {}
    for progress in app._runner.recent_progress():
        for source in progress["sources"]:
            offset = source["endOffset"]
            if isinstance(offset, dict) and SOURCE in offset:
                ends = offset[SOURCE]
    return sum(map(int, ends.values()))


class Restored(StateRestoreListener):
    """Counts the entries from which stores were built."""

    def __init__(self) -> None:
        self.entries = 0

    def onRestoreStart(self, partition: Any, store: str, first: int, end: int) -> None:
        """Do nothing: counts come at the end."""

    def onBatchRestored(self, partition: Any, store: str, end: int, count: int) -> None:
        """Do nothing: counts come at the end."""

    def onRestoreEnd(self, partition: Any, store: str, count: int) -> None:
        """Count."""
        self.entries += count


class Memory(threading.Thread):
    """Watches the most memory that one Python worker of this process has."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._most = 0.0
        self._ended = threading.Event()

    def run(self) -> None:
        """Look, five times a second."""
        while not self._ended.wait(0.2):
            for each in _descendants(os.getpid()):
                self._most = max(self._most, _resident_mb(each))

    def stop(self) -> float:
        """Return the most that was seen."""
        self._ended.set()
        self.join()
        return self._most


def _descendants(process: int) -> list[int]:
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found: list[int] = []
    below = {process}
    while below:
        below = {each for each, parent in parents.items() if parent in below}
        found += below
    return found


def _resident_mb(process: int) -> float:
    """Return the resident memory of a stage's worker; 0 for any other process."""
    try:
        if "stage" not in Path(f"/proc/{process}/comm").read_text():
            return 0.0
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    main()
