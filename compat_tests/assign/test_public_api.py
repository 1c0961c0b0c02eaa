"""Kafka's interface of task assignors, and users' assignors behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from typing import Any
from uuid import UUID

import pytest

from compat_tests.assign.clusters import cluster, configs, instance, shown, tasks
from millstream import (
    ApplicationState,
    AssignedTask,
    AssignmentConfigs,
    GroupAssignment,
    GroupSubscription,
    KafkaStreamsAssignment,
    ProcessId,
    StickyTaskAssignor,
    StreamsConfig,
    TaskAssignmentUtils,
    TaskAssignor,
    TaskId,
)
from millstream.core.errors import (
    ConfigException,
    IllegalStateException,
    PluginError,
    TaskAssignmentException,
    UnsupportedOperationException,
)
from millstream.topology.assign.choose import chosen_assignor
from millstream.topology.assign.cluster import Cluster
from millstream.topology.assign.cluster_state import ClusterState
from millstream.topology.assign.public import OfTaskAssignor, cluster_of
from millstream.topology.assign.sticky import Sticky

BASE = {"application.id": "app", "bootstrap.servers": "nowhere:0"}
ACTIVE, STANDBY = AssignedTask.Type.ACTIVE, AssignedTask.Type.STANDBY
Error = TaskAssignor.AssignmentError
Given = dict[ProcessId, KafkaStreamsAssignment]


def active(task: str) -> AssignedTask:
    return AssignedTask(TaskId.parse(task), ACTIVE)


def standby(task: str) -> AssignedTask:
    return AssignedTask(TaskId.parse(task), STANDBY)


class Fixed(TaskAssignor):
    """Gives the processes, by number, what it was told."""

    def __init__(self, *given: Iterable[AssignedTask]) -> None:
        self.given = given
        self.heard: list[Any] = []

    def assign(self, applicationState: ApplicationState) -> TaskAssignor.TaskAssignment:
        ids = sorted(applicationState.kafkaStreamsStates(False), key=lambda id: id.id().int)
        ids = [*ids, ProcessId(UUID(int=99))]
        return TaskAssignor.TaskAssignment(
            [
                KafkaStreamsAssignment.of(id, tasks)
                for id, tasks in zip(ids, self.given, strict=False)
            ]
        )

    def onAssignmentComputed(
        self,
        assignment: GroupAssignment,
        subscription: GroupSubscription,
        error: TaskAssignor.AssignmentError,
    ) -> None:
        self.heard.append((sorted(assignment.groupAssignment()), error))


class OfNoKind:
    """Has the method, and no more."""

    def configure(self, configs: Mapping[str, Any]) -> None:
        self.application = configs["application.id"]

    def assign(self, state: ApplicationState) -> TaskAssignor.TaskAssignment:
        return StickyTaskAssignor().assign(state)


def two(all_tasks: str = "0_0 0_1", **kwargs: Any) -> Cluster:
    ids = [str(UUID(int=1)), str(UUID(int=2))]
    return cluster(all_tasks, *(instance(id, **kwargs) for id in ids))


def test_process_ids_are_ordered_as_in_java() -> None:
    low, high = ProcessId(UUID(int=1)), ProcessId(UUID(int=1 << 127))
    assert high < low
    assert (low.compareTo(high), low.compareTo(low), high.compareTo(low)) == (1, 0, -1)
    assert ProcessId.randomProcessId() != ProcessId.randomProcessId()
    assert low == ProcessId(low.id())


def test_an_assignment_has_each_task_once() -> None:
    id = ProcessId(UUID(int=1))
    given = KafkaStreamsAssignment.of(id, {active("0_0"), standby("0_1")})
    given.assignTask(active("0_2"))
    given.removeTask(standby("0_1"))
    given.removeTask(active("5_5"))
    assert given.tasks() == {
        TaskId(0, 0): active("0_0"),
        TaskId(0, 2): active("0_2"),
    }
    assert given.followupRebalanceDeadline() is None
    later = given.withFollowupRebalance(datetime(2030, 1, 1, tzinfo=timezone.utc))
    assert later.followupRebalanceDeadline() == datetime(2030, 1, 1, tzinfo=timezone.utc)
    assert (later.processId(), later.tasks()) == (id, given.tasks())
    with pytest.raises(IllegalStateException, match="task 0_0 is assigned to .* twice"):
        KafkaStreamsAssignment.of(id, [active("0_0"), standby("0_0")])


def test_configs_come_from_the_configuration() -> None:
    given = {
        "num.standby.replicas": 1,
        "acceptable.recovery.lag": 5,
        "client.tag.zone": "a",
        "rack.aware.assignment.tags": "zone",
        "rack.aware.assignment.traffic_cost": 3,
        "rack.aware.assignment.strategy": "min_traffic",
    }
    found = AssignmentConfigs.of(StreamsConfig(BASE | given))
    assert found == AssignmentConfigs(5, 2, 1, 600_000, ["zone"], 3, None, "min_traffic")
    assert found.rackAwareNonOverlapCost() is None


def test_configs_are_checked() -> None:
    with pytest.raises(ConfigException, match=r"max\.warmup\.replicas: Value must be at least 1"):
        AssignmentConfigs(0, 0, 0, 600_000, [])
    with pytest.raises(ConfigException, match=r"rack\.aware\.assignment\.strategy"):
        AssignmentConfigs(0, 1, 0, 600_000, [], rackAwareAssignmentStrategy="fast")


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ([[active("0_0")], [active("0_1"), standby("0_0")]], Error.NONE),
        ([[active("0_0")], []], Error.NONE),  # as in Kafka Streams
        ([[active("0_0")], [active("0_0")]], Error.ACTIVE_TASK_ASSIGNED_MULTIPLE_TIMES),
        ([[active("7_7")], []], Error.UNKNOWN_TASK_ID),
        ([[active("0_0")]], Error.MISSING_PROCESS_ID),
        ([[active("0_0")], [], []], Error.UNKNOWN_PROCESS_ID),
    ],
)
def test_an_assignment_is_checked(
    given: list[list[AssignedTask]], error: TaskAssignor.AssignmentError
) -> None:
    state = ClusterState(two(), configs())
    assert TaskAssignmentUtils.validateTaskAssignment(state, Fixed(*given).assign(state)) is error


def test_a_copy_of_what_has_no_state_is_wrong() -> None:
    start = Cluster(instances=two().instances, tasks=tasks("0_0"), stateful=frozenset())
    state = ClusterState(start, configs())
    computed = Fixed([active("0_0")], [standby("0_0")]).assign(state)
    found = TaskAssignmentUtils.validateTaskAssignment(state, computed)
    assert found is Error.INVALID_STANDBY_TASK


def test_everybody_can_keep_what_they_had() -> None:
    start = cluster("0_0 0_1", instance("a", "0_0", "0_1"), instance("b", "0_1"))
    state = ClusterState(start, configs())
    found = TaskAssignmentUtils.identityAssignment(state)
    assert {id: set(each.tasks().values()) for id, each in found.items()} == {
        state.ids["a"]: {active("0_0"), standby("0_1")},
        state.ids["b"]: {active("0_1")},
    }


def given_to(state: ClusterState, **own: list[AssignedTask]) -> Given:
    return {
        state.ids[name]: KafkaStreamsAssignment.of(state.ids[name], given)
        for name, given in own.items()
    }


def test_standbys_go_to_the_lightest_process() -> None:
    start = cluster("0_0 0_1", instance("a"), instance("b"), instance("c"))
    state = ClusterState(start, configs(standbys=1))
    given = given_to(state, a=[active("0_0"), active("0_1")])
    TaskAssignmentUtils.defaultStandbyTaskAssignment(state, given)
    tasks_of = {name: set(given[id].tasks().values()) for name, id in state.ids.items()}
    assert tasks_of["a"] == {active("0_0"), active("0_1")}
    assert {len(tasks_of["b"]), len(tasks_of["c"])} == {1}


def near_and_far() -> Cluster:
    replicas = {TaskId(0, 0): "west", TaskId(0, 1): "east"}
    racks = {task: (frozenset({rack}),) for task, rack in replicas.items()}
    return Cluster(
        instances=(instance("a", rack="east"), instance("b", rack="west")),
        tasks=tuple(replicas),
        racks=racks,
        changelog_racks=racks,
    )


def test_active_tasks_move_to_their_racks_and_leave_copies() -> None:
    state = ClusterState(near_and_far(), configs(strategy="min_traffic"))
    given = given_to(state, a=[active("0_0"), standby("0_1")], b=[active("0_1")])
    params = TaskAssignmentUtils.RackAwareOptimizationParams.of(state)
    TaskAssignmentUtils.optimizeRackAwareActiveTasks(params, given)
    assert set(given[state.ids["a"]].tasks().values()) == {active("0_0"), standby("0_1")}
    costs = params.withTrafficCostOverride(10).withNonOverlapCostOverride(1)
    TaskAssignmentUtils.optimizeRackAwareActiveTasks(costs.forStatelessTasks(), given)
    assert set(given[state.ids["a"]].tasks().values()) == {active("0_0"), standby("0_1")}
    TaskAssignmentUtils.optimizeRackAwareActiveTasks(costs.forStatefulTasks(), given)
    assert set(given[state.ids["a"]].tasks().values()) == {active("0_1")}
    assert set(given[state.ids["b"]].tasks().values()) == {active("0_0"), standby("0_1")}


def test_standby_tasks_move_to_the_racks_of_their_changelogs() -> None:
    state = ClusterState(near_and_far(), configs(strategy="min_traffic"))
    given = given_to(state, a=[standby("0_0")], b=[standby("0_1")])
    params = TaskAssignmentUtils.RackAwareOptimizationParams.of(state)
    costs = params.withTrafficCostOverride(10).withNonOverlapCostOverride(1)
    TaskAssignmentUtils.optimizeRackAwareStandbyTasks(costs, given)
    assert set(given[state.ids["a"]].tasks().values()) == {standby("0_1")}
    assert set(given[state.ids["b"]].tasks().values()) == {standby("0_0")}


def test_an_assignor_sees_what_a_cluster_has() -> None:
    start = cluster("0_0 0_1 0_2", instance("a", "0_0", "0_1", threads=2, behind=7, rack="r"))
    state = ClusterState(start, configs())
    (id,) = state.ids.values()
    seen = state.kafkaStreamsStates(True)[id]
    assert (seen.numProcessingThreads(), list(seen.consumerClientIds())) == (2, ["a-1", "a-2"])
    assert (list(seen.previousActiveTasks()), list(seen.previousStandbyTasks())) == (
        [TaskId(0, 0)],
        [TaskId(0, 1)],
    )
    assert [seen.lagFor(task) for task in start.tasks] == [-2, 7, 2**63 - 1]
    assert list(seen.prevTasksByLag("a-2")) == [TaskId(0, 1)]
    assert (seen.rackId(), seen.hostInfo()) == ("r", None)
    with pytest.raises(UnsupportedOperationException, match="lags were not asked for"):
        state.kafkaStreamsStates(False)[id].lagFor(TaskId(0, 0))


def test_a_cluster_is_the_same_after_a_way_through_kafkas_interface() -> None:
    ids = [str(UUID(int=number)) for number in (1, 2)]
    start = cluster("0_0 0_1", instance(ids[0], "0_0"), instance(ids[1], "0_1", "0_0"))
    again = cluster_of(ClusterState(start, configs()))
    for settings in (configs(), configs(standbys=1)):
        assert Sticky().assign(again, settings) == Sticky().assign(start, settings)


def test_a_users_assignor_assigns_clusters() -> None:
    theirs = Fixed([active("0_1")], [active("0_0"), standby("0_1")])
    found = OfTaskAssignor(theirs).assign(two(), configs())
    assert list(shown(found).values()) == ["0_1", "0_0 (0_1)"]
    assert theirs.heard == [([str(UUID(int=1)), str(UUID(int=2))], Error.NONE)]


def test_a_users_assignor_that_breaks_the_rules_is_named() -> None:
    theirs = Fixed([active("0_0")], [active("0_0")])
    message = '"Fixed" broke the rules: ACTIVE_TASK_ASSIGNED_MULTIPLE_TIMES'
    with pytest.raises(TaskAssignmentException, match=message):
        OfTaskAssignor(theirs).assign(two(), configs())
    assert theirs.heard == [([], Error.ACTIVE_TASK_ASSIGNED_MULTIPLE_TIMES)]
    with pytest.raises(TaskAssignmentException, match='"Fixed" left task 0_1 without an owner'):
        OfTaskAssignor(Fixed([active("0_0")], [])).assign(two(), configs())


def test_kafkas_sticky_assignor_can_leave_everything_where_it_is() -> None:
    start = cluster("0_0 0_1", instance("a", "0_0 0_1"), instance("b"))
    moved = OfTaskAssignor(StickyTaskAssignor()).assign(start, configs())
    assert sorted(map(len, moved.active.values())) == [1, 1]
    kept = OfTaskAssignor(StickyTaskAssignor(True)).assign(start, configs())
    assert shown(kept) == {"a": "0_0 0_1", "b": ""}
    assert (moved.followup, kept.followup) == (False, True)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (None, "high-availability"),
        ("sticky", "sticky"),
        ("round-robin", "round-robin"),
        ("kafka-sticky", "kafka-sticky"),
        (StickyTaskAssignor, "kafka-sticky"),
        ("millstream.StickyTaskAssignor", "kafka-sticky"),
        (
            "org.apache.kafka.streams.processor.assignment.assignors.StickyTaskAssignor",
            "kafka-sticky",
        ),
        (f"{__name__}.{Fixed.__qualname__}", "Fixed"),
        (OfNoKind, "OfNoKind"),
    ],
)
def test_the_configuration_names_the_assignor(given: object, name: str) -> None:
    config = BASE if given is None else BASE | {"task.assignor.class": given}
    assert chosen_assignor(config).name == name


def test_a_default_can_be_chosen_where_nothing_is_configured() -> None:
    assert chosen_assignor(BASE, default="sticky").name == "sticky"
    with pytest.raises(PluginError, match='Did you mean "sticky"'):
        chosen_assignor(BASE, default="stikcy")


def test_what_cannot_assign_is_refused() -> None:
    with pytest.raises(ConfigException, match=r"it has no method assign\(\)"):
        chosen_assignor(BASE | {"task.assignor.class": dict})


def test_an_assignor_of_no_kind_is_configured_and_asked() -> None:
    found = chosen_assignor(BASE | {"task.assignor.class": OfNoKind})
    assert isinstance(found, OfTaskAssignor)
    assert found.theirs.application == "app"  # type: ignore[attr-defined]
    assert list(shown(found.assign(two(), configs())).values()) == ["0_0", "0_1"]
