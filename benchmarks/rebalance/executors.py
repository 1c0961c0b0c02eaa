"""A simulated executor: its tasks, the state on its disk, its restores."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

CLEANUP_S = 600.0


@dataclass(slots=True)
class Copy:
    """The state of a task on a disk."""

    missing: float
    """Bytes that are not there yet."""
    since: float | None = None
    """Time since which no task updates it; None while a task does."""

    def is_old(self, now: float) -> bool:
        """Return whether it is deleted: after state.cleanup.delay.ms."""
        return self.since is not None and now - self.since > CLEANUP_S


class Executor:
    """A process with a disk; it restores one state after the other.

    Args:
        name: Its name.
        threads: How many tasks it runs at the same time.
        sizes: The bytes of each task's state.
        rate: Bytes that it restores in a second.
        churn: The part of a state that changes in a second.
    """

    def __init__(
        self, name: str, threads: int, sizes: list[float], rate: float, churn: float
    ) -> None:
        self.name = name
        self.threads = threads
        self.active: set[int] = set()
        self.standby: set[int] = set()
        self.warmup: set[int] = set()
        self.suspended: set[int] = set()
        self.copies: dict[int, Copy] = {}
        self.present = True
        self.epoch = 0
        """Changes when what it restores does."""
        self.restored = 0.0
        """Bytes, of all states so far."""
        self._queue: deque[int] = deque()
        self._started = 0.0
        self._sizes, self._rate, self._churn = sizes, rate, churn

    def lag(self, task: int, now: float) -> float:
        """Return how many bytes it lacks of a task's state."""
        copy = self.copies.get(task)
        size = self._sizes[task]
        if copy is None:
            return size
        stale = 0.0 if copy.since is None else self._churn * size * (now - copy.since)
        return min(size, copy.missing + stale)

    def restore(self, now: float) -> float | None:
        """Go on restoring what its tasks lack: active ones first; return when the next is there."""
        self.pause(now)
        kept = self.active | self.warmup | self.standby
        for task in kept:
            copy = self.copies.get(task)
            if copy is None or copy.since is not None:
                self.copies[task] = Copy(self.lag(task, now))
        for task, copy in self.copies.items():
            if task not in kept and copy.since is None:
                copy.since = now
        for tasks in (self.active, self.warmup, self.standby):
            self._queue += sorted(task for task in tasks if self.copies[task].missing > 0)
        return self._next(now)

    def finished(self, now: float) -> tuple[int, float | None]:
        """Return the task whose state is there, and when the next one will be."""
        task = self._queue.popleft()
        copy = self.copies[task]
        self.restored += copy.missing
        copy.missing = 0.0
        return task, self._next(now)

    def pause(self, now: float) -> None:
        """Stop restoring; what has been restored stays."""
        if self._queue:
            copy = self.copies[self._queue[0]]
            done = min(copy.missing, (now - self._started) * self._rate)
            copy.missing -= done
            self.restored += done
        self._queue.clear()
        self.epoch += 1

    def leave(self, now: float) -> None:
        """Leave: from now on no task updates its disk."""
        self.pause(now)
        self.present = False
        for copy in self.copies.values():
            if copy.since is None:
                copy.since = now

    def have(self, tasks: set[int]) -> None:
        """Have all state of some tasks."""
        self.copies |= {task: Copy(0.0) for task in tasks}

    def lose_disk(self) -> None:
        """Forget all state."""
        self.copies.clear()

    def lags(self, now: float) -> dict[int, float]:
        """Return how many bytes it lacks of each task that it does not run but has state of.

        State that no task has updated for long is deleted first.
        """
        for task in [task for task, copy in self.copies.items() if copy.is_old(now)]:
            if task not in self.active:
                del self.copies[task]
        held = sorted(task for task in self.copies if task not in self.active)
        return {task: self.lag(task, now) for task in held}

    def _next(self, now: float) -> float | None:
        self._started = now
        if not self._queue:
            return None
        return now + self.copies[self._queue[0]].missing / self._rate
