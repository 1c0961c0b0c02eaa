"""Samples of an application's processes and directories, from ``/proc`` and the file system."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from millstream.topology.spark.fork_place import DAEMON as DAEMON_MODULE

MB = 2**20
_MODULE = DAEMON_MODULE.encode()
DRIVER, JVM, DAEMON, WORKER = "driver", "JVM", "daemon", "worker"


def processes(root: int) -> dict[str, int]:
    """Return the processes of an application: name -> process id.

    Args:
        root: The driver's process id.
    """
    named: dict[str, int] = {}
    for pid, parent in below(root):
        role = _role(pid, parent, root, named)
        if role:
            named[role if role in (DRIVER, JVM) else f"{role} {pid}"] = pid
    return named


def of_process(pid: int) -> dict[str, float]:
    """Return resident memory in MB, open files and threads of a process; empty if it is gone."""
    with suppress(OSError, ValueError):
        status = dict(
            line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines()
        )
        return {
            "memory MB": int(status["VmRSS"].split()[0]) / 1024,
            "open files": float(len(os.listdir(f"/proc/{pid}/fd"))),
            "threads": float(status["Threads"]),
        }
    return {}


def of_directory(path: Path) -> dict[str, float]:
    """Return the number of files below a directory, and what they take on the disk in MB."""
    files, size = 0, 0
    for place, _, names in os.walk(path):
        for name in names:
            with suppress(OSError):
                size += os.lstat(f"{place}/{name}").st_blocks * 512
                files += 1
    return {"files": float(files), "MB": size / MB}


def sample(root: int, directories: Mapping[str, Path], temporary: Path) -> dict[str, float]:
    """Return everything at this moment: name of the series -> value.

    Args:
        root: The driver's process id.
        directories: Name -> directory to look into.
        temporary: Directory whose entries are counted.
    """
    found: dict[str, float] = {}
    for name, pid in processes(root).items():
        found |= {f"{name}: {what}": value for what, value in of_process(pid).items()}
    for name, path in directories.items():
        found |= {f"{name}: {what}": value for what, value in of_directory(path).items()}
    found["temporary directory: entries"] = float(len(os.listdir(temporary)))
    return found


def _role(pid: int, parent: int, root: int, named: Mapping[str, int]) -> str:
    if pid == root:
        return DRIVER
    with suppress(OSError):
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        if os.path.basename(command[0]) == b"java":
            return JVM if JVM not in named else ""
        if _MODULE in command:
            # A worker has the name of its daemon, and a daemon is forked by the fork server.
            return WORKER if _name(pid) == _name(parent) != "fork-server" else DAEMON
        if any(b"pyspark" in part for part in command):
            return "helper"
    return ""


def _name(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text().strip()


def below(root: int) -> Iterator[tuple[int, int]]:
    """Yield a process and all below it, each with its parent, parents first."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                stat = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
                if stat[0] != "Z":
                    children.setdefault(int(stat[1]), []).append(int(name))
    waiting = [(root, 0)]
    while waiting:
        pid, parent = waiting.pop(0)
        yield pid, parent
        waiting += [(child, pid) for child in sorted(children.get(pid, []))]
