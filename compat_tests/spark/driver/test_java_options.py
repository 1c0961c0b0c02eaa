"""Java's collector and compiler are chosen for batches, unless the user has chosen."""

from __future__ import annotations

import subprocess

import pytest

from millstream.topology.spark.driver.java_options import (
    BEHIND_TASKS,
    CLASSES,
    COLLECTOR,
    COMPILER,
    with_java_options,
)

OPTIONS = "spark.driver.extraJavaOptions"


EXECUTORS = "spark.executor.extraJavaOptions"


def chosen(given: str = "", **environment: str) -> list[str]:
    found = with_java_options({OPTIONS: given} if given else {}, environment)
    return found.get(OPTIONS, "").split()


def test_a_launched_jvm_has_a_collector_and_a_compiler_for_batches() -> None:
    assert chosen() == [COLLECTOR, *COMPILER, CLASSES]
    assert chosen("-Da=b") == [COLLECTOR, *COMPILER, CLASSES, "-Da=b"]


@pytest.mark.parametrize("given", ["-XX:+UseG1GC", "-Da=b -XX:+UseZGC", "-XX:Flags=file"])
def test_another_collector_stays_the_only_one(given: str) -> None:
    assert COLLECTOR not in chosen(given)
    assert COLLECTOR not in chosen(JAVA_TOOL_OPTIONS=given)
    settings = {"spark.driver.defaultJavaOptions": given}
    assert COLLECTOR not in with_java_options(settings, {}).get(OPTIONS, "")


@pytest.mark.parametrize(
    "given",
    ["-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation", "-XX:Tier4CompileThreshold=1", "-Xint"],
)
def test_thresholds_are_left_to_who_has_set_any(given: str) -> None:
    assert chosen(given) == [COLLECTOR, CLASSES, given]


def test_nothing_is_added_where_all_are_chosen() -> None:
    assert chosen("-XX:+UseSerialGC -Xcomp -XX:MetaspaceSize=9m") == [
        "-XX:+UseSerialGC",
        "-Xcomp",
        "-XX:MetaspaceSize=9m",
    ]


@pytest.mark.parametrize("master", ["local[2]", "local-cluster[2,1,1024]", "spark://one:7077"])
def test_executors_that_start_here_have_them_too(master: str) -> None:
    found = with_java_options({"spark.master": master, EXECUTORS: "-XX:+UseSerialGC"}, {})
    every = " ".join([*COMPILER, CLASSES, *BEHIND_TASKS])
    added = every + " " if master.startswith("local-cluster") else ""
    assert found[EXECUTORS] == f"{added}-XX:+UseSerialGC"


@pytest.mark.parametrize("given", ["-XX:ThreadPriorityPolicy=0", "-XX:+UseThreadPriorities"])
def test_priorities_are_left_to_who_has_set_any(given: str) -> None:
    found = with_java_options({"spark.master": "local-cluster[1,1,1024]", EXECUTORS: given}, {})
    assert not set(BEHIND_TASKS) & set(found[EXECUTORS].split())


def test_java_knows_the_options_of_executors() -> None:
    # What Java does not know is an error at its start.
    options = [COLLECTOR, *COMPILER, CLASSES, *BEHIND_TASKS]
    subprocess.run(["java", *options, "-version"], check=True, capture_output=True)
