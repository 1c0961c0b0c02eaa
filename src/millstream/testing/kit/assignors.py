"""The compliance tests of task assignors."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any, ClassVar

from hypothesis import given
from hypothesis import strategies as st

from millstream.core.assignment import (
    AssignedTask,
    AssignmentConfigs,
    KafkaStreamsAssignment,
    TaskAssignor,
)
from millstream.core.processor import TaskId
from millstream.testing.kit.promises import keeping, promise
from millstream.testing.kit.store_machine import quiet_settings
from millstream.topology.assign.cluster import Cluster, Instance
from millstream.topology.assign.cluster_state import ClusterState

ACTIVE, STANDBY = AssignedTask.Type.ACTIVE, AssignedTask.Type.STANDBY
Given = dict[str, KafkaStreamsAssignment]
"""Instance -> its assignment."""


@st.composite
def clusters(draw: st.DrawFn) -> Cluster:
    """Draw instances with earlier tasks and copies of stores."""
    groups = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    tasks = [TaskId(group, number) for group, count in enumerate(groups) for number in range(count)]
    count = draw(st.integers(1, 5))
    owners = draw(st.lists(st.integers(-1, count - 1), min_size=len(tasks), max_size=len(tasks)))
    copies = draw(st.lists(st.integers(-1, count - 1), min_size=len(tasks), max_size=len(tasks)))
    behind = draw(st.sampled_from([0, 5_000, 50_000]))
    instances = []
    for number in range(count):
        own = [task for task, owner in zip(tasks, owners, strict=True) if owner == number]
        kept = [
            task
            for task, owner, copy in zip(tasks, owners, copies, strict=True)
            if copy == number != owner and task.subtopology() != 1
        ]
        instances.append(
            Instance(
                id=f"instance-{number}",
                threads=draw(st.integers(1, 3)),
                active=tuple(own),
                standby=tuple(kept),
                lags=dict.fromkeys(kept, behind),
            )
        )
    stateful = frozenset(task for task in tasks if task.subtopology() != 1)
    return Cluster(instances=tuple(instances), tasks=tuple(tasks), stateful=stateful)


def even_cluster(instances: int, tasks: int) -> Cluster:
    """Return new instances with one thread each."""
    return Cluster(
        instances=tuple(Instance(id=f"instance-{number}") for number in range(instances)),
        tasks=tuple(TaskId(number % 2, number // 2) for number in range(tasks)),
    )


def owners(found: Given) -> dict[TaskId, str]:
    """Return the instance that runs each task."""
    return {
        task.id(): name
        for name, each in found.items()
        for task in each.tasks().values()
        if task.type() is ACTIVE
    }


def after(cluster: Cluster, found: Given) -> Cluster:
    """Return the cluster after the assignment, with all copies caught up."""
    instances = []
    for instance in cluster.instances:
        tasks = found[instance.id].tasks().values()
        kept = tuple(sorted(task.id() for task in tasks if task.type() is STANDBY))
        own = tuple(sorted(task.id() for task in tasks if task.type() is ACTIVE))
        lags = dict.fromkeys(kept, 0)
        instances.append(replace(instance, active=own, standby=kept, lags=lags))
    return replace(cluster, instances=tuple(instances))


class TaskAssignorTests:
    """Compliance suite of task assignors; derive a class from it and name the assignor.

    Example::

        class TestMine(TaskAssignorTests):
            assignor_class = MyAssignor
    """

    assignor_class: ClassVar[type[TaskAssignor]]
    """The assignor to test. With ``sticky`` it must move no more tasks than balance needs."""
    configs: ClassVar[AssignmentConfigs] = AssignmentConfigs(10_000, 2, 1, 600_000, [])
    """Its configuration."""
    slack: ClassVar[int] = 1
    """Allowed difference between an instance's tasks and its share, rounded up."""
    rebalances: ClassVar[int] = 30
    """Number of assignments after which an unchanged cluster must be stable."""
    histories: ClassVar[int] = 60
    """Number of random clusters to try."""

    def test_the_class_describes_itself(self) -> None:
        """The class has a name and a constructor without arguments."""
        cls = self.assignor_class
        name = getattr(cls, "name", None)
        promise(
            isinstance(name, str) and name and name == name.lower(),
            "the class has a name, in lower case",
            f"name is {name!r}",
        )
        with keeping("the class can be made without arguments"):
            cls()
        with keeping("the class can be imported by its module and name"):
            pickle.loads(pickle.dumps(cls))

    def test_any_cluster(self) -> None:
        """Each task of random clusters has one owner, and copies are elsewhere."""
        self._try(self._check)

    def test_the_same_state_gives_the_same_assignment(self) -> None:
        """The assignment depends only on the state, not on the order of the instances."""

        def check(cluster: Cluster) -> None:
            turned = replace(cluster, instances=cluster.instances[::-1])
            found = [shown(self._assigned(each)) for each in (cluster, cluster, turned)]
            promise(
                found[0] == found[1] == found[2],
                "the same state gives the same assignment",
                *found,
            )

        self._try(check)

    def test_a_new_cluster_is_balanced(self) -> None:
        """Each instance has about the share of its threads."""

        def check(cluster: Cluster) -> None:
            fresh = [replace(each, active=(), standby=(), lags={}) for each in cluster.instances]
            found = owners(self._assigned(replace(cluster, instances=tuple(fresh))))
            threads = sum(each.threads for each in fresh)
            for each in fresh:
                count = sum(owner == each.id for owner in found.values())
                share = len(cluster.tasks) * each.threads / threads
                promise(
                    share - 1 - self.slack < count < share + 1 + self.slack,
                    f"a new instance gets the share of its threads, with a slack of {self.slack}",
                    f"{each.id} got {count} tasks instead of {share:.1f}",
                )

        self._try(check)

    def test_it_comes_to_rest(self) -> None:
        """In an unchanged cluster tasks stop moving."""

        def check(cluster: Cluster) -> None:
            last = ""
            for _ in range(self.rebalances):
                found = self._assigned(cluster)
                if shown(found) == last:
                    return
                last = shown(found)
                cluster = after(cluster, found)
            promise(
                False,
                f"where nothing happens, all is at rest after {self.rebalances} assignments",
                last,
            )

        self._try(check)

    def test_only_what_must_move_moves(self) -> None:
        """A sticky assignor moves a share of the tasks when an instance joins or leaves."""
        if not self.assignor_class.sticky:
            return
        for count in (2, 3, 5, 8):
            cluster = self._at_rest(even_cluster(count, 40))
            before = owners(self._assigned(cluster))
            joined = replace(cluster, instances=(*cluster.instances, Instance(id="joined")))
            self._promise_few(before, joined, 40 // (count + 1) + count, "joins")
            left = replace(cluster, instances=cluster.instances[1:])
            stay = {task: name for task, name in before.items() if name != "instance-0"}
            self._promise_few(stay, left, count, "leaves")

    def _promise_few(
        self, before: dict[TaskId, str], cluster: Cluster, most: int, event: str
    ) -> None:
        now = owners(self._assigned(self._at_rest(cluster)))
        moved = sorted(task for task, name in before.items() if now[task] != name)
        promise(
            len(moved) <= most,
            f"a sticky assignor moves no more than it must when an instance {event}",
            f"{len(moved)} of 40 tasks moved instead of {most} at most: {moved}",
        )

    def _at_rest(self, cluster: Cluster) -> Cluster:
        for _ in range(self.rebalances):
            cluster = after(cluster, self._assigned(cluster))
        return cluster

    def _assigned(self, cluster: Cluster) -> Given:
        state = ClusterState(cluster, self.configs)
        computed = self.assignor_class().assign(state).assignment()
        by_process = {each.processId(): each for each in computed}
        promise(
            len(by_process) == len(computed),
            "a process is there once, with all its tasks",
            [each.processId() for each in computed],
        )
        strangers = set(by_process) - set(state.ids.values())
        promise(not strangers, "no unknown process is given anything", sorted(strangers))
        missing = [name for name, id in state.ids.items() if id not in by_process]
        promise(not missing, "every process is in the assignment", missing)
        return {name: by_process[id] for name, id in state.ids.items()}

    def _check(self, cluster: Cluster) -> None:
        found = self._assigned(cluster)
        given_out: dict[TaskId, list[str]] = {task: [] for task in cluster.tasks}
        for name, each in found.items():
            for task in each.tasks().values():
                promise(
                    task.id() in given_out,
                    "no instance is given a task that does not exist",
                    f"{name} was given {task.id()}",
                )
                if task.type() is ACTIVE:
                    given_out[task.id()].append(name)
                else:
                    promise(
                        cluster.is_stateful(task.id()),
                        "only tasks with state have standbys",
                        f"{name} keeps a copy of {task.id()}",
                    )
        for id, names in given_out.items():
            promise(len(names) == 1, "each task has one owner", f"{id} has {names}")

    def _try(self, check: Any) -> None:
        # Hypothesis treats the function as a test.
        quiet_settings(self.histories, steps=1)(given(clusters())(check))()


def shown(found: Given) -> str:
    """Return an assignment as a text that can be compared."""
    return "; ".join(
        f"{name}: "
        + " ".join(
            f"{task.id()}{'' if task.type() is ACTIVE else ' (copy)'}"
            for task in sorted(each.tasks().values(), key=lambda task: task.id())
        )
        for name, each in sorted(found.items())
    )
