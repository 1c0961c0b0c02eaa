"""Priority of the threads in which a JVM compiles: behind all that works on records.

Until the first results, and for a minute after, they want as much processor time as the tasks. On
few cores a batch would wait for code that is for later ones.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

NICENESS = 10
"""What is added to the niceness of the process: about a tenth of the share of another thread."""
_THREADS = ("C1 CompilerThre", "C2 CompilerThre")
"""Their names as the system cuts them off."""


def compile_behind_tasks(process: int) -> int:
    """Lower the priority of a JVM's compiler threads; return how many were found.

    Linux alone has priorities of threads; elsewhere nothing is done. What such a thread starts has
    its priority. No right is needed to lower one, and nothing raises it again.

    Args:
        process: The JVM's process id.
    """
    found = 0
    # A thread may end meanwhile, or the process.
    with suppress(OSError):
        for thread in Path("/proc", str(process), "task").iterdir():
            with suppress(OSError):
                if thread.joinpath("comm").read_text("utf-8").startswith(_THREADS):
                    number = int(thread.name)
                    before = os.getpriority(os.PRIO_PROCESS, number)
                    os.setpriority(os.PRIO_PROCESS, number, before + NICENESS)
                    found += 1
    return found
