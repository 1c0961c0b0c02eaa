"""Lease on a checkpoint: which instance runs on it, and whether it still does.

Below ``millstream-lease`` in the checkpoint each lease is a file whose name is its number; the
highest is the current one. Its owner alone writes it, again and again while it runs. Others look
whether it changes, by their own clocks: no two machines' clocks are compared. The next owner
creates the file with the next number, which only one of several can do.

The lease decides who starts. Who may write is decided by the claim and the producers' epochs
(``ownership``), also where an owner was only slow, or frozen, and comes back.
"""

from __future__ import annotations

import enum
import json
import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import TAKEOVER_LEASE
from millstream.core.typed_json import Count, read_json
from millstream.topology.spark.admission.processes import has_ended
from millstream.topology.spark.checkpoint.files import Files

log = logging.getLogger(__name__)

LEASES = "millstream-lease"
VERSION = 1
BEATS = 5
"""How often an owner renews its lease in the lease's time."""
_KEPT = 2
_RELEASE_S = 5.0
_LOOK_S = 0.5
_SUFFIX = ".json"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseNote:
    """What an owner writes into its lease."""

    instance: str
    host: str
    """Name of its machine."""
    process: str = ""
    """Its process, as ``processes.this_process`` identifies it."""
    lease_ms: Count
    """Time without a change after which the lease is over."""
    beat: Count = 0
    """Counts the renewals."""
    released: bool = False
    """Whether its owner has ended."""
    version: int = VERSION

    def to_json(self) -> str:
        """Return the file's text."""
        return json.dumps(asdict(self), indent=1)

    def owner(self) -> str:
        """Return whose lease it is, for an error or the log."""
        return f'instance {self.instance} on machine "{self.host}"'


class Leases:
    """The leases of a checkpoint.

    Args:
        files: The whole checkpoint, with all its generations.
    """

    def __init__(self, files: Files) -> None:
        self._files = files

    def current(self) -> tuple[int, str]:
        """Return number and text of the current lease; 0 and an empty text if there is none.

        Raises:
            OSError: It cannot be read.
        """
        number = max(self._numbers(), default=0)
        with suppress(UnicodeDecodeError):
            return number, self._files.text(_path(number)) if number else ""
        return number, ""

    def create(self, number: int, note: LeaseNote) -> bool:
        """Create a lease; return False if it exists: another instance was faster."""
        if not self._files.create(_path(number), note.to_json()):
            return False
        for each in self._numbers():
            if each <= number - _KEPT:
                self._files.remove(_path(each))
        return True

    def write(self, number: int, note: LeaseNote) -> None:
        """Renew a lease."""
        self._files.write(_path(number), note.to_json())

    def _numbers(self) -> list[int]:
        names = (name.removesuffix(_SUFFIX) for name in self._files.names(LEASES))
        return [int(name) for name in names if name.isdecimal()]


def _path(number: int) -> str:
    return f"{LEASES}/{number}{_SUFFIX}"


def note_from(text: str) -> LeaseNote | None:
    """Return what a lease says; None if it is not readable (yet)."""
    try:
        return read_json(text, LeaseNote)
    except ValueError:
        return None


class Seen(enum.Enum):
    """What a look at the current lease has shown."""

    FREE = "free"
    """There is none, or its owner has ended."""
    OVER = "over"
    """It has not been renewed for its whole time: its owner is frozen, cut off or dead."""
    UNKNOWN = "unknown"
    """It may be over; time will tell."""
    LIVE = "live"
    """It was renewed between two looks."""


class LeaseWatch:
    """Judges whether the current lease is over, by looking at it again and again.

    Args:
        leases: The leases of the checkpoint.
        lease_ms: Time of a lease whose own is not readable.
        clock: Monotonic clock in seconds.
    """

    def __init__(
        self, leases: Leases, lease_ms: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._leases = leases
        self._lease_ms = lease_ms
        self._clock = clock
        self._last: tuple[int, str] | None = None
        self._since = 0.0
        self.number = 0
        """Number of the lease seen last; 0 for none."""
        self.note: LeaseNote | None = None
        """What it said; None if it was not readable."""

    def look(self) -> Seen:
        """Look at the current lease.

        Raises:
            OSError: It cannot be read; the next look begins anew.
        """
        # First, so that a pause of this process between the two does not count against the owner.
        now = self._clock()
        before, self._last = self._last, None
        self._last = found = self._leases.current()
        self.number, self.note = found[0], note_from(found[1])
        if not self.number or (self.note is not None and _is_free(self.note)):
            return Seen.FREE
        if found != before:
            self._since = now
            return Seen.UNKNOWN if before is None else Seen.LIVE
        lease_ms = self._lease_ms if self.note is None else self.note.lease_ms
        return Seen.OVER if now - self._since >= lease_ms / 1000 else Seen.UNKNOWN

    def is_of(self, instance: str) -> bool:
        """Return whether the lease seen last is that of an instance."""
        return self.note is not None and self.note.instance == instance


def _is_free(note: LeaseNote) -> bool:
    return note.released or has_ended(note.process)


def running_owner(files: Files, config: StreamsConfig) -> str | None:
    """Return who runs on a checkpoint; None for nobody. It may take the time of a lease.

    Args:
        files: The whole checkpoint, with all its generations.
        config: The application's configuration.

    Raises:
        OSError: The lease cannot be read.
    """
    watch = LeaseWatch(Leases(files), config.getLong(TAKEOVER_LEASE))
    while (seen := watch.look()) is Seen.UNKNOWN:
        time.sleep(_LOOK_S)
    if seen is not Seen.LIVE:
        return None
    return "an instance" if watch.note is None else watch.note.owner()


class HeldLease:
    """This instance's lease, renewed until it is released or another instance has the next one.

    Args:
        leases: The leases of the checkpoint.
        number: Number of this one, which has been created.
        note: What was written into it.
        lost: Called with the owner of a later lease, once, from the renewing thread.
        also: Called at each renewal.
        gone: Called once if the lease's file was deleted, and the checkpoint most likely with it.
    """

    def __init__(
        self,
        leases: Leases,
        number: int,
        note: LeaseNote,
        lost: Callable[[str], None],
        also: Callable[[], object] = lambda: None,
        gone: Callable[[], None] = lambda: None,
    ) -> None:
        self.number = number
        self._leases = leases
        self._note = note
        self._lost = lost
        self._also = also
        self._gone = gone
        self._written = True
        """Whether its file must be there: a write that failed may have left none."""
        self._ended = threading.Event()
        self._told = False
        self._thread = threading.Thread(target=self._run, name="millstream-lease", daemon=True)

    def start(self) -> None:
        """Begin to renew it."""
        self._thread.start()

    def renew(self) -> bool:
        """Renew the lease; return False if another instance has a later one, or its file is gone.

        A file that is gone is not written again: that would make the checkpoint's directory anew,
        and hide that it was deleted.

        Raises:
            Exception: The checkpoint's file system does not answer.
        """
        if not self._is_there():
            return False
        self._note = replace(self._note, beat=self._note.beat + 1)
        self._write(self._note)
        return True

    def release(self) -> None:
        """Stop renewing, and say in the lease that its owner has ended."""
        self._ended.set()
        if self._thread.ident is not None:
            # A file system may not answer for minutes: the lease then ends by itself.
            self._thread.join(_RELEASE_S)

    def _is_there(self) -> bool:
        """Return whether the current lease is this one; tell who has it, or that it is gone."""
        number, text = self._leases.current()
        found = note_from(text)
        # Where the files were deleted, another instance begins with the number 1 again.
        other = found is not None and found.instance != self._note.instance
        if number > self.number or (other and number == self.number):
            self._lost("another instance" if found is None else found.owner())
        elif number < self.number and self._written:
            self._gone()
        else:
            return True
        return False

    def _write(self, note: LeaseNote) -> None:
        self._written = False
        self._leases.write(self.number, note)
        self._written = True

    def _run(self) -> None:
        if not self._renewed_until_ended():
            return
        try:
            if self._is_there():
                self._write(replace(self._note, released=True))
        except Exception as error:  # noqa: BLE001 - Spark may be gone
            log.info("lease not released number=%d error=%r", self.number, error)

    def _renewed_until_ended(self) -> bool:
        """Renew until the end; return False if the lease is another instance's, or gone."""
        while not self._ended.wait(self._note.lease_ms / 1000 / BEATS):
            try:
                self._also()
                if not self.renew():
                    return False
                self._told = False
            except Exception as error:  # noqa: BLE001 - the checkpoint may be out of reach for a while
                level = logging.DEBUG if self._told else logging.WARNING
                log.log(level, "lease not renewed number=%d error=%r", self.number, error)
                self._told = True
        return True
