"""The benchmarks: their command lines and what they print; how fast anything is, is not tested."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from compat_tests import ROOT

MEASURED = {"rps", "cpu_rps", "outputs"}
REFUSED = 2

REPORTED = """
from benchmarks.vs_kafka_streams.report import print_summary
from benchmarks.vs_kafka_streams.rounds import Drain
from benchmarks.vs_kafka_streams.workloads import Input, Job

job = Job(
    workload="count",
    guarantee="at_least_once",
    cache_bytes=4096,
    bootstrap_servers="nowhere:0",
    inputs=(Input(topic="in", warm_up_ends=(0, 0), end_offsets=(500, 500)),),
    timeout_s=1.0,
)


def drain(records):
    return Drain(records=records, seconds=1.0, output_topic="out")


rounds = [
    {"millstream": drain(ours), "kafka_streams": drain(theirs)}
    for ours, theirs in [(200, 100), (100, 100), (150, 300)]
]
print_summary(job, 1000, rounds, as_json=True)
"""


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    # The folder is no package of an installation: it is found from the root of the repository.
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def engine(*arguments: str) -> str:
    ended = python("-m", "benchmarks.engine", *arguments)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def measured(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(engine(*arguments, "--rounds", "1", "--json"))
    return found


def test_the_engine_benchmark_measures_every_workload() -> None:
    found = measured("--records", "400", "--batch", "200", "--driver-times", "2")

    assert (found["records"], found["batch"]) == (400, 200)
    assert {
        "chain",
        "count",
        "count-no-cache",
        "window-count",
        "window-count-rocksdb",
        "session-count",
        "suppress-final",
        "dedup",
        "sliding-count",
        "stream-stream-join",
        "stream-table-join",
        "table-table-join",
        "foreign-key-join",
    } <= set(found["workloads"])
    assert set(found["floors"]) == {"dict", "rocksdict"}
    assert found["driver_ms"] > 0
    for row in found["floors"].values():
        assert set(row) == MEASURED
        assert row["outputs"] > 0
    for row in found["workloads"].values():
        assert set(row) == MEASURED | {"floor", "ratio"}
        assert row["floor"] in found["floors"]
        assert min(row["rps"], row["cpu_rps"], row["ratio"]) > 0
    silent = {name for name, row in found["workloads"].items() if not row["outputs"]}
    # No window closes in less than half a second.
    assert silent == {"suppress-final", "suppress-final-rocksdb"}


def test_the_engine_does_the_work_of_its_floors() -> None:
    workloads = ("--workload", "count", "--workload", "window-count-rocksdb")

    found = measured(*workloads, "--records", "800", "--batch", "400")

    assert set(found["workloads"]) == {"count", "window-count-rocksdb"}
    assert found["driver_ms"] is None
    # With a cache, one result leaves per key, or key and window, and batch.
    for row in found["workloads"].values():
        assert row["outputs"] == found["floors"][row["floor"]]["outputs"]


def test_the_engine_benchmark_prints_a_table() -> None:
    printed = engine("--workload", "chain", "--workload", "driver", "--records", "1_000")

    header, floor, chain, driver = printed.splitlines()
    assert header.split() == ["records/s", "per", "CPU", "s", "outputs", "ratio", "to", "floor"]
    assert floor.startswith("floor: dict ")
    assert chain.split()[0] == "chain"
    assert chain.endswith(" dict")
    assert driver.startswith("TopologyTestDriver, a word count of 10 records: ")


@pytest.mark.parametrize(
    ("benchmark", "arguments", "complaint"),
    [
        ("engine", "--records 0", "argument --records: must be 1 or more"),
        ("engine", "--workload unheard-of", "argument --workload: invalid choice"),
        ("vs_kafka_streams", "", "the following arguments are required: --workload"),
        ("vs_kafka_streams", "--workload unheard-of", "argument --workload: invalid choice"),
        ("vs_kafka_streams", "--workload count --warm-up 0", "argument --warm-up: must be 1"),
    ],
)
def test_a_benchmark_refuses_what_it_cannot_do(
    benchmark: str, arguments: str, complaint: str
) -> None:
    ended = python("-m", f"benchmarks.{benchmark}", *arguments.split())

    assert ended.returncode == REFUSED
    assert complaint in ended.stderr


def test_the_benchmark_beside_kafka_reports_the_median_of_the_rounds_ratios() -> None:
    ended = python("-c", REPORTED)

    assert json.loads(ended.stdout) == {
        "workload": "count",
        "records": 1000,
        "guarantee": "at_least_once",
        "cache": 4096,
        "rounds": 3,
        "ratio": 1.0,
        "millstream_rps": 150,
        "kafka_streams_rps": 100,
    }


STORES = """
import json
from benchmarks.stores.report import missed_targets

slow = {"ours": 3.0, "peer": 1.0, "ratio": 3.0}
batch = {"restore_rate": 200_000, "batch_ms": 2.0, "worst_batch": 3.5}
small = {"restore_rate": 400_000, "batch_ms": 1.0, "worst_batch": 1.5}
found = [
    {"store": "memory", "keys": 10_000, "operations": {"get": slow}, "catch_up": small},
    {"store": "memory", "keys": 1_000_000, "operations": {}, "catch_up": batch},
]
print(json.dumps(missed_targets(found)))
"""


def test_the_benchmark_of_stores_measures_each_beside_its_peer() -> None:
    options = ["--keys", "2000", "--rounds", "1", "--batches", "3", "--json"]
    options += [f"--part={part}" for part in ("bytes", "kafka", "catch-up")]

    ended = python("-m", "benchmarks.stores", "--store", "memory", "--store", "lmdb", *options)

    assert ended.returncode == 0, ended.stderr
    rows = json.loads(ended.stdout)["rows"]
    assert [(row["store"], row["keys"]) for row in rows] == [("memory", 2000), ("lmdb", 2000)]
    for row in rows:
        kafka = {"window fetch", "session find", "versioned get"}
        assert set(row["operations"]) == {"get", "put", "scan", "fill"} | kafka
        for operation in ("get", "put", "scan"):
            assert set(row["operations"][operation]) == {"ours", "peer", "ratio"}
        assert row["catch_up"]["restored_entries"] >= 2000
        assert set(row["memory"]) == {"own", "mapped"}


def test_the_benchmark_of_stores_names_missed_targets() -> None:
    assert json.loads(python("-c", STORES).stdout) == [
        "memory at 10,000 keys: get takes 3.0x, not 2.0x, its peer",
        "memory at 1,000,000 keys: the changelog's share of a batch takes 3.5x the median",
        "memory at 1,000,000 keys: 200,000 entries restored a second",
        (
            "memory: the changelog's share of a batch depends on the state's size:"
            " 1.0 ms at 10,000, 2.0 ms at 1,000,000"
        ),
    ]


@pytest.mark.spark
@pytest.mark.long
def test_the_benchmark_of_stores_measures_whole_batches_on_spark() -> None:
    options = ["--store", "memory", "--keys", "1000", "--keys", "2000", "--batches", "5", "--json"]
    ended = python("-m", "benchmarks.stores", "--part", "spark", *options)
    assert ended.returncode == 0, ended.stderr
    rows = json.loads(ended.stdout)["rows"]
    assert [(row["keys"], set(row["spark"])) for row in rows] == [
        (keys, {"batch_ms", "worst_batch"}) for keys in (1000, 2000)
    ]


def test_the_spill_benchmark_gets_the_same_results_from_both_buffers() -> None:
    sizes = ("--keys", "300", "--updates", "2", "--windows", "2", "--batch", "100")
    ended = python("-m", "benchmarks.spill", *sizes, "--budget-mb", "0.02", "--json")

    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found["equal"] is True
    assert found["within_budget"] is True
    assert found["memory"]["outputs"] == found["spill"]["outputs"] > 300
    assert found["ratio"] > 0
