"""Snapshots of the live page, from recorded facts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from compat_tests.page.support import counted
from millstream.core.errors import StreamsException
from millstream.core.metrics import MetricName
from millstream.core.processor import TaskId
from millstream.page.batches import KEPT, BatchHistory, parts_of
from millstream.page.errors import KEPT as ERRORS
from millstream.page.errors import LastErrors
from millstream.page.facts import PageFacts
from millstream.page.places import local_cores
from millstream.page.readings import Rates, Readings
from millstream.page.snapshot import Snapshots
from millstream.topology.spark.compile import compile_plan
from millstream.topology.spark.placement.facts import Executor, Move, Standby, TaskPlace

PLAN = counted().plan()
LAYOUT = compile_plan(PLAN, "app", {"lines": 2, "counted": 1})
BY_REASON = "dropped-records-by-reason-total"
PROGRESS: dict[str, Any] = {
    "batchId": 7,
    "timestamp": "2026-11-23T12:00:00.250Z",
    "numInputRows": 400,
    "durationMs": {
        "addBatch": 3000,
        "commitOffsets": 15,
        "getBatch": 0,
        "latestOffset": 10,
        "queryPlanning": 500,
        "triggerExecution": 3600,
        "walCommit": 55,
    },
    "sources": [
        {
            "description": "KafkaV2[Subscribe[lines]]",
            "startOffset": {"lines": {"0": 10, "1": 0}},
            "endOffset": {"lines": {"0": 30, "1": 5}},
            "latestOffset": {"lines": {"0": 42, "1": 5}},
            "numInputRows": 25,
        }
    ],
    "stateOperators": [
        {"allUpdatesTimeMs": 2000, "commitTimeMs": 100, "numShufflePartitions": 2},
        {"allUpdatesTimeMs": 900, "commitTimeMs": 100, "numShufflePartitions": 2},
    ],
}


def values(consumed: float = 20, **more: float) -> dict[MetricName, Any]:
    task = ("task-id", "0_0")
    at_w = (task, ("processor-node-id", "W"))
    source = (task, ("processor-node-id", "KSTREAM-SOURCE-0000000000"), ("topic", "lines"))
    found = {
        MetricName("records-consumed-total", "stream-topic-metrics", source): consumed,
        MetricName("dropped-records-total", "stream-task-metrics", (task,)): 5.0,
        MetricName(BY_REASON, "g", (*at_w, ("reason", "expired window"))): 2.0,
        MetricName(BY_REASON, "g", (*at_w, ("reason", "failed"))): 1.0,
        MetricName("dead-letter-records-total", "g", (*at_w, ("reason", "failed"))): 1.0,
        MetricName(
            "late-record-drop-total", "g", (("client-id", "t"), task, ("processor-node-id", "W"))
        ): 2.0,
        MetricName("record-e2e-latency-min", "g", source[:2]): 1500.0,
        MetricName("record-e2e-latency-min", "g", (("task-id", "0_1"), source[1])): float("nan"),
    }
    return found | {MetricName(name, "g", (task,)): value for name, value in more.items()}


def facts(
    at_ms: int = 1000, found: Mapping[MetricName, Any] | None = None, **more: Any
) -> PageFacts:
    readings = Readings(values() if found is None else found)
    usual = {"state": "RUNNING", "layout": LAYOUT, "last": PROGRESS, "master": "local[2]"}
    return PageFacts(at_ms=at_ms, id="app", plan=PLAN, readings=readings, **{**usual, **more})


def test_lag_is_by_topic_task_and_in_all() -> None:
    found = Snapshots().of(facts())
    assert found["totals"]["lag"] == 12
    assert found["topics"]["lines"]["lag"] == 12
    assert found["topics"]["counted"]["lag"] is None
    assert found["topics"]["app-counts-repartition"]["lag"] == 0
    lags = {task["id"]: task["lag"] for task in found["tasks"]}
    assert lags == {"0_0": 12, "0_1": 0, "1_0": 0, "1_1": 0}


def test_nothing_is_zero_before_the_first_batch() -> None:
    found = Snapshots().of(facts(found={}, last=None))
    assert found["totals"]["lag"] is None
    assert found["totals"]["records_per_s"] is None
    assert {row["lag"] for row in found["topics"].values()} == {None}
    assert {task["lag"] for task in found["tasks"]} == {None}
    assert found["work"]["kind"] == "start"


def test_rates_come_from_two_looks() -> None:
    snapshots = Snapshots()
    assert snapshots.of(facts())["topics"]["lines"]["consumed_per_s"] is None
    found = snapshots.of(facts(3000, values(80)))
    assert found["topics"]["lines"]["consumed_per_s"] == 30.0
    assert found["nodes"]["KSTREAM-SOURCE-0000000000"] == {"records_per_s": 30.0, "records": 80}
    assert found["totals"]["records_per_s"] == 30.0
    assert found["topics"]["lines"]["delay_ms"] == 1500


def test_losses_have_their_reason() -> None:
    found = Snapshots().of(facts())
    assert [(row["reason"], row["total"], row["node"]) for row in found["dropped"]] == [
        ("expired window", 2, "W"),
        ("other", 2, None),
        ("failed", 1, "W"),
        ("dead letter: failed", 1, "W"),
    ]
    totals = found["totals"]
    assert (totals["dropped"], totals["late"], totals["dead_lettered"]) == (5, 2, 1)


def test_the_parts_of_a_batch_give_its_time() -> None:
    parts = {part["name"]: part["ms"] for part in parts_of(PROGRESS)}
    assert parts == {
        "read": 10,
        "plan": 500,
        "stage 0": 500,
        "stage 1": 1050,
        "commit": 70,
        "other": 1470,
    }
    assert sum(parts.values()) == 3600


def test_what_workers_measure_are_parts_of_a_batch() -> None:
    times = {"pack": 400.0, "sink": 300.0}
    parts = {part["name"]: part["ms"] for part in parts_of(PROGRESS, times)}
    assert (parts["pack"], parts["stage 1"], parts["sink"]) == (400, 1050, 300)
    assert list(parts) == ["read", "plan", "pack", "stage 0", "stage 1", "sink", "commit", "other"]
    assert sum(parts.values()) == 3600
    # Tasks that waited for a core say more than the batch took.
    slow = {part["name"]: part["ms"] for part in parts_of(PROGRESS, {"pack": 4450.0})}
    assert (slow["pack"], slow["stage 0"], slow["stage 1"]) == (2225, 250, 525)


def test_what_the_jvm_measures_of_packing_is_part_of_a_batch() -> None:
    sources = [{"metrics": {"millstreamRecords": "5", "millstreamReadMs": "450.4"}}]
    parts = {part["name"]: part["ms"] for part in parts_of({**PROGRESS, "sources": sources})}
    assert parts["pack"] == 450
    both = parts_of({**PROGRESS, "sources": sources}, {"pack": 500.0})
    assert {part["name"]: part["ms"] for part in both}["pack"] == 500


@pytest.mark.parametrize("broken", [{}, {"durationMs": None}, {"stateOperators": [{}]}])
def test_a_report_that_lacks_parts_is_taken(broken: dict[str, Any]) -> None:
    assert sum(part["ms"] for part in parts_of({"batchId": 1, **broken})) == 0


def test_the_last_batches_are_kept_and_repeated_ones_once() -> None:
    history = BatchHistory()
    history.add({**PROGRESS, "batchId": number} for number in range(KEPT + 5))
    history.add([{**PROGRESS, "batchId": KEPT + 4}, {"batchId": 99, "durationMs": {}}])
    rows = history.rows()
    assert [row["id"] for row in rows] == list(range(5, KEPT + 5))
    assert rows[0]["started"] == 1795435200250
    assert rows[0]["records"] == 25


def test_tasks_tell_where_they_are_and_were() -> None:
    move = Move(source="1", target="2", batch=3, at_ms=99, reason="1 was lost")
    copy = Standby(executor="1", running=True, lag=0)
    place = TaskPlace(task=TaskId(0, 0), executor="2", wanted="2", moved=move, standbys=(copy,))
    executors = [Executor(id="1", host="a"), Executor(id="2", host="b", cores=4)]
    found = Snapshots().of(facts(places=[place], executors=executors))
    assert found["tasks"][0]["previous"] == {"executor": "1", "at": 99, "why": "1 was lost"}
    assert (found["tasks"][0]["host"], found["tasks"][0]["standbys"]) == ("b", ["1"])
    assert found["tasks"][1]["executor"] is None
    assert found["executors"] == [
        {"id": "1", "host": "a", "cores": 1, "tasks": 0, "standbys": 1},
        {"id": "2", "host": "b", "cores": 4, "tasks": 1, "standbys": 0},
    ]


def test_work_tells_how_far_it_is() -> None:
    replay = Snapshots().of(facts(replay=(5, 20)))["work"]
    assert (replay["kind"], replay["done"], replay["of"]) == ("replay", 5, 20)
    restore = Snapshots().of(facts(state="REBALANCING", moving="the savepoint file:/s"))["work"]
    assert (restore["kind"], restore["of"]) == ("restore", None)
    assert restore["what"] == "Bringing the state of the savepoint file:/s into the checkpoint"
    assert Snapshots().of(facts())["work"] is None


@pytest.mark.parametrize(
    ("master", "cores"),
    [("local", 1), ("local[3]", 3), ("local[3,2]", 3), ("spark://h:7077", None), (None, None)],
)
def test_cores_of_the_local_master(master: str | None, cores: int | None) -> None:
    assert local_cores(master) == cores


def test_errors_tell_their_place() -> None:
    kept = LastErrors()
    for number in range(ERRORS + 1):
        kept.add(ValueError(f"error {number}"), number)
    kept.add(
        StreamsException(
            'processing failed in operator "M"',
            detail="Task 1_0, my-in-3 at offset 17, event time 5 ms; ValueError: no",
            hint="Skip it.",
        ),
        9,
    )
    rows = kept.rows()
    assert len(rows) == ERRORS
    assert [row["message"] for row in rows[1:3]] == ["error 20", "error 19"]
    place = {key: rows[0][key] for key in ("operator", "task", "topic", "partition", "offset")}
    assert place == {"operator": "M", "task": "1_0", "topic": "my-in", "partition": 3, "offset": 17}
    assert rows[1]["topic"] is None
    json.dumps(rows)


def test_a_clock_that_was_set_back_gives_no_wrong_rates() -> None:
    rates = Rates()
    rates.note(1000, {"a": 1})
    rates.note(500, {"a": 2})
    assert rates.per_s("a") is None
    rates.note(1500, {"a": 4})
    assert rates.per_s("a") == 2.0
    assert rates.per_s("b") is None
