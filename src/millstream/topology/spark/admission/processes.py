"""Identity of a process on this machine, and whether it is known to have ended."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

_PROC = Path("/proc")
_BOOT = _PROC / "sys/kernel/random/boot_id"
_PARTS = 4
_STATE, _STARTED = 0, 19
"""Places in ``/proc/<pid>/stat``, behind the name."""


def this_process() -> str:
    """Return the identity of this process; empty where the system does not tell it.

    It is the start of the machine, the namespace of process ids, the id, and the time at which the
    process began: no other process has the same.
    """
    fields, spaces = _fields(os.getpid()), _spaces()
    return f"{spaces}/{os.getpid()}/{fields[_STARTED]}" if fields and spaces else ""


def has_ended(process: str) -> bool:
    """Return whether a process is known to have ended; False if that cannot be seen from here.

    Args:
        process: Its identity, as ``this_process`` returns it there.
    """
    parts = process.split("/")
    if len(parts) != _PARTS or "/".join(parts[:2]) != _spaces() or not parts[2].isdecimal():
        return False
    fields = _fields(int(parts[2]))
    # A process that nobody has waited for yet is still listed.
    return not fields or fields[_STATE] in ("Z", "X") or fields[_STARTED] != parts[3]


@cache
def _spaces() -> str:
    try:
        return f"{_BOOT.read_text().strip()}/{os.readlink(_PROC / 'self/ns/pid')}"
    except OSError:
        return ""


def _fields(pid: int) -> list[str]:
    try:
        text = (_PROC / str(pid) / "stat").read_text()
    except OSError:
        return []
    # The name, in parentheses, may contain anything.
    return text.rpartition(")")[2].split()
