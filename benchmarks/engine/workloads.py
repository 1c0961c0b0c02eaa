"""The measured topologies, and their records."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.engine.formats import FORMATS
from benchmarks.vs_kafka_streams.workloads import (
    DEDUPLICATION_MS,
    FEW_FOREIGN_KEYS,
    FIRST_TIMESTAMP_MS,
    GRACE_MS,
    JOIN_DIFFERENCE_MS,
    KEYS,
    SESSION_GAP_MS,
    WINDOW_SIZE_MS,
)
from millstream import (
    BuiltInDslStoreSuppliers,
    Consumed,
    Grouped,
    Joined,
    JoinWindows,
    KeyValue,
    Materialized,
    Produced,
    Serdes,
    SessionWindows,
    SlidingWindows,
    StreamJoined,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    Topology,
)

LEFT, RIGHT, OUT = "left", "right", "out"
SLIDING_DIFFERENCE_MS = 5_000

_TEXT = Serdes.String()
_COUNT = Serdes.Long()
_NO_CACHE = {"statestore.cache.max.bytes": 0}
_MEMORY = {"dsl.store.suppliers.class": BuiltInDslStoreSuppliers.InMemoryDslStoreSuppliers}


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A topology and how its records come."""

    build: Callable[[], Topology]
    configs: Mapping[str, Any] = field(default_factory=dict)
    right_every: int = 0
    """One record of so many goes to the topic on the right; 0: all go to the left."""
    value: Callable[[int, bytes], bytes] | None = None
    """Makes a value of a record's number and key; plain JSON without."""
    floor: str = "dict"

    def records(self, count: int) -> list[tuple[str, bytes, bytes, int]]:
        """Return topic, key, value and timestamp of that many records, always the same."""
        rng = random.Random(0)
        made = []
        for number in range(count):
            on_right = self.right_every > 0 and number % self.right_every == 0
            key = b"k%d" % rng.randrange(KEYS)
            if on_right and self.value is not None:
                key = b"f%d" % rng.randrange(FEW_FOREIGN_KEYS)
            value = (self.value or _json)(number, key)
            made.append((RIGHT if on_right else LEFT, key, value, FIRST_TIMESTAMP_MS + number))
        return made


def _json(number: int, key: bytes) -> bytes:
    return b'{"user":"%s","n":%d,"amount":%d}' % (key, number, number % 1000)


def _foreign(number: int, key: bytes) -> bytes:
    return b"f%d|%d" % (int(key[1:]) % FEW_FOREIGN_KEYS, number)


def _read(builder: StreamsBuilder, topic: str = LEFT) -> Any:
    return builder.stream(topic, Consumed.with_(_TEXT, _TEXT))


def _table(builder: StreamsBuilder, topic: str) -> Any:
    return builder.table(topic, Consumed.with_(_TEXT, _TEXT))


def _grouped(builder: StreamsBuilder) -> Any:
    return _read(builder).groupByKey(Grouped.with_(_TEXT, _TEXT))


def _write_windows(table: Any) -> None:
    table.toStream().map(lambda key, count: KeyValue.pair(key.key(), count)).to(
        OUT, Produced.with_(_TEXT, _COUNT)
    )


def _counted() -> Any:
    return Materialized.with_(_TEXT, _COUNT)


def _chain() -> Topology:
    builder = StreamsBuilder()
    kept = _read(builder).filter(lambda key, value: value is not None)
    upper = kept.mapValues(lambda value: value.upper())
    upper.map(lambda key, value: (key, value)).to(OUT, Produced.with_(_TEXT, _TEXT))
    return builder.build()


def _count() -> Topology:
    builder = StreamsBuilder()
    table = _grouped(builder).count(_counted())
    table.toStream().to(OUT, Produced.with_(_TEXT, _COUNT))
    return builder.build()


def _window_count() -> Topology:
    builder = StreamsBuilder()
    windows = TimeWindows.ofSizeAndGrace(WINDOW_SIZE_MS, GRACE_MS)
    _write_windows(_grouped(builder).windowedBy(windows).count(_counted()))
    return builder.build()


def _suppress_final() -> Topology:
    builder = StreamsBuilder()
    windows = TimeWindows.ofSizeAndGrace(WINDOW_SIZE_MS, GRACE_MS)
    table = _grouped(builder).windowedBy(windows).count(_counted())
    final = Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded())
    _write_windows(table.suppress(final))
    return builder.build()


def _deduplicate() -> Topology:
    builder = StreamsBuilder()
    first = _read(builder).deduplicateByKey(DEDUPLICATION_MS)
    first.to(OUT, Produced.with_(_TEXT, _TEXT))
    return builder.build()


def _session_count() -> Topology:
    builder = StreamsBuilder()
    windows = SessionWindows.ofInactivityGapAndGrace(SESSION_GAP_MS, GRACE_MS)
    _write_windows(_grouped(builder).windowedBy(windows).count(_counted()))
    return builder.build()


def _sliding_count() -> Topology:
    builder = StreamsBuilder()
    windows = SlidingWindows.ofTimeDifferenceAndGrace(SLIDING_DIFFERENCE_MS, GRACE_MS)
    _write_windows(_grouped(builder).windowedBy(windows).count(_counted()))
    return builder.build()


def _stream_stream() -> Topology:
    builder = StreamsBuilder()
    windows = JoinWindows.ofTimeDifferenceAndGrace(JOIN_DIFFERENCE_MS, GRACE_MS)
    left, right = _read(builder, LEFT), _read(builder, RIGHT)
    joined = left.join(right, _both, windows, StreamJoined.with_(_TEXT, _TEXT, _TEXT))
    joined.to(OUT, Produced.with_(_TEXT, _TEXT))
    return builder.build()


def _stream_table() -> Topology:
    builder = StreamsBuilder()
    table = _table(builder, RIGHT)
    joined = _read(builder).join(table, _both, Joined.with_(_TEXT, _TEXT, _TEXT))
    joined.to(OUT, Produced.with_(_TEXT, _TEXT))
    return builder.build()


def _table_table() -> Topology:
    builder = StreamsBuilder()
    joined = _table(builder, LEFT).join(_table(builder, RIGHT), _both)
    joined.toStream().to(OUT, Produced.with_(_TEXT, _TEXT))
    return builder.build()


def _foreign_key() -> Topology:
    builder = StreamsBuilder()
    left, right = _table(builder, LEFT), _table(builder, RIGHT)
    joined = left.join(
        right, lambda value: value.split("|")[0], _both, Materialized.with_(_TEXT, _TEXT)
    )
    joined.toStream().to(OUT, Produced.with_(_TEXT, _TEXT))
    return builder.build()


def _both(left: str, right: str) -> str:
    return left + right


def _rocksdb(build: Callable[[], Topology], *, cached: bool = True) -> Workload:
    return Workload(build=build, configs={} if cached else _NO_CACHE, floor="rocksdict")


WORKLOADS: dict[str, Workload] = {
    "chain": Workload(build=_chain),
    "count": Workload(build=_count, configs=_MEMORY),
    "count-no-cache": Workload(build=_count, configs=_MEMORY | _NO_CACHE),
    "count-rocksdb": _rocksdb(_count),
    "window-count": Workload(build=_window_count, configs=_MEMORY),
    "window-count-no-cache": Workload(build=_window_count, configs=_MEMORY | _NO_CACHE),
    "window-count-rocksdb": _rocksdb(_window_count),
    "window-count-rocksdb-no-cache": _rocksdb(_window_count, cached=False),
    "session-count": Workload(build=_session_count, configs=_MEMORY),
    "session-count-rocksdb": _rocksdb(_session_count),
    "session-count-rocksdb-no-cache": _rocksdb(_session_count, cached=False),
    "suppress-final": Workload(build=_suppress_final, configs=_MEMORY),
    "suppress-final-rocksdb": _rocksdb(_suppress_final),
    "dedup": Workload(build=_deduplicate, configs=_MEMORY),
    "dedup-rocksdb": _rocksdb(_deduplicate),
    "sliding-count": Workload(build=_sliding_count, configs=_MEMORY),
    "stream-stream-join": Workload(build=_stream_stream, configs=_MEMORY, right_every=2),
    "stream-stream-join-rocksdb": Workload(build=_stream_stream, right_every=2, floor="rocksdict"),
    "stream-table-join": Workload(build=_stream_table, configs=_MEMORY, right_every=10),
    "table-table-join": Workload(build=_table_table, configs=_MEMORY, right_every=2),
    "table-table-join-rocksdb": Workload(build=_table_table, right_every=2, floor="rocksdict"),
    "foreign-key-join": Workload(
        build=_foreign_key, configs=_MEMORY, right_every=10, value=_foreign
    ),
    "foreign-key-join-rocksdb": Workload(
        build=_foreign_key, right_every=10, value=_foreign, floor="rocksdict"
    ),
    **{
        f"{work}-of-{name}": Workload(
            build=getattr(each, work), configs=_MEMORY | _NO_CACHE, value=each.value
        )
        for work in ("count", "aggregate")
        for name, each in FORMATS.items()
    },
}
