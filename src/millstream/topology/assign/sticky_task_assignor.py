"""Kafka Streams' own sticky assignor, for programs that derive from it or name it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from millstream.core.assignment import (
    ApplicationState,
    AssignedTask,
    KafkaStreamsAssignment,
    KafkaStreamsState,
    ProcessId,
    RackAwareOptimizationParams,
    TaskAssignmentUtils,
    TaskAssignor,
)
from millstream.core.errors import TaskAssignmentException
from millstream.core.flags import checked_flag
from millstream.core.java_collections import bucket_order, string_hash, table_size
from millstream.core.processor import TaskId

ACTIVE, STANDBY = AssignedTask.Type.ACTIVE, AssignedTask.Type.STANDBY


class StickyTaskAssignor(TaskAssignor):
    """Leaves tasks where they are, and moves them at once where it must.

    Beyond that it avoids to put the same two tasks together again on another process, so that the
    load of a process that leaves is spread. There are no learners; see the plugin ``sticky``.

    Args:
        mustPreserveActiveTaskAssignment: Leave every active task where it was, whatever the
            balance, and ask for another assignment at once.

    Source: KIP-924, ``processor.assignment.assignors.StickyTaskAssignor``.
    """

    name = "kafka-sticky"
    sticky = True
    DEFAULT_STICKY_TRAFFIC_COST: ClassVar[int] = 1
    DEFAULT_STICKY_NON_OVERLAP_COST: ClassVar[int] = 10

    def __init__(self, mustPreserveActiveTaskAssignment: bool = False) -> None:
        self._must_preserve = checked_flag(
            mustPreserveActiveTaskAssignment, "mustPreserveActiveTaskAssignment"
        )

    def assign(self, applicationState: ApplicationState) -> TaskAssignor.TaskAssignment:
        """Give each task to one process, and copies of stateful tasks to others.

        Raises:
            TaskAssignmentException: There are no processes.
        """
        states = applicationState.kafkaStreamsStates(False)
        if not states:
            raise TaskAssignmentException("no process can run the tasks", detail="No processes.")
        work = _Work([states[id] for id in sorted(states)], must_preserve=self._must_preserve)
        tasks = sorted(applicationState.allTasks())
        work.assign_active(tasks)
        if not self._must_preserve:
            self._optimize_active(applicationState, work.assignments)
        self._assign_standby(applicationState, work, tasks)
        found = list(work.assignments.values())
        if self._must_preserve:
            found[0] = found[0].withFollowupRebalance(0)
        return TaskAssignor.TaskAssignment(found)

    def _assign_standby(
        self, state: ApplicationState, work: _Work, tasks: Iterable[TaskId]
    ) -> None:
        replicas = state.assignmentConfigs().numStandbyReplicas()
        if replicas == 0:
            return
        infos = state.allTasks()
        work.read()
        work.assign_standby([task for task in tasks if infos[task].isStateful()], replicas)
        if not self._must_preserve:
            TaskAssignmentUtils.optimizeRackAwareStandbyTasks(
                self._stateful_params(state).forTasks(tasks), work.assignments
            )

    def _optimize_active(
        self, state: ApplicationState, assignments: dict[ProcessId, KafkaStreamsAssignment]
    ) -> None:
        if state.assignmentConfigs().rackAwareAssignmentStrategy() == "none":
            return
        stateful = self._stateful_params(state).forStatefulTasks()
        TaskAssignmentUtils.optimizeRackAwareActiveTasks(stateful, assignments)
        stateless = RackAwareOptimizationParams.of(state).forStatelessTasks()
        TaskAssignmentUtils.optimizeRackAwareActiveTasks(
            stateless.withTrafficCostOverride(1).withNonOverlapCostOverride(0), assignments
        )

    def _stateful_params(self, state: ApplicationState) -> RackAwareOptimizationParams:
        configs = state.assignmentConfigs()
        traffic, non_overlap = configs.rackAwareTrafficCost(), configs.rackAwareNonOverlapCost()
        params = RackAwareOptimizationParams.of(state)
        if traffic is None:
            params = params.withTrafficCostOverride(self.DEFAULT_STICKY_TRAFFIC_COST)
        if non_overlap is None:
            params = params.withNonOverlapCostOverride(self.DEFAULT_STICKY_NON_OVERLAP_COST)
        return params


class _Work:
    """An unfinished assignment, and the former owners of the tasks."""

    def __init__(self, states: Sequence[KafkaStreamsState], *, must_preserve: bool) -> None:
        self._must_preserve = must_preserve
        self._threads = {state.processId(): state.numProcessingThreads() for state in states}
        self._tasks: dict[ProcessId, set[TaskId]] = {id: set() for id in self._threads}
        self._pairs: set[frozenset[TaskId]] = set()
        self._owner: dict[TaskId, ProcessId] = {}
        self._copies: dict[TaskId, list[ProcessId]] = {}
        for state in states:
            id = state.processId()
            self._owner.update(dict.fromkeys(state.previousActiveTasks(), id))
            for task in state.previousStandbyTasks():
                self._copies.setdefault(task, []).append(id)
        self.assignments = {id: KafkaStreamsAssignment.of(id, ()) for id in self._threads}

    def assign_active(self, tasks: list[TaskId]) -> None:
        """Give each task to one process."""
        average = len(tasks) // sum(self._threads.values())
        left = {id: average * threads for id, threads in self._threads.items()}
        rest = set(tasks)
        for task in _as_in_java(self._owner, table_size(len(self._owner))):
            owner = self._owner[task]
            if task in rest and (self._must_preserve or left[owner] > 0):
                left[owner] -= 1
                self._put(task, owner, ACTIVE)
                rest.remove(task)
        for task in _as_in_java(tasks, table_size(len(tasks) + 1)):
            if task not in rest:
                continue
            copy = next((id for id in self._copies.get(task, ()) if left[id] > 0), None)
            if copy is not None:
                left[copy] -= 1
                self._put(task, copy, ACTIVE)
                rest.remove(task)
        every = list(self._threads)
        for task in sorted(rest):
            self._put(task, self._best(task, every), ACTIVE)

    def read(self) -> None:
        """Look again at the assignments, which others have changed."""
        self._tasks = {id: set(each.tasks()) for id, each in self.assignments.items()}

    def assign_standby(self, tasks: Iterable[TaskId], replicas: int) -> None:
        """Give copies of each task to other processes."""
        for task in tasks:
            for _ in range(replicas):
                free = [id for id, own in self._tasks.items() if task not in own]
                if not free:
                    break
                self._put(task, self._best(task, free), STANDBY)

    def _put(self, task: TaskId, id: ProcessId, type: AssignedTask.Type) -> None:
        self._pairs.update(frozenset((task, other)) for other in self._tasks[id])
        self._tasks[id].add(task)
        self.assignments[id].assignTask(AssignedTask(task, type))

    def _load(self, id: ProcessId) -> float:
        return len(self._tasks[id]) / self._threads[id]

    def _best(self, task: TaskId, ids: list[ProcessId]) -> ProcessId:
        copies = [id for id in self._copies.get(task, ()) if id in ids]
        owner = self._owner.get(task)
        previous = [owner] if owner in ids and owner is not None else []
        for each in (previous or copies, copies):
            if each and not self._overloaded(found := self._lightest(task, each)):
                return found
        return self._lightest(task, ids)

    def _overloaded(self, id: ProcessId) -> bool:
        load = self._load(id)
        return load >= 1 and any(self._load(other) < load for other in self._threads)

    def _lightest(self, task: TaskId, ids: list[ProcessId]) -> ProcessId:
        idle = next((id for id in ids if not self._tasks[id]), None)
        fresh = [id for id in ids if self._is_new(task, self._tasks[id])]
        return idle or min(fresh or ids, key=self._load)

    def _is_new(self, task: TaskId, others: Iterable[TaskId]) -> bool:
        return any(frozenset((task, other)) not in self._pairs for other in others)


def _as_in_java(tasks: Iterable[TaskId], buckets: int) -> list[TaskId]:
    # Which of its tasks an overloaded process gives up is left to the order of a hash table.
    def hash_of(task: TaskId) -> int:
        name = task.topologyName()
        numbers = (31 + task.subtopology()) * 31 + task.partition()
        return numbers * 31 + (string_hash(name) if name else 0) & 0xFFFFFFFF

    return bucket_order(tasks, hash_of, buckets)
