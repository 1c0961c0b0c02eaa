"""Python of the processes that Spark starts for an application; ``worker_python.sh`` runs it.

Spark starts a daemon for each pool of workers, and for each stage, one after the other, a process
that declares what state it keeps: half a second of imports for a few bytes. That one is forked from
the fork server where it runs. Everything else is run by Python.
"""

from __future__ import annotations

import os
import sys

from millstream.topology.spark import daemon
from millstream.topology.spark.fork_place import DAEMON, THREADS, server_path
from millstream.topology.spark.fork_server import DECLARES, ask, reached

_PATIENCE_S = 3.0
"""How long the server may take: it may be importing. Spark waits for ten seconds."""


def main() -> None:
    """Be the process that the arguments ask for: those of Python."""
    arguments = sys.argv[1:]
    if arguments[:2] == ["-m", DAEMON]:
        sys.argv = arguments[1:]
        daemon.main()
    elif arguments != ["-m", DECLARES] or not _is_forked():
        os.execv(sys.executable, [sys.executable, *arguments])


def _is_forked() -> bool:
    """Stand for a process that the server has forked; return False if it forks none."""
    try:
        environment = {THREADS: "1"} | os.environ
        connection = reached(server_path(environment, os.getppid()))
        if connection is None:
            return False
        connection.settimeout(_PATIENCE_S)
        pid = ask(connection, os.environ, os.getppid(), declares=True)
    except OSError:
        return False
    connection.settimeout(None)
    daemon.stand_for(pid, connection)
    return True


if __name__ == "__main__":
    main()
