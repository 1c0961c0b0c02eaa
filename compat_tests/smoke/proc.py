"""Processes of an application, found below its driver."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_DAEMON = "millstream.topology.spark.daemon"
_SERVER = "fork-server"


def descendants(pid: int) -> list[int]:
    """Return a process and all below it, the first one first."""
    children: dict[int, list[int]] = {}
    for each in _all():
        with suppress(OSError, ValueError, IndexError):
            stat = Path(f"/proc/{each}/stat").read_text()
            children.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(each)
    found, waiting = [], [pid]
    while waiting:
        found.append(now := waiting.pop(0))
        waiting += children.get(now, [])
    return found


def command(pid: int) -> str:
    """Return a process's command line; empty if it is gone."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""


def name_of(pid: int) -> str:
    """Return the short name of a process; empty if it is gone."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def is_worker(pid: int) -> bool:
    """Tell whether a process is a Python worker of Spark: it has the name of its daemon."""
    above = parent(pid)
    return (
        _DAEMON in command(above)
        and name_of(parent(above)) == _SERVER
        and (name_of(pid) == name_of(above))
    )


def parent(pid: int) -> int:
    """Return a process's parent; 0 if it is gone."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; a zombie does not."""
    with suppress(OSError, IndexError):
        stat = Path(f"/proc/{pid}/stat").read_text()
        return stat.rpartition(")")[2].split()[0] != "Z"
    return False


@dataclass(frozen=True, slots=True)
class Known:
    """A process that was seen, which its number alone does not tell from a later one.

    Linux gives a number again after some 30,000 processes: minutes, where tests start many.
    """

    pid: int
    began: str
    """When it began, in ticks since the machine's start."""

    @classmethod
    def of(cls, pid: int) -> Known:
        """Return a process that runs now."""
        return cls(pid, _began(pid))

    def runs(self) -> bool:
        """Tell whether it still runs."""
        return self.began != "" and _began(self.pid) == self.began


def _began(pid: int) -> str:
    with suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    return ""


def send(pids: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to all of them that still run."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def kill_all(pids: Iterable[int]) -> None:
    """Kill processes and wait until they are gone."""
    pids = list(pids)
    send(pids, signal.SIGKILL)
    give_up = time.monotonic() + 20
    while any(is_alive(pid) for pid in pids) and time.monotonic() < give_up:
        time.sleep(0.02)


def kill_known(processes: Iterable[Known]) -> None:
    """Kill those of some processes that still run, however long ago they were seen."""
    kill_all([each.pid for each in processes if each.runs()])


def _all() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]
