"""What the assignors do in small clusters, spelt out."""

from __future__ import annotations

import pytest

from compat_tests.assign.clusters import cluster, configs, instance, shown, tasks
from millstream import TaskId
from millstream.core.errors import TaskAssignmentException
from millstream.topology.assign.cluster import Cluster, Instance, moved
from millstream.topology.assign.high_availability import HighAvailability
from millstream.topology.assign.round_robin import RoundRobin
from millstream.topology.assign.sticky import Sticky

STICKY, HIGH, ROUND = Sticky(), HighAvailability(), RoundRobin()
FOUR = "0_0 0_1 0_2 0_3"


@pytest.mark.parametrize("assignor", [STICKY, HIGH, ROUND])
def test_a_new_cluster_gets_an_even_assignment(
    assignor: Sticky | HighAvailability | RoundRobin,
) -> None:
    found = assignor.assign(cluster(FOUR, instance("a"), instance("b")), configs())
    assert shown(found) == {"a": "0_0 0_2", "b": "0_1 0_3"}
    assert not found.followup


@pytest.mark.parametrize("assignor", [STICKY, HIGH, ROUND])
def test_threads_count(assignor: Sticky | HighAvailability | RoundRobin) -> None:
    found = assignor.assign(cluster(FOUR, instance("a", threads=3), instance("b")), configs())
    assert {name: len(own) for name, own in found.active.items()} == {"a": 3, "b": 1}


@pytest.mark.parametrize("assignor", [STICKY, HIGH, ROUND])
def test_a_cluster_without_instances_is_refused(
    assignor: Sticky | HighAvailability | RoundRobin,
) -> None:
    with pytest.raises(TaskAssignmentException, match="no instance can run the tasks"):
        assignor.assign(cluster(FOUR), configs())


def test_an_unknown_task_of_an_instance_is_ignored() -> None:
    start = cluster("0_0", instance("a", "7_7", "8_8"), instance("b"))
    assert shown(STICKY.assign(start, configs())) == {"a": "0_0", "b": ""}


def test_tasks_of_a_balanced_cluster_stay_wherever_they_are() -> None:
    start = cluster(FOUR, instance("a", "0_1 0_2"), instance("b", "0_0 0_3"))
    assert shown(STICKY.assign(start, configs())) == {"a": "0_1 0_2", "b": "0_0 0_3"}


def test_a_new_instance_learns_its_share_before_it_gets_it() -> None:
    start = cluster(FOUR, instance("a", FOUR), instance("b"))
    first = STICKY.assign(start, configs())
    assert shown(first) == {"a": FOUR, "b": "[0_2] [0_3]"}
    assert first.followup
    learning = cluster(FOUR, instance("a", FOUR), instance("b", "", "0_2 0_3", behind=10_001))
    assert shown(STICKY.assign(learning, configs())) == shown(first)
    learned = cluster(FOUR, instance("a", FOUR), instance("b", "", "0_2 0_3", behind=10_000))
    second = STICKY.assign(learned, configs())
    assert shown(second) == {"a": "0_0 0_1", "b": "0_2 0_3"}
    assert not second.followup
    assert sorted(moved(first.active, second)) == list(tasks("0_2 0_3"))


def test_a_task_without_state_moves_at_once() -> None:
    start = Cluster(
        instances=(instance("a", "0_0 0_1"), instance("b")),
        tasks=tasks("0_0 0_1"),
        stateful=frozenset(),
    )
    assert shown(STICKY.assign(start, configs())) == {"a": "0_0", "b": "0_1"}


def test_the_tasks_of_a_lost_instance_go_to_those_who_keep_copies() -> None:
    start = cluster(FOUR, instance("a", "0_0", "0_3"), instance("b", "0_1", "0_2"), instance("c"))
    found = STICKY.assign(start, configs())
    # One each is the capacity; what is left goes to the least loaded, then to a copy.
    assert shown(found) == {"a": "0_0 0_3", "b": "0_1", "c": "0_2"}


def test_stickiness_comes_before_balance() -> None:
    start = cluster("0_0 0_1 0_2", instance("a", "0_0 0_1"), instance("b", "0_2"))
    assert shown(STICKY.assign(start, configs())) == {"a": "0_0 0_1", "b": "0_2"}


def test_standbys_are_elsewhere_and_stay() -> None:
    first = STICKY.assign(cluster("0_0 0_1", instance("a"), instance("b")), configs(standbys=1))
    assert shown(first) == {"a": "0_0 (0_1)", "b": "0_1 (0_0)"}
    start = cluster(
        "0_0 0_1", instance("a", "0_0", "0_1"), instance("b", "0_1"), instance("c", "", "0_0")
    )
    found = STICKY.assign(start, configs(standbys=1))
    assert shown(found) == {"a": "0_0 (0_1)", "b": "0_1", "c": "(0_0)"}


def test_fewer_instances_than_copies_leave_copies_out() -> None:
    found = STICKY.assign(cluster("0_0", instance("a"), instance("b")), configs(standbys=5))
    assert shown(found) == {"a": "0_0", "b": "(0_0)"}


def test_no_copy_is_begun_while_its_task_is_being_learned() -> None:
    start = cluster("0_0 0_1", instance("a", "0_0 0_1"), instance("b", "", "0_0"), instance("c"))
    first = STICKY.assign(start, configs(standbys=1))
    assert shown(first) == {"a": "0_0 0_1", "b": "(0_0) [0_1]", "c": ""}


def test_standbys_differ_in_their_tags() -> None:
    start = cluster(
        "0_0",
        instance("a", zone="east"),
        instance("b", zone="east"),
        instance("c", zone="west"),
    )
    for assignor in (STICKY, HIGH, ROUND):
        found = assignor.assign(start, configs(standbys=1, tags=["zone"]))
        assert shown(found) == {"a": "0_0", "b": "", "c": "(0_0)"}


def test_standbys_differ_in_their_racks_where_a_strategy_is_set() -> None:
    start = cluster(
        "0_0",
        instance("a", rack="east"),
        instance("b", rack="east"),
        instance("c", rack="west"),
    )
    found = HIGH.assign(start, configs(standbys=1, strategy="min_traffic"))
    assert shown(found) == {"a": "0_0", "b": "", "c": "(0_0)"}


def near_replicas() -> Cluster:
    replicas = {TaskId(0, 0): "west", TaskId(0, 1): "east"}
    return Cluster(
        instances=(instance("a", rack="east"), instance("b", rack="west")),
        tasks=tuple(replicas),
        racks={task: (frozenset({rack}),) for task, rack in replicas.items()},
    )


@pytest.mark.parametrize("strategy", ["min_traffic", "balance_subtopology"])
def test_tasks_go_to_the_racks_of_their_partitions(strategy: str) -> None:
    found = HIGH.assign(near_replicas(), configs(strategy=strategy))
    assert shown(found) == {"a": "0_1", "b": "0_0"}
    found = HIGH.assign(near_replicas(), configs(strategy="none"))
    assert shown(found) == {"a": "0_0", "b": "0_1"}


def test_high_availability_warms_up_a_few_at_a_time() -> None:
    start = cluster(FOUR, instance("a", FOUR), instance("b"))
    found = HIGH.assign(start, configs(warmups=1))
    assert shown(found) == {"a": FOUR, "b": "[0_1]"}
    assert found.followup


def test_high_availability_moves_to_who_is_caught_up() -> None:
    start = cluster(FOUR, instance("a", FOUR), instance("b", "", "0_1 0_3", behind=100))
    found = HIGH.assign(start, configs(lag=100))
    assert shown(found) == {"a": "0_0 0_2", "b": "0_1 0_3"}
    assert not found.followup
    assert HIGH.assign(start, configs(lag=99)).followup


def test_what_is_small_needs_no_warm_up() -> None:
    start = Cluster(
        instances=(instance("a", "0_0 0_1"), instance("b")),
        tasks=tasks("0_0 0_1"),
        sizes=dict.fromkeys(tasks("0_0 0_1"), 10_000),
    )
    for assignor in (STICKY, HIGH):
        assert shown(assignor.assign(start, configs())) == {"a": "0_0", "b": "0_1"}


def test_an_instance_has_threads_and_a_name_of_its_own() -> None:
    with pytest.raises(TaskAssignmentException, match='"a" has 0 threads'):
        Instance(id="a", threads=0)
    with pytest.raises(TaskAssignmentException, match='two instances have the id "a"'):
        cluster(FOUR, instance("a"), instance("a"))
