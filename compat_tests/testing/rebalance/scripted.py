"""An assignor that follows KIP-429's walk-throughs where they choose freely.

They agree on an order: a task goes to its ready learner, else stays with its owner, else goes to an
unready learner. Which task a new member is to learn, and who gets a task that nobody has, they just
say; so it is said here.
"""

from __future__ import annotations

from collections.abc import Mapping

from millstream import AssignmentConfigs, TaskId
from millstream.topology.assign.cluster import Assignment, Cluster

Choice = Mapping[str, tuple[TaskId, ...]]


class Scripted:
    """Does what `learn` and `place` said, and goes on with it until it is done."""

    name = "scripted"

    def __init__(self) -> None:
        self._learners: dict[TaskId, str] = {}
        self._places: dict[TaskId, str] = {}

    def learn(self, choice: Choice) -> None:
        """Members learn these tasks, and take them over when they are ready."""
        self._learners.update(by_task(choice))

    def place(self, choice: Choice) -> None:
        """These tasks are to be at these members at once."""
        self._places.update(by_task(choice))

    def assign(self, cluster: Cluster, configs: AssignmentConfigs) -> Assignment:
        active: dict[str, list[TaskId]] = {each.id: [] for each in cluster.instances}
        learning: dict[str, list[TaskId]] = {each.id: [] for each in cluster.instances}
        members = {each.id: each for each in cluster.instances}
        owners = {task: each.id for each in cluster.instances for task in each.active}
        acceptable = configs.acceptableRecoveryLag()
        for task in cluster.tasks:
            learner, owner = self._learners.get(task, ""), owners.get(task, "")
            target = self._places.get(task) or owner or learner
            if learner in members and target != learner:
                if members[learner].lags.get(task, acceptable + 1) <= acceptable:
                    target = learner
                else:
                    learning[learner].append(task)
            active[target].append(task)
            if owner == target:
                self._places.pop(task, None)
                if learner == owner:
                    del self._learners[task]
        return Assignment(
            active={name: tuple(tasks) for name, tasks in active.items()},
            standby=dict.fromkeys(active, ()),
            warmup={name: tuple(tasks) for name, tasks in learning.items()},
        )


def by_task(choice: Choice) -> dict[TaskId, str]:
    return {task: name for name, tasks in choice.items() for task in tasks}
