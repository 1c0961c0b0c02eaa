"""Right of an instance to run: the lock of its state directory and the lease on its checkpoint.

Another instance that has them is a reason to refuse the start or, with
``millstream.takeover=wait``, to wait as a hot spare until that one has ended or is out of reach.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import CHECKPOINT_ADOPT, TAKEOVER, TAKEOVER_LEASE
from millstream.core.errors import LockException, StreamsException, TaskMigratedException
from millstream.topology.spark.admission.lease import (
    HeldLease,
    LeaseNote,
    Leases,
    LeaseWatch,
    Seen,
)
from millstream.topology.spark.admission.processes import this_process
from millstream.topology.spark.checkpoint.descriptor import local_path
from millstream.topology.spark.checkpoint.files import Files, LocalFiles
from millstream.topology.spark.checkpoint.origin import root_of
from millstream.topology.spark.full_disk import full_disk_from
from millstream.topology.spark.logs import progress
from millstream.topology.spark.ownership import Claim, this_machine
from millstream.topology.spark.private import write_private
from millstream.topology.spark.state.slots import DirectoryLock

log = logging.getLogger(__name__)

OWNER = "owner"
"""File in the state directory: the last instance that had its lock and the lease."""
_LONGEST_PAUSE_S = 1.0
_PAUSES = 20
"""How often a waiting instance looks in the time of a lease."""
_PART_S = 0.05
_ONE = "Run one instance for each application.id."
_HERE = (
    "Call close() of that object first. If no variable has it any more, as after a cell of a "
    "notebook has run twice, end the process: restart the notebook's kernel."
)
_CORES = "For more speed give one instance more cores or executors (spark.master)."
_WAIT = f"With {TAKEOVER}=wait a second instance waits, and takes over when the first one ends."

_signed_here: dict[str, int] = {}
"""Instances that have had a lock here, and the process; one that is forked has a copy of this."""


class Takeover:
    """Lock and lease of one instance.

    Args:
        config: The application's configuration.
        instance: The instance's id.
        state_dir: The application's local files.
        lock: The lock of that directory.
        location: The whole checkpoint, for errors.
    """

    def __init__(
        self,
        config: StreamsConfig,
        instance: str,
        state_dir: Path,
        lock: DirectoryLock,
        location: str,
    ) -> None:
        self.waits = config.getString(TAKEOVER).lower() == "wait"
        """Whether to wait for another instance's end."""
        self._lease_ms = config.getLong(TAKEOVER_LEASE)
        self._adopts = config.getBoolean(CHECKPOINT_ADOPT)
        self._application_id: str = config.getString("application.id")
        self._instance = instance
        self._state_dir = state_dir
        self._lock = lock
        self._location = location
        self._lease: HeldLease | None = None
        self._later = ""
        self._gone = self._told = False
        self._unreadable = self._signed = False
        self.waiting_for = ""
        """The instance that is waited for; empty when none is."""

    @property
    def is_held(self) -> bool:
        """Whether the lease has been taken."""
        return self._lease is not None

    def lock(self) -> None:
        """Lock the state directory; one that waits does so while it waits.

        Raises:
            LockException: Another instance holds the lock, or the directory cannot be used.
        """
        if not self._lock.acquire() and not self.waits:
            raise self._locked()

    def hold(self, files: Files, check_wanted: Callable[[], None]) -> None:
        """Take the lease; wait until it is free, or for its time to see whether it is over.

        Args:
            files: The whole checkpoint.
            check_wanted: Raises if the application has been closed meanwhile.

        Raises:
            LockException: Another instance runs, and is not to be waited for.
            StreamsException: The lease cannot be read or written.
        """
        leases = Leases(files)
        watch = LeaseWatch(leases, self._lease_ms)
        pause_s = min(_LONGEST_PAUSE_S, self._lease_ms / 1000 / _PAUSES)
        while not self._taken(leases, watch):
            give_up = time.monotonic() + pause_s
            while time.monotonic() < give_up:
                check_wanted()
                time.sleep(_PART_S)
        self.waiting_for = ""

    def check_original(self, claim: Claim | None) -> None:
        """Check that no instance runs on a checkpoint that this one is a copy of.

        A copy has its original's id, so that claim and offsets fit it as they fit one that was
        moved. Where the original can be seen from here, its lease tells which of the two it is.

        Args:
            claim: What the last start has claimed.

        Raises:
            LockException: The instance of the claim renews its lease in the place of the claim.
        """
        path = local_path(root_of(claim.location)) if claim and claim.location else None
        if claim is None or path is None or self._adopts:
            return
        watch = LeaseWatch(Leases(LocalFiles(path)), self._lease_ms)
        with suppress(OSError):
            # Another path of this very place has the lease that this instance holds by now.
            while (seen := watch.look()) is not Seen.FREE and watch.is_of(claim.instance):
                if seen is Seen.OVER:
                    return
                if seen is Seen.LIVE:
                    raise self._copied(claim, str(path))
                time.sleep(min(_LONGEST_PAUSE_S, self._lease_ms / 1000 / _PAUSES))

    def release(self) -> None:
        """Give lease and lock back."""
        self.waiting_for = ""
        lease, self._lease = self._lease, None
        if lease is not None:
            lease.release()
        if self._gone and not self._told:
            log.warning("%s: %s", self._application_id, self._deleted())
        self._lock.release()

    def lost(self) -> StreamsException | None:
        """Return the error for an instance whose lease another one has, or is gone; else None."""
        if self._gone:
            self._told = True
            return self._deleted()
        if not self._later:
            return None
        return TaskMigratedException(
            f'another instance has taken over application "{self._application_id}"',
            detail=f"The lease on its checkpoint belongs to {self._later} now. This one was not "
            f"able to renew it for {self._lease_ms} ms ({TAKEOVER_LEASE}), and has stopped "
            "writing.",
            hint=f"{_ONE} {_WAIT}",
        )

    def _taken(self, leases: Leases, watch: LeaseWatch) -> bool:
        """Look at the lease, and take it if that is allowed; return whether it is this one's."""
        try:
            seen = watch.look()
            locked = self._lock.acquire()
            if locked and (self._adopts or self._had_this_lock(watch.note)):
                seen = Seen.FREE
            # An owner that is frozen keeps its lock; when it comes back it sees that it was late.
            if seen is Seen.OVER or (locked and seen is Seen.FREE):
                return self._take(leases, watch)
        except StreamsException:
            raise
        except Exception as error:  # noqa: BLE001 - of the file system, by way of Java too
            self._not_readable(error)
            return False
        self._unreadable = False
        if not self.waits:
            if not locked:
                raise self._locked()
            if seen is Seen.LIVE:
                raise self._runs(watch.note)
        self._announce(watch.note, locked=locked)
        return False

    def _take(self, leases: Leases, watch: LeaseWatch) -> bool:
        note = LeaseNote(
            instance=self._instance,
            host=this_machine()[0],
            process=this_process(),
            lease_ms=self._lease_ms,
        )
        number = watch.number + 1
        if not leases.create(number, note):
            return False
        if watch.note is not None and not watch.note.released:
            log.warning("%s: takes over from %s", self._application_id, watch.note.owner())
        self._sign()
        # Where the lock was a frozen instance's, it is free when that one has ended.
        self._lease = HeldLease(
            leases, number, note, self._lose, also=self._sign_at_last, gone=self._miss
        )
        self._lease.start()
        log.info("lease taken number=%d instance=%s", number, self._instance)
        return True

    def _sign(self) -> None:
        """Note in the state directory whose lock it is, if it is this instance's."""
        if not self._signed and self._lock.acquire():
            write_private(self._state_dir / OWNER, self._instance)
            _signed_here[self._instance] = os.getpid()
            self._signed = True

    def _sign_at_last(self) -> None:
        """Sign if that is possible; without the note a next start only waits for longer."""
        # It would keep the lease from being renewed, whose owner is alive.
        with suppress(OSError, LockException):
            self._sign()

    def _had_this_lock(self, note: LeaseNote | None) -> bool:
        """Return whether an owner had the lock that is this instance's now: so it has ended."""
        return note is not None and self._last_owner() == note.instance

    def _last_owner(self) -> str:
        with suppress(OSError, UnicodeDecodeError):
            return (self._state_dir / OWNER).read_text("utf-8")
        return ""

    def _lose(self, later: str) -> None:
        self._later = later
        log.warning("%s: the lease belongs to %s now", self._application_id, later)

    def _miss(self) -> None:
        self._gone = True

    def _deleted(self) -> StreamsException:
        return StreamsException(
            f'checkpoint "{self._location}" of application "{self._application_id}" was deleted '
            "while it runs",
            detail="The lease that this instance has written there is gone. A checkpoint has "
            "the only copy of the stores' entries; what batches write from now on would be no "
            "whole one.",
            hint="If its file system is not mounted, mount it and start again. Else delete what is "
            "left of it and put back a copy, or begin with a savepoint (millstream.savepoint), or "
            "reset the application (millstream reset) to read its topics again.",
        )

    def _announce(self, note: LeaseNote | None, *, locked: bool) -> None:
        owner = "another instance" if note is None else note.owner()
        if owner == self.waiting_for:
            return
        self.waiting_for = owner
        if self.waits:
            progress.info("%s: waits as a hot spare for %s", self._application_id, owner)
        elif locked:
            limit_ms = self._lease_ms if note is None else note.lease_ms
            text = "%s: looks for up to %s ms whether %s still runs"
            progress.info(text, self._application_id, limit_ms, owner)

    def _not_readable(self, error: Exception) -> None:
        if isinstance(error, (IsADirectoryError, NotADirectoryError)):
            raise self._in_the_way(error) from error
        if not self.waits:
            if (full := full_disk_from(str(error))) is not None:
                raise full from error
            raise StreamsException(
                f'cannot read or write the lease in checkpoint "{self._location}"',
                detail=f"{type(error).__name__}: {error}.",
                hint="Check that the checkpoint's file system answers and can be written to.",
            ) from error
        if not self._unreadable:
            log.warning("%s: cannot read the lease: %r", self._application_id, error)
        self._unreadable = True

    def _in_the_way(self, error: OSError) -> StreamsException:
        """Return the error for a directory in a file's place, or a file in a directory's."""
        # Above a path whose parent is no directory nothing else is a file.
        at = Path(error.filename)
        found = next((each for each in (at, *at.parents) if each.is_file()), at)
        kinds = ("directory", "file") if found.is_dir() else ("file", "directory")
        return StreamsException(
            f'"{found}" is a {kinds[0]}, and has to be a {kinds[1]}',
            detail=f"Here an instance notes that it runs application {self._application_id!r} on "
            f'checkpoint "{self._location}". No entry of a store is in it.',
            hint="See that no other instance runs, move it away, and start again. If it is the "
            "checkpoint itself or above it, set millstream.checkpoint.location or state.dir.",
        )

    def _locked(self) -> LockException:
        here = _signed_here.get(self._last_owner()) == os.getpid()
        return LockException(
            f'another instance of application "{self._application_id}" runs in the state '
            f'directory "{self._state_dir}"',
            detail="Another KafkaStreams object of this process has started it." if here else "",
            hint=f"{_HERE} {_WAIT}" if here else f"Close it first. {_CORES} {_WAIT}",
        )

    def _copied(self, claim: Claim, original: str) -> LockException:
        return LockException(
            f'checkpoint "{self._location}" is a copy of "{original}", and another instance of '
            f'application "{self._application_id}" runs there',
            detail=f'Instance {claim.instance} on machine "{claim.host}" has renewed its lease a '
            "moment ago.",
            hint="Close it first, and copy the checkpoint after that: it goes on in the copy then. "
            "To try something with a copy of its state, begin another application.id with a "
            "savepoint (millstream.savepoint). To stop that instance and go on here, start once "
            "with millstream.checkpoint.adopt=true.",
        )

    def _runs(self, note: LeaseNote | None) -> LockException:
        owner = "An instance" if note is None else f"I{note.owner()[1:]}"
        return LockException(
            f'another instance of application "{self._application_id}" runs on checkpoint '
            f'"{self._location}"',
            detail=f"{owner} has renewed its lease a moment ago.",
            hint=f"Close it first. {_CORES} {_WAIT}",
        )
