"""Families of metrics that share a sensor: Kafka's, and those of KIP-328."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from millstream.core.metrics.names import RecordingLevel
from millstream.core.metrics.stats import (
    Avg,
    CumulativeCount,
    CumulativeSum,
    Max,
    Min,
    Stat,
    Value,
    count_rate,
)

Tags = tuple[tuple[str, str], ...]
Makers = Mapping[str, Callable[[], Stat]]

TASK = "stream-task-metrics"
NODE = "stream-processor-node-metrics"
TOPIC = "stream-topic-metrics"
STATE = "stream-state-metrics"
CACHE = "stream-record-cache-metrics"
THREAD = "stream-thread-metrics"
BUFFER = "stream-buffer-metrics"

INFO, DEBUG = RecordingLevel.INFO, RecordingLevel.DEBUG


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Sensors that differ in their tags only."""

    group: str
    level: RecordingLevel
    metrics: Makers


def _rate_and_total(name: str) -> Makers:
    return {f"{name}-rate": count_rate, f"{name}-total": CumulativeCount}


def _latency(name: str) -> Makers:
    return {f"{name}-latency-avg": Avg, f"{name}-latency-max": Max}


def _average(name: str) -> Makers:
    return {f"{name}-avg": Avg, f"{name}-max": Max}


def _timed(name: str) -> Makers:
    return {**_latency(name), **_rate_and_total(name)}


_E2E: Makers = {**_average("record-e2e-latency"), "record-e2e-latency-min": Min}
_HITS: Makers = {**_average("hit-ratio"), "hit-ratio-min": Min}


def _current(name: str) -> Makers:
    return {f"{name}-current": Value, **_average(name)}


_OVERTIME: Makers = {
    "intermediate-result-suppression-overtime-avg": Avg,
    "intermediate-result-suppression-overtime-min": Min,
}
_ROWS: tuple[tuple[str, str, RecordingLevel, Makers], ...] = (
    ("task-process", TASK, DEBUG, _timed("process")),
    ("task-punctuate", TASK, DEBUG, _timed("punctuate")),
    ("dropped-records", TASK, INFO, _rate_and_total("dropped-records")),
    ("drop-reason", NODE, INFO, {"dropped-records-by-reason-total": CumulativeSum}),
    ("dead-letters", NODE, INFO, {"dead-letter-records-total": CumulativeSum}),
    ("poisoned-records", TASK, INFO, {"poisoned-records-total": CumulativeSum}),
    ("record-lateness", TASK, DEBUG, _average("record-lateness")),
    ("active-buffer-count", TASK, DEBUG, {"active-buffer-count": Value}),
    ("cache-size", TASK, DEBUG, {"cache-size-bytes-total": Value}),
    ("global-process", TASK, DEBUG, _rate_and_total("process")),
    ("thread-process", THREAD, INFO, _timed("process")),
    ("thread-punctuate", THREAD, INFO, _timed("punctuate")),
    ("thread-commit", THREAD, INFO, _timed("commit")),
    ("task-created", THREAD, INFO, _rate_and_total("task-created")),
    ("task-closed", THREAD, INFO, _rate_and_total("task-closed")),
    ("node-process", NODE, DEBUG, _rate_and_total("process")),
    ("record-e2e-latency", NODE, INFO, _E2E),
    ("suppression-emit", NODE, DEBUG, _rate_and_total("suppression-emit")),
    ("records-consumed", TOPIC, INFO, {"records-consumed-total": CumulativeSum}),
    ("bytes-consumed", TOPIC, INFO, {"bytes-consumed-total": CumulativeSum}),
    ("records-produced", TOPIC, INFO, {"records-produced-total": CumulativeSum}),
    ("bytes-produced", TOPIC, INFO, {"bytes-produced-total": CumulativeSum}),
    ("hit-ratio", CACHE, DEBUG, _HITS),
    ("open-iterators", STATE, INFO, {"num-open-iterators": CumulativeSum}),
    ("iterator-duration", STATE, DEBUG, _average("iterator-duration")),
    ("buffer-size", STATE, DEBUG, _average("suppression-buffer-size")),
    ("buffer-count", STATE, DEBUG, _average("suppression-buffer-count")),
    ("kip-lateness", NODE, DEBUG, _average("record-lateness")),
    ("kip-late", NODE, INFO, _rate_and_total("late-record-drop")),
    ("kip-emit", NODE, DEBUG, _rate_and_total("suppression-emit")),
    ("kip-suppressed", NODE, DEBUG, _rate_and_total("intermediate-result-suppression")),
    ("kip-evicted", NODE, DEBUG, _rate_and_total("suppression-mem-buffer-evict")),
    ("kip-overtime", NODE, INFO, _OVERTIME),
    ("kip-buffer-size", BUFFER, DEBUG, _current("suppression-buffer-size")),
    ("kip-buffer-count", BUFFER, DEBUG, _current("suppression-buffer-count")),
)
_FAMILIES = {
    name: Family(group=group, level=level, metrics=metrics) for name, group, level, metrics in _ROWS
}


@cache
def family(name: str) -> Family:
    """Return the family of that name; ``store:`` and ``kip-expired:`` are followed by a part."""
    kind, _, part = name.partition(":")
    if kind == "store":
        metrics = {f"{part}-rate": count_rate, **_latency(part)}
        return Family(group=STATE, level=DEBUG, metrics=metrics)
    if kind == "kip-expired":
        metrics = dict(_rate_and_total("expired-window-record-drop"))
        return Family(group=f"stream-{part}-state-metrics", level=INFO, metrics=metrics)
    return _FAMILIES[name]
