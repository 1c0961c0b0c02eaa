"""Workloads that count and aggregate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.vs_kafka_streams.topologies.serdes import (
    GROUPED,
    NUMBERS,
    READ,
    counts,
)
from benchmarks.vs_kafka_streams.workloads import (
    GRACE_MS,
    REPARTITION_NAME,
    SESSION_GAP_MS,
    SHORT_KEY_LENGTH,
    WINDOW_SIZE_MS,
)
from millstream import (
    EmitStrategy,
    KeyValue,
    KGroupedStream,
    KTable,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    Suppressed,
    TimeWindowedKStream,
    TimeWindows,
    Windowed,
)

_RIGHT = 1_000_000


def _count(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    _grouped(builder, sources[0]).count(counts()).toStream().to(output, NUMBERS)


def _repartition_count(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    short = builder.stream(sources[0], READ).selectKey(lambda key, _: key[:SHORT_KEY_LENGTH])
    table = short.groupByKey(GROUPED.withName(REPARTITION_NAME)).count(counts())
    table.toStream().to(output, NUMBERS)


def _window_count(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    _write(_windowed(builder, sources[0]).count(counts()), output)


def _suppress_final(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    final: Suppressed[Any] = Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded())
    _write(_windowed(builder, sources[0]).count(counts()).suppress(final), output)


def _emit_final(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    on_close = _windowed(builder, sources[0]).emitStrategy(EmitStrategy.onWindowClose())
    _write(on_close.count(counts()), output)


def _sliding_count(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    windows = SlidingWindows.ofTimeDifferenceAndGrace(WINDOW_SIZE_MS, GRACE_MS)
    _write(_grouped(builder, sources[0]).windowedBy(windows).count(counts()), output)


def _session_count(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    windows = SessionWindows.ofInactivityGapAndGrace(SESSION_GAP_MS, GRACE_MS)
    (
        _grouped(builder, sources[0])
        .windowedBy(windows)
        .count(counts())
        .toStream()
        .map(lambda at, n: KeyValue.pair(_session_name(at), n))
        .to(output, NUMBERS)
    )


def _cogroup(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    left, right = (_grouped(builder, source) for source in sources)
    (
        left.cogroup(_one_more)
        .cogroup(right, lambda _key, _value, total: total + _RIGHT)
        .aggregate(lambda: 0, counts())
        .toStream()
        .to(output, NUMBERS)
    )


def _one_more(_key: str, _value: str, total: int) -> int:
    return total + 1


def _grouped(builder: StreamsBuilder, source: str) -> KGroupedStream[str, str]:
    return builder.stream(source, READ).groupByKey(GROUPED)


def _windowed(builder: StreamsBuilder, source: str) -> TimeWindowedKStream[str, str]:
    windows = TimeWindows.ofSizeAndGrace(WINDOW_SIZE_MS, GRACE_MS)
    return _grouped(builder, source).windowedBy(windows)


def _write(table: KTable[Windowed[str], int], output: str) -> None:
    (
        table.toStream()
        .map(lambda at, n: KeyValue.pair(f"{at.key()}@{at.window().start()}", n))
        .to(output, NUMBERS)
    )


def _session_name(at: Windowed[str]) -> str:
    window = at.window()
    return f"{at.key()}@{window.start()}-{window.end()}"


BUILDERS: Mapping[str, Callable[[StreamsBuilder, Sequence[str], str], None]] = {
    "count": _count,
    "repartition-count": _repartition_count,
    "window-count": _window_count,
    "suppress-final": _suppress_final,
    "emit-final": _emit_final,
    "sliding-count": _sliding_count,
    "session-count": _session_count,
    "cogroup": _cogroup,
}
