"""What is recorded at level DEBUG only is shown as not known below it, not as zero."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.page.support import counted
from millstream.core.metrics import MetricName
from millstream.page.facts import PageFacts
from millstream.page.readings import Readings
from millstream.page.snapshot import Snapshots

TASK = ("task-id", "1_0")
PLAN = counted().plan()
STORE = PLAN.subtopologies[1].stores[0].name
NODE = next(node.name for node in PLAN.subtopologies[1].nodes if "AGGREGATE" in node.name)
BUFFER = (("client-id", "t"), TASK, ("buffer-id", "held"))
VALUES = {
    MetricName("put-rate", "g", (TASK, ("rocksdb-state-id", STORE))): 0.0,
    MetricName("get-rate", "g", (TASK, ("rocksdb-state-id", STORE))): 0.0,
    MetricName("process-total", "g", (TASK, ("processor-node-id", NODE))): 0.0,
    MetricName("suppression-buffer-count-current", "g", BUFFER): 0.0,
    MetricName("suppression-buffer-size-current", "g", BUFFER): 0.0,
}


def snapshot(*, detailed: bool) -> dict[str, Any]:
    readings = Readings(VALUES)
    facts = PageFacts(
        at_ms=1000, id="app", state="RUNNING", plan=PLAN, readings=readings, detailed=detailed
    )
    return Snapshots().of(facts)


@pytest.mark.parametrize(("detailed", "expected"), [(False, None), (True, 0)])
def test_zeros_are_numbers_at_the_level_that_records_them(
    detailed: bool, expected: float | None
) -> None:
    found = snapshot(detailed=detailed)
    assert [row["puts_per_s"] for row in found["stores"]] == [expected]
    assert [row["gets_per_s"] for row in found["stores"]] == [expected]
    assert [(row["records"], row["bytes"]) for row in found["buffers"]] == [(expected, expected)]
    assert found["nodes"][NODE]["records"] == expected
