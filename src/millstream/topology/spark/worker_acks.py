"""Acknowledgement at once of what the JVM sends a Python worker, so that rows do not wait for it.

The JVM writes a task's command to the worker's connection, and then its rows. By Nagle's algorithm
the rows wait until the command is acknowledged, and Linux waits 40 ms before it acknowledges what a
process does not answer. Spark switches off neither for this connection (SPARK-51667 did for that
of the state server). On a loopback address nothing is saved by waiting: it was a quarter of a small
batch's time, once for each stage.
"""

from __future__ import annotations

import socket
from contextlib import suppress

from millstream.topology.spark.worker_exchange import Worker

_QUICKACK = getattr(socket, "TCP_QUICKACK", None)
"""Linux's option: what is read is acknowledged then, until this process sends something."""


def acknowledging(worker: Worker) -> Worker:
    """Return a worker that acknowledges a task's command and rows as soon as it has read them.

    Args:
        worker: ``pyspark.daemon.worker``.
    """

    def run(connection: socket.socket, authenticated: bool) -> int:
        # The first thing on a connection may be a secret, which the worker answers.
        if authenticated:
            _acknowledge_next(connection)
        return worker(connection, authenticated)

    return worker if _QUICKACK is None else run


def _acknowledge_next(connection: socket.socket) -> None:
    # Spark may use a socket of another family, or have closed it: the worker sees to that.
    with suppress(OSError):
        connection.recv(1, socket.MSG_PEEK)
        connection.setsockopt(socket.IPPROTO_TCP, _QUICKACK or 0, 1)
