"""Periodic calls on a clock: what ``ProcessorContext.schedule`` sets up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millstream.core.durations import LONG_MAX
from millstream.core.java_collections import PriorityQueue
from millstream.core.processor import Cancellable


class Punctuation(Cancellable):
    """One schedule: a node, an interval in milliseconds and the next time it is due."""

    __slots__ = ("callback", "cancelled", "interval_ms", "made_ms", "next_ms", "node", "ordinal")

    def __init__(
        self,
        node: Any,
        ordinal: int,
        next_ms: int,
        interval_ms: int,
        callback: Callable[[int], Any],
    ) -> None:
        self.node = node
        self.ordinal = ordinal
        """Which of the node's schedules this is; names it across restarts."""
        self.next_ms = next_ms
        self.interval_ms = interval_ms
        self.callback = callback
        self.cancelled = False
        self.made_ms: int | None = None
        """What the clock read when it was made; None: it does not matter."""

    def cancel(self) -> None:
        self.cancelled = True

    def advance(self, now_ms: int) -> None:
        """Move to the next point of the grid; points missed by ``now_ms`` are skipped."""
        missed = max(0, (now_ms - self.next_ms) // self.interval_ms)
        self.next_ms += (missed + 1) * self.interval_ms


class PunctuationQueue:
    """The schedules of one clock, the next due first.

    Source: Kafka's ``PunctuationQueue`` and ``PunctuationSchedule``.
    """

    __slots__ = ("_lasting", "_queue", "_settled")

    def __init__(self) -> None:
        self._queue: PriorityQueue[Punctuation] = PriorityQueue(lambda due: due.next_ms)
        self._lasting: list[Punctuation] = []
        self._settled = False

    def add(self, punctuation: Punctuation) -> None:
        """Take up a schedule."""
        self._queue.add(punctuation)
        if not self._settled:
            self._lasting.append(punctuation)

    def settle(self) -> None:
        """Note that every processor has been initialised.

        What is scheduled later is not made again by a restart, so there is nothing to save of it.
        """
        self._settled = True

    def next_ms(self) -> int | None:
        """Return when the next schedule is due; None if there is none."""
        first = self._queue.peek()
        return None if first is None else first.next_ms

    def run(
        self, now_ms: int, punctuate: Callable[[Punctuation, int], None], *, new_wait: bool = False
    ) -> bool:
        """Call ``punctuate`` once for each schedule due at ``now_ms``; tell if any was.

        With ``new_wait``, those made at ``now_ms`` wait until the clock has moved on, unless
        ``punctuate`` makes them.
        """
        waiting = set[Punctuation]()
        if new_wait:
            # Only then: a program may have a schedule for each of its records, and this look at
            # all of them for each record.
            due = [each for each in self._queue.items() if each.next_ms <= now_ms]
            waiting = {each for each in due if each.made_ms == now_ms}
            if len(waiting) == len(due):
                # Taking them out and putting them back would change the order of equal times.
                return False
        ran, passed = False, []
        while (first := self._queue.peek()) is not None and first.next_ms <= now_ms:
            self._queue.poll()
            if first in waiting:
                passed.append(first)
                continue
            if first.cancelled:
                continue
            punctuate(first, now_ms)
            ran = True
            if not first.cancelled:
                first.advance(now_ms)
                self._queue.add(first)
        for each in passed:
            self._queue.add(each)
        return ran

    def saved(self) -> list[tuple[str, int, int, bool]]:
        """Return (node, ordinal, next time, cancelled) of schedules, for ``restore``.

        A snapshot has room for 64 bits; what is due later than those can say is never due.
        """
        return [
            (p.node.name, p.ordinal, min(p.next_ms, LONG_MAX), p.cancelled) for p in self._lasting
        ]

    def restore(self, saved: list[tuple[str, int, int, bool]], now_ms: int) -> None:
        """Give schedules that exist again the times they had; others keep their new ones.

        None is later than one made now would be, or an interval from now: the interval may have
        been longer before, and a wall clock may have been set back.
        """
        known = {(node, ordinal): (due, gone) for node, ordinal, due, gone in saved}
        self._queue = PriorityQueue(lambda due: due.next_ms)
        for punctuation in self._lasting:
            identity = (punctuation.node.name, punctuation.ordinal)
            if identity in known:
                due_ms, punctuation.cancelled = known[identity]
                latest_ms = max(punctuation.next_ms, now_ms + punctuation.interval_ms)
                punctuation.next_ms = min(due_ms, latest_ms)
                punctuation.made_ms = None
            self._queue.add(punctuation)
