"""Instances come, go and come back: what holds then, and how soon all is at rest."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.assign.clusters import configs, follow, settle
from millstream import AssignmentConfigs, TaskId
from millstream.topology.assign.assignor import Assignor
from millstream.topology.assign.cluster import Assignment, Cluster, Instance, moved
from millstream.topology.assign.high_availability import HighAvailability
from millstream.topology.assign.round_robin import RoundRobin
from millstream.topology.assign.sticky import Sticky

TASKS = tuple(TaskId(group, number) for group in range(3) for number in range(5))
STATEFUL = frozenset(task for task in TASKS if task.subtopology() != 1)
MOST = {"sticky": 5, "high-availability": 40, "round-robin": 2}
"""Within how many assignments all is at rest."""


def check(before: Cluster, found: Assignment, settings_: AssignmentConfigs) -> None:
    running = [task for own in found.active.values() for task in own]
    assert sorted(running) == sorted(before.tasks)
    names = {each.id for each in before.instances}
    assert found.active.keys() == found.standby.keys() == found.warmup.keys() == names
    for name, active in found.active.items():
        copies = (*found.standby[name], *found.warmup[name])
        assert len(set(copies)) == len(copies)
        assert not set(copies) & set(active)
        assert set(copies) <= STATEFUL
    kept = [task for own in found.standby.values() for task in own]
    assert all(kept.count(task) <= settings_.numStandbyReplicas() for task in kept)


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[str, int]]:
    event = st.tuples(st.sampled_from(["join", "leave", "bounce"]), st.integers(0, 9))
    return draw(st.lists(event, max_size=5))


def happen(before: Cluster, event: str, number: int) -> Cluster:
    instances = list(before.instances)
    if event == "join":
        taken = {each.id for each in instances}
        name = next(f"i{index}" for index in range(99) if f"i{index}" not in taken)
        instances.append(Instance(id=name, threads=number % 3 + 1))
    elif event == "leave" and len(instances) > 1:
        instances.pop(number % len(instances))
    elif event == "bounce":
        # It is heard of again with what it ran, last in the list.
        instances.append(instances.pop(number % len(instances)))
    return replace(before, instances=tuple(instances))


@pytest.mark.parametrize("assignor", [Sticky(), HighAvailability(), RoundRobin()])
@settings(max_examples=60, deadline=None, derandomize=True)
@given(history=histories(), standbys=st.integers(0, 2), behind=st.sampled_from([0, 20_000]))
def test_any_history_keeps_the_rules_and_comes_to_rest(
    assignor: Assignor, history: list[tuple[str, int]], standbys: int, behind: int
) -> None:
    settings_ = configs(standbys=standbys)
    now = Cluster(instances=(Instance(id="i0"),), tasks=TASKS, stateful=STATEFUL)
    for event, number in history:
        now = happen(now, event, number)
        found = assignor.assign(now, settings_)
        check(now, found, settings_)
        now = follow(now, found, behind=behind)
    now, _ = settle(assignor, now, settings_, MOST[assignor.name])
    at_rest = assignor.assign(now, settings_)
    check(now, at_rest, settings_)
    assert not at_rest.followup
    assert not any(at_rest.warmup.values())
    threads = sum(each.threads for each in now.instances)
    for each in now.instances:
        share = len(TASKS) * each.threads / threads
        assert abs(len(at_rest.active[each.id]) - share) < 2


@settings(max_examples=60, deadline=None, derandomize=True)
@given(history=histories(), event=st.sampled_from(["join", "leave"]), number=st.integers(0, 9))
def test_sticky_revokes_no_task_before_another_instance_can_run_it(
    history: list[tuple[str, int]], event: str, number: int
) -> None:
    now = Cluster(instances=(Instance(id="i0"),), tasks=TASKS)
    for each in history:
        now, _ = settle(Sticky(), happen(now, *each), configs(), 5)
    before = {each.id: each.active for each in now.instances}
    there = {task for own in before.values() for task in own}
    now = happen(now, event, number)
    alive = {task for each in now.instances for task in each.active}
    found = Sticky().assign(now, configs())
    assert set(moved(before, found)) == there - alive


@settings(max_examples=40, deadline=None, derandomize=True)
@given(history=histories(), number=st.integers(0, 9), standbys=st.integers(0, 2))
def test_a_bounce_moves_nothing(history: list[tuple[str, int]], number: int, standbys: int) -> None:
    for assignor in (Sticky(), HighAvailability()):
        now = Cluster(instances=(Instance(id="i0"),), tasks=TASKS)
        for each in history:
            now = happen(now, *each)
        now, _ = settle(assignor, now, configs(standbys=standbys), 40)
        then, _ = settle(assignor, happen(now, "bounce", number), configs(standbys=standbys), 1)
        assert (
            set(then.instances) == set(now.instances)
            if False
            else sorted((each.id, each.active, sorted(each.standby)) for each in then.instances)
            == sorted((each.id, each.active, sorted(each.standby)) for each in now.instances)
        )
