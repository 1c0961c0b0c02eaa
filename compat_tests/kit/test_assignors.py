"""The kit passes assignors that keep their promises and says what the others break."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest

from millstream import (
    ApplicationState,
    AssignedTask,
    KafkaStreamsAssignment,
    ProcessId,
    StickyTaskAssignor,
    TaskAssignmentUtils,
    TaskAssignor,
    TaskId,
)
from millstream.testing.kit import TaskAssignorTests, run_suite
from millstream.testing.kit.promises import BrokenPromise
from millstream.topology.assign.stock import (
    HighAvailabilityByName,
    RoundRobinByName,
    StickyByName,
)

ACTIVE, STANDBY = AssignedTask.Type.ACTIVE, AssignedTask.Type.STANDBY


class Plain(TaskAssignor):
    """Deals out the tasks in order."""

    name = "plain"

    def assign(self, applicationState: ApplicationState) -> TaskAssignor.TaskAssignment:
        given = self.dealt(applicationState)
        TaskAssignmentUtils.defaultStandbyTaskAssignment(applicationState, given)
        return TaskAssignor.TaskAssignment(list(given.values()))

    def dealt(self, state: ApplicationState) -> dict[ProcessId, KafkaStreamsAssignment]:
        states = state.kafkaStreamsStates(False)
        given = {id: KafkaStreamsAssignment.of(id, ()) for id in self.ordered(states)}
        turns = [id for id in given for _ in range(states[id].numProcessingThreads())]
        for id, task in zip(itertools.cycle(turns), sorted(state.allTasks()), strict=False):
            given[id].assignTask(AssignedTask(task, ACTIVE))
        return given

    def ordered(self, ids: Iterable[ProcessId]) -> list[ProcessId]:
        return sorted(ids)


class TakesOver(Plain):
    """Has the keeper of a copy run the task, too."""

    name = "takes-over"

    def assign(self, applicationState: ApplicationState) -> TaskAssignor.TaskAssignment:
        computed = super().assign(applicationState)
        for each in computed.assignment():
            for task in list(each.tasks().values()):
                if task.type() is STANDBY:
                    each.assignTask(AssignedTask(task.id(), ACTIVE))
        return computed


class LeavesOut(Plain):
    """Leaves out whoever has nothing to do."""

    name = "leaves-out"

    def assign(self, applicationState: ApplicationState) -> TaskAssignor.TaskAssignment:
        given = self.dealt(applicationState).values()
        return TaskAssignor.TaskAssignment([each for each in given if each.tasks()])


class Invents(Plain):
    """Gives somebody a task of its own."""

    name = "invents"

    def assign(self, applicationState: ApplicationState) -> TaskAssignor.TaskAssignment:
        given = list(self.dealt(applicationState).values())
        given[0].assignTask(AssignedTask(TaskId(9, 9), ACTIVE))
        return TaskAssignor.TaskAssignment(given)


class CopiesAll(Plain):
    """Keeps copies of what has no state."""

    name = "copies-all"

    def assign(self, applicationState: ApplicationState) -> TaskAssignor.TaskAssignment:
        given = list(self.dealt(applicationState).values())
        for each, other in itertools.pairwise(given):
            for task in list(each.tasks()):
                if task not in other.tasks():
                    other.assignTask(AssignedTask(task, STANDBY))
        return TaskAssignor.TaskAssignment(given)


class Crowds(Plain):
    """Gives everything to the first."""

    name = "crowds"

    def assign(self, applicationState: ApplicationState) -> TaskAssignor.TaskAssignment:
        first, *others = sorted(applicationState.kafkaStreamsStates(False))
        tasks = [AssignedTask(task, ACTIVE) for task in applicationState.allTasks()]
        given = [KafkaStreamsAssignment.of(id, ()) for id in others]
        return TaskAssignor.TaskAssignment([KafkaStreamsAssignment.of(first, tasks), *given])


class Counts(Plain):
    """Begins somewhere else each time."""

    name = "counts"
    calls = itertools.count()

    def dealt(self, state: ApplicationState) -> dict[ProcessId, KafkaStreamsAssignment]:
        given = super().dealt(state)
        ids = list(given)
        start = next(self.calls) % len(ids)
        own = [given[id].tasks().values() for id in ids]
        turned = own[start:] + own[:start]
        return {
            id: KafkaStreamsAssignment.of(id, tasks) for id, tasks in zip(ids, turned, strict=True)
        }


class Listed(Plain):
    """Follows the order in which the processes are listed."""

    name = "listed"

    def ordered(self, ids: Iterable[ProcessId]) -> list[ProcessId]:
        return list(ids)


class Swaps(Plain):
    """Passes every task on to the next."""

    name = "swaps"

    def dealt(self, state: ApplicationState) -> dict[ProcessId, KafkaStreamsAssignment]:
        states = state.kafkaStreamsStates(False)
        ids = sorted(states)
        owner = {
            task: (number + 1) % len(ids)
            for number, id in enumerate(ids)
            for task in states[id].previousActiveTasks()
        }
        given = {id: KafkaStreamsAssignment.of(id, ()) for id in ids}
        for number, task in enumerate(sorted(state.allTasks())):
            id = ids[owner.get(task, number % len(ids))]
            given[id].assignTask(AssignedTask(task, ACTIVE))
        return given


class SaysSticky(Plain):
    """Promises what it does not do."""

    name = "says-sticky"
    sticky = True


class TestPlain(TaskAssignorTests):
    assignor_class = Plain


class TestSticky(TaskAssignorTests):
    assignor_class = StickyByName


class TestHighAvailability(TaskAssignorTests):
    assignor_class = HighAvailabilityByName


class TestRoundRobin(TaskAssignorTests):
    assignor_class = RoundRobinByName


class TestKafkasSticky(TaskAssignorTests):
    assignor_class = StickyTaskAssignor


@pytest.mark.parametrize(
    ("assignor", "test", "message"),
    [
        (TakesOver, "any_cluster", "each task has one owner"),
        (LeavesOut, "any_cluster", "every process is in the assignment"),
        (Invents, "any_cluster", "no instance is given a task that does not exist"),
        (CopiesAll, "any_cluster", "only tasks with state have standbys"),
        (
            Crowds,
            "a_new_cluster_is_balanced",
            "a new instance gets the share of its threads, with a slack of 1",
        ),
        (
            Counts,
            "the_same_state_gives_the_same_assignment",
            "the same state gives the same assignment",
        ),
        (
            Listed,
            "the_same_state_gives_the_same_assignment",
            "the same state gives the same assignment",
        ),
        (
            Swaps,
            "it_comes_to_rest",
            "where nothing happens, all is at rest after 30 assignments",
        ),
        (
            SaysSticky,
            "only_what_must_move_moves",
            "a sticky assignor moves no more than it must when an instance joins",
        ),
    ],
)
def test_a_broken_assignor_is_caught(assignor: type[TaskAssignor], test: str, message: str) -> None:
    suite = type("Suite", (TaskAssignorTests,), {"assignor_class": assignor})
    (outcome,) = run_suite(suite, [f"test_{test}"])
    assert isinstance(outcome.error, BrokenPromise)
    assert outcome.message().splitlines()[0] == f"broken promise: {message}"
