"""Processes below a process, read from /proc."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_TICKS = os.sysconf("SC_CLK_TCK")


class Process(NamedTuple):
    """A process; its start tells it from a later one of the same number."""

    pid: int
    started: str

    def kill(self) -> None:
        """Kill it, unless it has ended."""
        if _all().get(self.pid, [""] * 20)[19] == self.started:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


def descendants(pid: int) -> list[Process]:
    """Return the processes that a process has started, directly or not."""
    children: dict[int, list[Process]] = {}
    for number, fields in _all().items():
        children.setdefault(int(fields[1]), []).append(Process(number, fields[19]))
    found, left = list[Process](), [pid]
    while left:
        below = children.get(left.pop(), [])
        found += below
        left += [each.pid for each in below]
    return found


def name_of(pid: int) -> str:
    """Return the short name of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process and all below it, seconds; with that of dead children."""
    wanted = {pid, *(each.pid for each in descendants(pid))}
    # utime, stime, and those of children that were waited for
    ticks = sum(
        sum(map(int, fields[11:15])) for number, fields in _all().items() if number in wanted
    )
    return ticks / _TICKS


def _all() -> dict[int, list[str]]:
    """Return what follows the name in the status of each process: state, parent and so on."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found[int(entry.name)] = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
    return found
