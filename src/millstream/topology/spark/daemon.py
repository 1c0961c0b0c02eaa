"""Python daemon of an executor that comes from a fork server: ``spark.python.daemon.module``.

Spark starts it with ``python -m``. It asks the fork server for a daemon with its own standard
streams, and lasts as long as that one. Where that fails it is Spark's usual daemon.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from millstream.topology.spark.fork_place import DRIVER, server_path
from millstream.topology.spark.fork_server import ask, listener_at, lock_of, reached, serve
from millstream.topology.spark.worker.executor_id import executor_id


def main() -> None:
    """Be a daemon until Spark ends it."""
    os.setpgid(0, 0)
    try:
        connection = _connected(server_path(os.environ, os.getppid()), os.getppid())
    except OSError:
        from pyspark.daemon import manager

        manager()
        return
    stand_for(ask(connection, os.environ, os.getppid()), connection)


def _connected(path: Path, jvm: int) -> socket.socket:
    with lock_of(path).open("w") as lock:
        # Another daemon may start at the same moment.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (connection := reached(path)) is None:
            listener = listener_at(path)
            _start_server(listener, path, jvm, lock)
            listener.close()
            connection = reached(path)
        if connection is None:
            raise OSError("the fork server has ended")
        return connection


def _start_server(listener: socket.socket, path: Path, jvm: int, lock: TextIO) -> None:
    """Fork the server.

    That of several executors is below none of them: what kills one with all its processes would
    kill the workers of the others. That of one executor stays below it, where a cluster manager
    counts its memory.
    """
    shared = DRIVER in os.environ and executor_id() is not None
    started = os.fork()
    if started == 0:
        lock.close()
        if shared and os.fork():
            os._exit(0)
        serve(listener, path, jvm)
    if shared:
        os.waitpid(started, 0)


def stand_for(daemon: int, connection: socket.socket) -> None:
    """Wait until the daemon has ended, and pass on Spark's signal to end it."""

    def end(*_: object) -> None:
        with suppress(ProcessLookupError):
            os.kill(daemon, signal.SIGTERM)

    signal.signal(signal.SIGTERM, end)
    nothing = os.open(os.devnull, os.O_RDWR)
    # The daemon has them: only its end may close them.
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    while connection.recv(1):
        pass


if __name__ == "__main__":
    main()
