"""Simulated executors and their tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from benchmarks.rebalance.checks import check_free
from benchmarks.rebalance.clock import Clock
from benchmarks.rebalance.executors import Executor
from benchmarks.rebalance.ledger import Ledger
from benchmarks.rebalance.settings import ENTRY_BYTES, MB, Setting
from millstream.core.processor import TaskId

SUBTOPOLOGIES = 4


class World:
    """Executors that run, stop and restore tasks.

    Args:
        setting: Sizes and costs.
        clock: The time.
        all_wait: Whether no task runs while one of them restores its state, as in a batch.
        warmed: Called with an executor, a task and the time when a warm-up is ready.
    """

    def __init__(
        self,
        setting: Setting,
        clock: Clock,
        all_wait: bool,
        warmed: Callable[[str, int, float], None],
    ) -> None:
        self.tasks = tasks_of(setting.tasks)
        self.numbers = {task: number for number, task in enumerate(self.tasks)}
        self.sizes = setting.sizes()
        entries = (int(size / ENTRY_BYTES) for size in self.sizes)
        self.entries = dict(zip(self.tasks, entries, strict=True))
        self.executors: dict[str, Executor] = {}
        self.leaving: set[str] = set()
        """Those that go when others can go on with their tasks."""
        self.owners: dict[int, str] = {}
        self.ledger = Ledger()
        self._setting, self._clock, self._warmed = setting, clock, warmed
        self._all_wait = all_wait
        self._lacking: set[int] = set()
        """Tasks whose owners are restoring their state."""

    def add(self, name: str) -> None:
        """Add an executor without tasks."""
        setting = self._setting
        rate = setting.restore_mb_s * MB
        self.executors[name] = Executor(name, setting.threads, self.sizes, rate, setting.churn)

    def begin(self, active: dict[str, set[int]], standby: dict[str, set[int]]) -> None:
        """Let everything run, with all state where it belongs."""
        for name, executor in self.executors.items():
            executor.active, executor.standby = set(active[name]), set(standby[name])
            executor.have(executor.active | executor.standby)
            for task in executor.active:
                self.owners[task] = name
                self.ledger.begin(task, name)

    def lags(self, executor: Executor, now: float) -> dict[TaskId, int]:
        """Return how many entries an executor is behind in each state that it keeps a copy of."""
        tasks = self.tasks
        return {tasks[task]: int(lag / ENTRY_BYTES) for task, lag in executor.lags(now).items()}

    def vanish(self, name: str, now: float) -> None:
        """Let an executor disappear."""
        executor = self.executors[name]
        executor.leave(now)
        self.leaving.discard(name)
        self.take(name, set(executor.active), now)
        executor.standby, executor.warmup = set(), set()

    def suspend(self, name: str, tasks: Iterable[TaskId], now: float) -> None:
        """Stop tasks until their executor works again."""
        numbers = [self.numbers[task] for task in tasks]
        self.executors[name].suspended.update(numbers)
        for task in numbers:
            self.ledger.stop(task, now)

    def take(self, name: str, tasks: Iterable[int], now: float) -> None:
        """Take tasks away from an executor."""
        active = self.executors[name].active
        for task in tasks:
            active.remove(task)
            del self.owners[task]
            self._lacking.discard(task)
            self.ledger.stop(task, now)

    def check_stopped(self, name: str, tasks: Iterable[int]) -> None:
        """Check that an executor gets no task that still runs on another one.

        Raises:
            BrokenPromise: One does.
        """
        for task in tasks:
            owner = self.owners.get(task, name)
            if owner != name and task not in self.executors[owner].suspended:
                check_free(self.tasks[task], name, owner)

    def give(self, name: str, tasks: Iterable[int]) -> None:
        """Give an executor tasks that no executor has.

        Raises:
            BrokenPromise: Another executor has one of them.
        """
        active = self.executors[name].active
        for task in tasks:
            check_free(self.tasks[task], name, self.owners.get(task))
            self.owners[task] = name
            active.add(task)
            self.ledger.give(task, name)

    def work(self, name: str, now: float) -> None:
        """Let an executor run its ready tasks and restore the others."""
        executor = self.executors[name]
        executor.suspended.clear()
        if not executor.present:
            return
        self._expect(executor, executor.restore(now))
        lacking = {task for task in executor.active if executor.copies[task].missing > 0}
        self._lacking |= lacking
        for task in executor.active:
            if self._all_wait or task in lacking:
                self.ledger.stop(task, now)
            else:
                self.ledger.run(task, now)

    def release(self, now: float) -> None:
        """Where all wait for all: run all tasks, if none lacks anything."""
        if self._all_wait and not self._lacking:
            for task in self.owners:
                self.ledger.run(task, now)

    def _expect(self, executor: Executor, when: float | None) -> None:
        if when is not None:
            epoch = executor.epoch
            self._clock.at(when, lambda now: self._restored(executor, epoch, now))

    def _restored(self, executor: Executor, epoch: int, now: float) -> None:
        if executor.epoch != epoch:
            return
        task, following = executor.finished(now)
        self._expect(executor, following)
        if task in executor.active:
            self._lacking.discard(task)
            if self._all_wait:
                self.release(now)
            elif task not in executor.suspended:
                self.ledger.run(task, now)
        elif task in executor.warmup:
            self._warmed(executor.name, task, now)


def tasks_of(count: int) -> list[TaskId]:
    """Return so many tasks, of a few sub-topologies."""
    return [TaskId(number % SUBTOPOLOGIES, number // SUBTOPOLOGIES) for number in range(count)]
