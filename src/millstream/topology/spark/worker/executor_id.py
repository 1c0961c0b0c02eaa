"""Spark's id of the executor that a Python worker belongs to."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

from millstream.topology.spark.fork_server import JVM

_OPTION = re.compile(rb"--executor-id\0([^\0]+)")


def executor_id() -> str | None:
    """Return the executor's id; None in the driver's process, or if it cannot be found.

    Spark tells its Python workers no id. It is on the command line of the executor, which is an
    ancestor of the worker, on every cluster manager.
    """
    return _id_above(int(os.environ.get(JVM) or os.getpid()))


@cache
def _id_above(pid: int) -> str | None:
    """Return the id on the command line of a process or of the next ancestor that has one.

    Kept by process: one fork server has workers of several executors.
    """
    try:
        while pid > 1:
            found = _OPTION.search(Path(f"/proc/{pid}/cmdline").read_bytes())
            if found:
                return found[1].decode()
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return None
