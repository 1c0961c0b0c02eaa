"""Log lines about an application's progress: start, first batch, rate and lag."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from millstream.topology.spark.logs import progress
from millstream.topology.spark.progress import lag_of, records_of

Progress = Mapping[str, Any]
_LOOK_S = 0.5


class ProgressLines:
    """Writes a line when the first batch has ended, and one in every interval.

    Args:
        application_id: The application's id.
        interval_s: Time between two lines; 0 or less for none.
        clock: Monotonic clock in seconds.
    """

    def __init__(
        self,
        application_id: str,
        interval_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._application_id = application_id
        self._interval_s = interval_s
        self._clock = clock
        self._began = clock()
        self._due = 0.0
        self._batch: int | None = None
        """The last batch in a line."""
        self._told_at = self._began

    def say(self, text: str, *args: object) -> None:
        """Write a line about the application."""
        progress.info(f"%s: {text}", self._application_id, *args)

    def starting(self, log: str) -> None:
        """Write that the start begins, and the path of the log."""
        self._began = self._clock()
        if log:
            # An argument, as a path may have any character.
            self.say("starting; log in %s", log)
        else:
            self.say("starting")

    def first_batch(self, tasks: int) -> None:
        """Write that the query runs."""
        self._batch, self._due, self._told_at = None, 0.0, self._clock()
        took = self._told_at - self._began
        self.say("started in %.1f s, %s; the first batch begins", took, _many(tasks, "task"))

    def look(
        self,
        last: Callable[[], Progress | None],
        recent: Callable[[], Any],
        busy_with: Callable[[], object],
    ) -> None:
        """Write a line if one is due.

        Args:
            last: Returns Spark's progress of the last batch.
            recent: Returns the progress of the last batches, oldest first.
            busy_with: Returns the batch that runs; None if there is nothing to do.
        """
        now = self._clock()
        if now < self._due:
            return
        self._due = now + _LOOK_S
        if self._batch is None:
            found = last()
            if found is not None:
                self._write_first(found, now)
            elif 0 < self._interval_s <= now - self._told_at and busy_with() is not None:
                self._told_at = now
                self.say("running; the first batch has not ended after %.0f s", now - self._began)
        elif 0 < self._interval_s <= now - self._told_at:
            self._write_rate(recent(), busy_with() is None, now)

    def _write_first(self, first: Progress, now: float) -> None:
        self._batch, self._told_at = int(first["batchId"]), now
        self.say(
            "running; first batch: %s in %.1f s, %s",
            _many(records_of(first), "record"),
            now - self._began,
            _behind(first),
        )

    def _write_rate(self, recent: Sequence[Progress], idle: bool, now: float) -> None:
        assert self._batch is not None
        new = [each for each in recent if each["batchId"] > self._batch]
        span, self._told_at = now - self._told_at, now
        if not new:
            why = "no new records" if idle else "no batch has ended"
            self.say(f"running; {why} for %.0f s", span)
            return
        # Spark keeps the progress of a limited number of batches.
        share = len(new) / max(1, new[-1]["batchId"] - self._batch)
        self._batch = new[-1]["batchId"]
        self.say(
            "running; %s records a second, %s, %.1f s a batch",
            f"{sum(map(records_of, new)) / share / span:,.0f}",
            _behind(new[-1]),
            sum(map(_seconds, new)) / len(new),
        )


def _seconds(progress: Progress) -> float:
    return float((progress.get("durationMs") or {}).get("triggerExecution", 0)) / 1000


def _behind(progress: Progress) -> str:
    lag = lag_of(progress)
    # Spark does not ask for the ends of topics before it repeats a batch.
    return "a repeated batch: the next tells how far behind" if lag is None else f"{lag:,} behind"


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"
