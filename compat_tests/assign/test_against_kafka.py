"""The assignors beside Kafka Streams' own, on the clusters of the golden file."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from compat_tests.assign.golden import Case, cases, cluster, configs
from millstream import StickyTaskAssignor, TaskId
from millstream.topology.assign.cluster import Assignment
from millstream.topology.assign.high_availability import HighAvailability
from millstream.topology.assign.public import OfTaskAssignor

Named = dict[str, list[str]]
CASES = cases()


def of_kind(assignor: str, strategy: str) -> list[tuple[int, Case]]:
    return [
        (number, case)
        for number, case in enumerate(CASES)
        if (case["assignor"], case["configs"]["strategy"]) == (assignor, strategy)
    ]


def named(tasks: Mapping[str, tuple[TaskId, ...]]) -> Named:
    return {name: [str(task) for task in own] for name, own in tasks.items()}


def copies(found: Assignment) -> Named:
    every = {name: sorted((*own, *found.warmup[name])) for name, own in found.standby.items()}
    return named({name: tuple(own) for name, own in every.items()})


def test_there_are_cases_of_every_kind() -> None:
    counts = [
        len(of_kind("high-availability", "none")),
        len(of_kind("high-availability", "min_traffic")),
        len(of_kind("high-availability", "balance_subtopology")),
        len(of_kind("sticky", "none")),
    ]
    assert counts == [130, 20, 20, 50]


def test_high_availability_gives_what_kafka_gives() -> None:
    for number, case in of_kind("high-availability", "none"):
        found = HighAvailability().assign(cluster(case), configs(case))
        answer = {
            "active": named(found.active),
            "standby": copies(found),
            "followup": found.followup,
        }
        assert answer == case["expect"], f"case {number}"


def traffic(case: Case, active: Named, *, stateful: bool) -> int:
    """How many partitions are read across racks."""
    racks = {each["id"]: each["rack"] for each in case["instances"]}
    return sum(
        racks[name] not in replicas
        for name, tasks in active.items()
        for task in tasks
        if (task in case["stateful"]) is stateful
        for replicas in case["racks"][task]
    )


@pytest.mark.parametrize("strategy", ["min_traffic", "balance_subtopology"])
def test_no_more_is_read_across_racks_than_with_kafka(strategy: str) -> None:
    for number, case in of_kind("high-availability", strategy):
        theirs = case["expect"]["active"]
        ours = named(HighAvailability().assign(cluster(case), configs(case)).active)
        for stateful in (True, False):
            allowed = traffic(case, theirs, stateful=stateful)
            assert traffic(case, ours, stateful=stateful) <= allowed, f"case {number}"


def test_min_traffic_leaves_everyone_as_many_tasks_as_with_kafka() -> None:
    for number, case in of_kind("high-availability", "min_traffic"):
        theirs = {name: len(own) for name, own in case["expect"]["active"].items()}
        found = HighAvailability().assign(cluster(case), configs(case))
        assert {name: len(own) for name, own in found.active.items()} == theirs, f"case {number}"


def spread(case: Case, *sets: Named) -> float:
    """How far apart the loads of threads are."""
    loads: list[float] = [
        sum(len(tasks[each["id"]]) for tasks in sets) / each["threads"]
        for each in case["instances"]
    ]
    return max(loads) - min(loads)


def test_the_sticky_assignor_of_kafka_gives_the_active_tasks_that_kafkas_gives() -> None:
    for number, case in of_kind("sticky", "none"):
        found = OfTaskAssignor(StickyTaskAssignor()).assign(cluster(case), configs(case))
        assert named(found.active) == case["expect"]["active"], f"case {number}"


def test_the_sticky_assignor_of_kafka_gives_as_many_standbys_as_evenly_as_kafkas() -> None:
    # Kafka's order of tasks is that of a table of identity hashes here, another in each process.
    apart = [0.0, 0.0]
    for number, case in of_kind("sticky", "none"):
        found = OfTaskAssignor(StickyTaskAssignor()).assign(cluster(case), configs(case))
        theirs, ours = case["expect"]["standby"], named(found.standby)
        assert sum(map(len, ours.values())) == sum(map(len, theirs.values())), f"case {number}"
        active = case["expect"]["active"]
        apart[0] += spread(case, active, theirs)
        apart[1] += spread(case, active, ours)
    assert apart[1] <= 1.05 * apart[0]
