"""The driver's metrics beside those of the real TopologyTestDriver, name by name."""

from __future__ import annotations

import re
from typing import Any

import pytest

from compat_tests import ROOT
from compat_tests.testing.golden_metrics import (
    Place,
    differences,
    kafkas,
    ours,
    scenario,
    scenarios,
)

DOCUMENT = ROOT / "docs" / "metrics.md"

STATE = "stream-state-metrics"

NOT_HERE = {
    "kafka-metrics-count": r"count",
    "stream-task-metrics": r"active-process-ratio|enforced-processing-(rate|total)|restore-.*",
    "stream-processor-node-metrics": r"window-aggregate-final-emit-.*",
    STATE: r"(?!(put|get|delete|range|all|prefix-scan|fetch|remove|flush|commit|restore)-"
    r"|put-|num-open|iterator-|suppression-).*",
}
"""What Kafka has and we have not, by group; docs/metrics.md says why."""

UNEQUAL = {
    "stream-record-cache-metrics": r"hit-ratio-.*",
    "stream-task-metrics": r"cache-size-bytes-total",
}
"""What both have and count in their own way; docs/metrics.md says how."""

OWN = {
    "stream-processor-node-metrics": r"late-record-drop-.*|record-lateness-.*|suppression-emit-.*"
    r"|intermediate-result-suppression-.*|suppression-mem-buffer-evict-.*",
    "stream-buffer-metrics": r"suppression-buffer-(size|count)-(current|avg|max)",
    "stream-.*-state-metrics": r"expired-window-record-drop-(rate|total)",
}
"""What only KIP-328 has; its thread is called client-id."""

OURS = {
    "stream-processor-node-metrics": r"dropped-records-by-reason-total|dead-letter-records-total",
}
"""What only millstream has."""

ODD = {
    # Kafka's test driver looks at the clock of a record that it has skipped.
    "dropped": {"record-lateness-avg", "record-lateness-max"},
    # Subscriptions are kept in another way here.
    "join-foreign-key": {"get-rate", "put-rate", "delete-rate"},
    # One look at the store finds the windows on both sides.
    "window-sliding": {"fetch-rate"},
    # Of two sinks of one topic the last has the ages of both.
    "silent": {f"record-e2e-latency-{stat}" for stat in ("avg", "min", "max")},
}

ABSENT = {
    # The shared store of an outer join, which is a store of our own.
    ("join-stream-left", "KSTREAM-OUTERSHARED-0000000004-store"),
    # A global store's cache belongs to no task in Kafka, and is called after its task.
    ("global-table", "1_-1-gs"),
    ("global-table", ""),
}


@pytest.mark.parametrize("name", scenarios())
def test_metrics_are_kafkas_and_those_of_the_kip(name: str) -> None:
    scene = scenario(name)
    wrong = [found for found in differences(kafkas(scene), ours(scene)) if not _known(name, *found)]
    assert wrong == []


def test_every_metric_that_is_not_here_is_documented() -> None:
    text = DOCUMENT.read_text()
    for name in scenarios():
        for (group, _), metrics in kafkas(scenario(name)).items():
            for metric in metrics:
                if re.fullmatch(NOT_HERE.get(group, "$"), metric):
                    assert _documented(text, metric), metric


def _known(scene: str, place: Place, metric: str, theirs: Any, own: Any) -> bool:
    group, tags = place
    values = set(dict(tags).values())
    if scene == "global-table" and group in UNEQUAL:
        return True
    if theirs == "missing" and "reason" in dict(tags):
        return _in(OURS, group, metric)
    if theirs == "missing":
        return "client-id" in dict(tags) and _in(OWN, group, metric)
    if own == "missing":
        return _in(NOT_HERE, group, metric) or any((scene, value) in ABSENT for value in values)
    return _in(UNEQUAL, group, metric) or metric in ODD.get(scene, ())


def _in(table: dict[str, str], group: str, metric: str) -> bool:
    return any(re.fullmatch(g, group) and re.fullmatch(m, metric) for g, m in table.items())


def _documented(text: str, metric: str) -> bool:
    stem = re.sub(r"-(avg|max|min|rate|total)$", "", metric)
    return f"`{metric}`" in text or f"`{stem}-" in text or f"`{stem}`" in text
