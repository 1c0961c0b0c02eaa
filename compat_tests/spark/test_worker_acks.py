"""What the JVM sends a Python worker is acknowledged as soon as the worker has read it."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

import pytest

from millstream.topology.spark.worker_acks import acknowledging

pytestmark = pytest.mark.skipif(
    not hasattr(socket, "TCP_QUICKACK"), reason="only Linux has this option"
)
ROUNDS = 40
_UNACKNOWLEDGED = struct.Struct("=8B3I2I")
"""The beginning of Linux's ``tcp_info``: 8 bytes, ``rto``, ``ato``, both sizes, and ``unacked``."""


@pytest.fixture
def connected() -> Iterator[tuple[socket.socket, socket.socket]]:
    """The JVM's end, and the worker's, as Spark connects them."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname()) as jvm,
        listener.accept()[0] as worker,
    ):
        # After a talk to and fro Linux takes its time to acknowledge.
        for _ in range(20):
            jvm.sendall(b"?")
            worker.sendall(worker.recv(1))
            jvm.recv(1)
        yield jvm, worker


def unacknowledged(sender: socket.socket) -> int:
    info = sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _UNACKNOWLEDGED.size)
    return int(_UNACKNOWLEDGED.unpack(info)[-1])


def runs(jvm: socket.socket, worker: socket.socket, *, acknowledges: bool) -> int:
    """Run tasks; return of how many the command was acknowledged when it had been read."""
    known = []

    def task(connection: socket.socket, authenticated: bool) -> int:
        assert authenticated
        received = connection.recv(1)
        known.append(unacknowledged(jvm) == 0)
        connection.sendall(received)
        return 0

    run = acknowledging(task) if acknowledges else task
    for _ in range(ROUNDS):
        jvm.sendall(b"!")
        assert run(worker, True) == 0
        assert jvm.recv(1) == b"!"
    return sum(known)


def test_a_command_is_acknowledged_as_soon_as_the_worker_has_read_it(
    connected: tuple[socket.socket, socket.socket],
) -> None:
    assert runs(*connected, acknowledges=False) < ROUNDS / 4
    assert runs(*connected, acknowledges=True) > ROUNDS * 3 / 4


def test_a_secret_is_left_to_the_worker() -> None:
    seen = []

    def task(connection: socket.socket, authenticated: bool) -> int:
        seen.append(authenticated)
        return 7

    jvm, worker = socket.socketpair()
    with jvm, worker:
        # Nothing has been sent: to wait for it would be for ever.
        assert acknowledging(task)(worker, False) == 7
    assert seen == [False]


def test_a_connection_of_another_family_and_one_that_is_closed_are_left_to_the_worker() -> None:
    jvm, worker = socket.socketpair()
    with worker:
        jvm.sendall(b"!")
        assert acknowledging(lambda connection, _: len(connection.recv(9)))(worker, True) == 1
        jvm.close()
        assert acknowledging(lambda connection, _: len(connection.recv(9)))(worker, True) == 0
