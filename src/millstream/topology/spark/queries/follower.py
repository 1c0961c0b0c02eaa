"""Thread of the driver that keeps the copies of stores up to date while they are asked for."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection
from typing import Protocol

from millstream.topology.spark.queries.carrying import Carrying

log = logging.getLogger(__name__)

ASKED_S = 60.0
"""How long a store counts as asked for after a question."""
SOON_S = 0.02
"""Time between two looks for the commit of a batch that has reached its end."""
LATER_S = 0.5
"""The same while no batch has."""
_SHARE_OF_READING = 10
"""Reading the checkpoint takes at most one part in this many of the time."""


class Followed(Protocol):
    """Copies of stores that can be brought up to date."""

    def advance(self, stage: int) -> int | None:
        """Apply what committed batches have carried; return the batch that cannot be reached so.

        None if the copies are at the last committed batch.
        """

    def read(self, stage: int, names: Collection[str]) -> None:
        """Read the checkpoint."""

    def oldest(self, stages: Collection[int]) -> int:
        """Return the last batch that all copies have; -1 if there is none."""


class QueryFollower:
    """Says which stores are asked for, and applies their changes as soon as Spark has committed.

    The thread starts with the first question, and sleeps while nothing has been asked for a while.

    Args:
        carrying: What batches carry.
        followed: The copies.
        clock: Seconds of any clock that only goes forward.
    """

    def __init__(
        self,
        carrying: Carrying,
        followed: Followed,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._carrying = carrying
        self._followed = followed
        self._clock = clock
        self._asked: dict[tuple[int, str], float] = {}
        self._wake = threading.Event()
        self._ended = False
        self._thread: threading.Thread | None = None
        self._may_read_at = 0.0
        carrying.on_news = self._wake.set

    def asked(self, stage: int, name: str) -> None:
        """Note a question."""
        is_new = (stage, name) not in self._asked
        self._asked[stage, name] = self._clock()
        if not is_new or self._ended:
            return
        self._wake.set()
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._run, name="millstream-queries", daemon=True
            )
            self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._ended = True
        self._wake.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(10)

    def look(self) -> float | None:
        """Do once what the thread does; return the seconds until the next look, None for no end."""
        wanted = self._wanted()
        self._carrying.ask(wanted)
        if not wanted:
            return None
        newest = self._carrying.newest()
        for stage in wanted:
            # Decoded before the copies are locked.
            self._carrying.changes(newest, stage)
        for stage, names in wanted.items():
            missed = self._followed.advance(stage)
            # What no batch carries is left to the questions.
            if missed is not None and missed <= newest and self._clock() >= self._may_read_at:
                self._read(stage, names)
        oldest = self._followed.oldest(wanted)
        self._carrying.forget_until(oldest)
        return SOON_S if newest > oldest else LATER_S

    def _read(self, stage: int, names: Collection[str]) -> None:
        began = self._clock()
        try:
            self._followed.read(stage, names)
        finally:
            took = self._clock() - began
            self._may_read_at = self._clock() + took * (_SHARE_OF_READING - 1)

    def _run(self) -> None:
        while not self._ended:
            self._wake.clear()
            pause: float | None = LATER_S
            try:
                pause = self.look()
            except Exception as error:  # noqa: BLE001 - whoever asks is told what is wrong
                log.info("copies of stores for queries do not follow now: %r", error)
            self._wake.wait(pause)

    def _wanted(self) -> dict[int, frozenset[str]]:
        since = self._clock() - ASKED_S
        for key, at in list(self._asked.items()):
            if at < since:
                del self._asked[key]
        found: dict[int, frozenset[str]] = {}
        for stage, name in list(self._asked):
            found[stage] = found.get(stage, frozenset()) | {name}
        return found
