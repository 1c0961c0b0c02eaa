"""Standby copy of one task's stores, in a worker that does not run the task."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from millstream.core.errors import ProcessorStateException, StreamsException
from millstream.topology.spark.state.changelog import SegmentReader
from millstream.topology.spark.state.manifest import Manifest
from millstream.topology.spark.state.mirror import Mirror, usable_head
from millstream.topology.spark.state.standby_files import CopyReport
from millstream.topology.spark.worker.task_host import SparkTaskHost

log = logging.getLogger(__name__)

_AT_ONCE = 4
"""Number of segments that are taken in without a pause; more are the state of a whole task."""


class _TakenError(Exception):
    """The copy is wanted while it is brought up to date."""


class StandbyCopy:
    """Follows a task's mirror until the task is to run here.

    The copy never has anything but committed batches. Whoever takes it compares its version with
    the manifest in Spark's state, as with any other working copy.

    Args:
        task: The task's name.
        host: Host of its stores; the task goes on with it.
        mirror: The task's mirror.
        progressed: Called while many segments are taken in, after some of them.
    """

    def __init__(
        self,
        task: str,
        host: SparkTaskHost,
        mirror: Mirror,
        progressed: Callable[[], None] = lambda: None,
    ) -> None:
        self._task = task
        self._progressed = progressed
        self._host = host
        self._mirror = mirror
        self._busy = threading.Lock()
        self._taken = False
        self._head: Manifest | None = None
        """The last manifest that was read."""
        self._seq = 0
        self._ready = False

    def follow(self) -> bool:
        """Take in what is new; return whether there was anything.

        Errors are logged: the copy is then built anew.
        """
        with self._busy:
            if self._taken:
                return False
            try:
                return self._follow()
            except _TakenError:
                return False
            except OSError as error:
                log.info("cannot read the mirror of a task task=%s error=%s", self._task, error)
            except StreamsException as error:
                log.warning("standby copy is built anew task=%s %s", self._task, error)
                self._start_anew()
            return False

    def report(self) -> CopyReport:
        """Return how far the copy is."""
        end = self._seq if self._head is None else self._head.position.seq
        return CopyReport(
            task=self._task,
            seq=self._seq,
            end=max(end, self._seq),
            ready=self._ready,
            entries=dict(self._host.changelog.applied),
        )

    def take(self) -> SparkTaskHost | None:
        """End the copy; return its host for the task that goes on with it, None without a copy.

        A copy that is being built is given up, and does not make the task wait.
        """
        self._taken = True
        with self._busy:
            if self._ready:
                self._host.changelog.rebuilt = []
                return self._host
            self._close()
            return None

    def stop(self) -> None:
        """Stop taking in what is new, as soon as possible."""
        self._taken = True

    def close(self) -> None:
        """Close the stores; their files stay for the next copy of the task here."""
        self.stop()
        with self._busy:
            self._close()

    def _follow(self) -> bool:
        head = usable_head(self._mirror)
        # An attempt at an older batch that ends late may write an older manifest.
        if head is None or (self._head and head.position.seq < self._head.position.seq):
            return False
        while True:
            self._head = head
            try:
                self._host.changelog.catch_up(head, _Paced(self, self._mirror))
            except ProcessorStateException:
                # The task may have deleted old segments meanwhile.
                newer = usable_head(self._mirror)
                if newer is None:
                    self._mirror.discard()
                    raise
                head = newer
                continue
            break
        self._seq, self._ready = head.position.seq, True
        return True

    def at(self, seq: int) -> None:
        """Note that a long way is done up to a segment."""
        self._seq = seq
        self._progressed()

    def _start_anew(self) -> None:
        self._seq, self._ready, self._head = 0, False, None
        with suppress(Exception):
            self._host.discard_stores()

    def _close(self) -> None:
        self._host.close()

    @property
    def taken(self) -> bool:
        """Whether somebody waits for the copy, or has it."""
        return self._taken


class _Paced(SegmentReader):
    """Segments of a mirror, with pauses as long as the work: the tasks here go on meanwhile."""

    def __init__(self, copy: StandbyCopy, mirror: Mirror) -> None:
        self._copy = copy
        self._mirror = mirror
        self._read = 0
        self._began = time.monotonic()

    def get(self, seq: int) -> bytes | None:
        if self._copy.taken:
            raise _TakenError
        self._read += 1
        if self._read > _AT_ONCE:
            self._copy.at(seq)
            time.sleep(min(1.0, time.monotonic() - self._began))
        self._began = time.monotonic()
        return self._mirror.get(seq)
