"""Groups keep their promises, whatever happens to them."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from millstream import (
    AssignmentConfigs,
    IllegalArgumentException,
    IllegalStateException,
    TaskId,
)
from millstream.core.errors import ImpossibleEventError
from millstream.testing.rebalance.group import SimulatedGroup
from millstream.testing.rebalance.leader import Work
from millstream.testing.rebalance.life_cycles import GroupStage, LearnerState, TaskState
from millstream.testing.rebalance.member import Protocol
from millstream.topology.assign.assignor import Assignor
from millstream.topology.assign.cluster import Assignment, Cluster
from millstream.topology.assign.high_availability import HighAvailability
from millstream.topology.assign.round_robin import RoundRobin
from millstream.topology.assign.sticky import Sticky

TASKS = tuple(TaskId(number // 6, number % 6) for number in range(12))
NAMES = [f"m{number}" for number in range(6)]
MINUTE = 60_000
CONFIGS = AssignmentConfigs(10_000, 2, 1, 10 * MINUTE, [])


def act(group: SimulatedGroup, action: str, name: str, number: int) -> None:
    """Let something happen, if it can."""
    there = name in group.members
    if action == "join" and not there:
        group.join(name)
    elif action == "leave" and there:
        group.leave(name, timeout_ms=MINUTE if number % 2 else None)
    elif action == "crash" and there:
        group.crash(name)
    elif action == "progress" and there:
        lag = (0, 9_999, 50_000)[number % 3]
        group.progress(name, dict.fromkeys(group.members[name].learning, lag))
    elif action == "age":
        group.age((1, 20_000)[number % 2])
    elif action == "advance":
        group.advance(number * MINUTE)
    elif action == "collect" and group.state in (
        GroupStage.JOINING,
        GroupStage.REVOKING,
    ):
        group.collect()
    elif action == "rebalance" and group.due:
        rebalance(group)


def rebalance(group: SimulatedGroup) -> None:
    before = group.owners()
    record = group.rebalance()
    after = group.owners()
    given_up = {task for share in record.assigned.values() for task in share.revoked}
    # What is given up is what somebody else has or is about to get.
    assert given_up <= record.started.keys() | record.waiting
    assert record.waiting == set(TASKS) - after.keys()
    assert {task for task in before if after.get(task) == before[task]}.isdisjoint(record.started)
    assert not any(member.suspended for member in group.members.values())


def check(group: SimulatedGroup) -> None:
    members = group.members.values()
    has = Counter(task for member in members for task in member.has())
    assert all(count == 1 for count in has.values())
    for member in members:
        assert member.owned.isdisjoint(member.learning)
        assert member.owned.isdisjoint(member.standby)
        assert member.owned.isdisjoint(member.copies)
    owners = group.owners()
    learned = {task for member in members for task in member.learning}
    for task in TASKS:
        state = group.task_state(task)
        assert (task in owners) == (state in (TaskState.RUNNING, TaskState.LEARNED))
        assert state is not TaskState.LEARNED or task in learned or group.due
    if group.members and group.state is GroupStage.STABLE:
        assert set(owners) == set(TASKS)


def come_to_rest(group: SimulatedGroup) -> None:
    """Let everybody catch up, and time pass; soon nothing is left to do."""
    rounds = 0
    while group.due or group.planned_ms is not None or group.learners():
        group.settle(at_most=4)
        group.catch_up()
        if not group.due and group.planned_ms is not None:
            group.advance(group.planned_ms - group.now_ms)
        rounds += 1
        assert rounds <= 2 * len(TASKS)


ACTIONS = st.tuples(
    st.sampled_from(
        ["join", "join", "join", "leave", "crash", "progress", "progress", "age", "advance"]
        + ["collect", "rebalance", "rebalance", "rebalance"]
    ),
    st.sampled_from(NAMES),
    st.integers(1, 12),
)


@given(
    assignor=st.sampled_from([Sticky(), HighAvailability(), RoundRobin()]),
    protocol=st.sampled_from(Protocol),
    delay=st.sampled_from([0, 5 * MINUTE]),
    stateful=st.one_of(st.none(), st.frozensets(st.sampled_from(TASKS))),
    history=st.lists(ACTIONS, min_size=10, max_size=60),
)
@settings(max_examples=150, deadline=None)
def test_whatever_happens_every_task_has_one_owner_and_the_group_comes_to_rest(
    assignor: Assignor,
    protocol: Protocol,
    delay: int,
    stateful: frozenset[TaskId] | None,
    history: list[tuple[str, str, int]],
) -> None:
    work = Work(tasks=TASKS, stateful=stateful)
    group = SimulatedGroup(assignor, work, CONFIGS, protocol=protocol, max_delay_ms=delay)
    group.join("first")
    for action, name, number in history:
        act(group, action, name, number)
        check(group)
    come_to_rest(group)
    check(group)
    if any(not member.leaving for member in group.members.values()):
        loads = Counter(group.owners().values())
        counts = [loads[name] for name in group.members]
        assert not any(member.leaving for member in group.members.values())
        assert set(group.owners()) == set(TASKS)
        assert max(counts) - min(counts) <= 1


def started(*names: str, protocol: Protocol = Protocol.LEARNERS) -> SimulatedGroup:
    group = SimulatedGroup(Sticky(), TASKS, protocol=protocol)
    for name in names:
        group.join(name)
    group.settle()
    return group


def test_a_group_without_members_has_no_rebalance() -> None:
    group = SimulatedGroup(Sticky(), TASKS)
    assert (group.due, group.leader, group.owners()) == (False, None, {})
    with pytest.raises(ImpossibleEventError, match='"all have joined" cannot happen to a group'):
        group.rebalance()


def test_a_group_at_rest_has_no_rebalance_to_run() -> None:
    group = started("a")
    with pytest.raises(ImpossibleEventError) as caught:
        group.rebalance()
    error = caught.value
    assert (error.table, error.state, error.event) == ("group", "stable", "all have joined")


def test_a_leader_cannot_assign_before_all_have_joined() -> None:
    group = started("a")
    group.join("b")
    with pytest.raises(ImpossibleEventError, match='in state "joining"'):
        group.assign()
    group.settle()
    assert group.due is False


def test_a_member_cannot_join_twice() -> None:
    with pytest.raises(IllegalArgumentException, match='member "a" is in the group already'):
        started("a").join("a")


@pytest.mark.parametrize("way", ["leave", "crash"])
def test_a_member_that_is_not_there_cannot_go(way: str) -> None:
    with pytest.raises(IllegalArgumentException, match='there is no member "b"'):
        getattr(started("a"), way)("b")


def test_the_last_member_leaves_at_once() -> None:
    group = started("a")
    group.leave("a")
    first, second = group.settle()
    assert first.assigned["a"].revoked == set(TASKS)
    assert str(second.assigned["a"]) == "(assigned: [], revoked: [], learning: [])"
    assert (group.state, group.members) == (GroupStage.EMPTY, {})


def test_the_last_member_crashes() -> None:
    group = started("a")
    group.crash("a")
    assert (group.state, group.due) == (GroupStage.EMPTY, False)
    group.join("b")
    [record] = group.settle()
    assert {start.last for start in record.started.values()} == {"a"}
    assert set(group.owners().values()) == {"b"}


def test_a_learner_that_falls_behind_is_not_promoted() -> None:
    group = started("a")
    group.join("b")
    group.settle()
    learning = group.learners()["b"]
    group.progress("b", dict.fromkeys(learning, 10_000))
    assert set(group.learners()["b"].values()) == {LearnerState.READY}
    group.progress("b", dict.fromkeys(learning, 10_001))
    assert set(group.learners()["b"].values()) == {LearnerState.RESTORING}
    group.settle()
    assert set(group.owners().values()) == {"a"}


def test_a_member_that_brings_the_state_is_a_ready_learner() -> None:
    group = started("a")
    group.join("b", copies=dict.fromkeys(TASKS, 5))
    group.settle()
    assert Counter(group.owners().values()) == {"a": 6, "b": 6}


def test_tasks_without_state_move_without_learners() -> None:
    group = SimulatedGroup(Sticky(), Work(tasks=TASKS, stateful=frozenset()))
    group.join("a")
    group.settle()
    group.join("b")
    first, second = group.settle()
    assert [len(first.waiting), len(second.waiting)] == [6, 0]
    assert Counter(group.owners().values()) == {"a": 6, "b": 6}


def test_a_cooperative_group_looks_again_at_the_probing_time() -> None:
    group = started("a", protocol=Protocol.COOPERATIVE)
    group.join("b")
    [record] = group.settle()
    assert record.next_ms == 10 * MINUTE
    group.catch_up()
    assert not group.due
    group.advance(10 * MINUTE)
    group.settle()
    assert Counter(group.owners().values()) == {"a": 6, "b": 6}


class Restless:
    """Takes one half of the tasks from its owner while the other half is on its way."""

    name = "restless"

    def assign(self, cluster: Cluster, configs: AssignmentConfigs) -> Assignment:
        one, other = cluster.instances
        owners = {task: each for each in cluster.instances for task in each.active}
        half = cluster.tasks[:6] if owners.keys() >= set(cluster.tasks[:6]) else cluster.tasks[6:]
        active: dict[str, tuple[TaskId, ...]] = {one.id: (), other.id: ()}
        for task in cluster.tasks:
            owner = owners.get(task, one)
            if task in half and task in owners:
                owner = other if owner is one else one
            active[owner.id] += (task,)
        nothing: dict[str, tuple[TaskId, ...]] = dict.fromkeys(active, ())
        return Assignment(active=active, standby=nothing, warmup=nothing)


def test_a_group_that_does_not_come_to_rest_is_stopped() -> None:
    group = SimulatedGroup(Restless(), TASKS, protocol=Protocol.COOPERATIVE)
    group.join("a")
    group.join("b")
    group.settle()
    group.crash("b")
    group.join("b")
    with pytest.raises(IllegalStateException, match="not come to rest in 7 rebalances"):
        group.settle(at_most=7)
