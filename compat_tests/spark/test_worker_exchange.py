"""Python workers of a pool that exchange their connections, so that each keeps its partitions."""

from __future__ import annotations

import os
import signal
import socket
import struct
import threading
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from compat_tests.spark.support import eventually
from millstream.topology.spark.worker_exchange import (
    BUSY,
    PARTITIONS,
    PartitionTable,
    WorkerExchange,
    exchanging,
)

pytestmark = pytest.mark.skipif(
    not hasattr(os, "memfd_create"), reason="exchanging needs Linux, as the fork server does"
)
INT = struct.Struct("!i")


class Pool:
    """Forked workers; each has a connection, over which it is given partitions."""

    def __init__(self, workers: int, *, authenticated: bool = True) -> None:
        self.table = PartitionTable()
        self.connections: list[socket.socket] = []
        self.pids: list[int] = []
        for _ in range(workers):
            mine, other = socket.socketpair()
            mine.settimeout(20)
            pid = os.fork()
            if pid == 0:
                _work(other, self.table, [mine, *self.connections], authenticated=authenticated)
            other.close()
            self.connections.append(mine)
            self.pids.append(pid)

    def send(self, connection: int, partition: int) -> None:
        self.connections[connection].sendall(INT.pack(partition))

    def end(self, connection: int) -> int:
        """Let the task that runs there end; return the process that had it."""
        self.connections[connection].sendall(b"!")
        answer = self.connections[connection].recv(INT.size, socket.MSG_WAITALL)
        found: int = INT.unpack(answer)[0]
        return found

    def run(self, *tasks: tuple[int, int]) -> dict[int, int]:
        """Run tasks, given as connection and partition, at the same time; who had them."""
        self.settle()
        for connection, partition in tasks:
            self.send(connection, partition)
        return {partition: self.end(connection) for connection, partition in tasks}

    def settle(self) -> None:
        """Wait until no worker is busy with the end of its last task."""
        eventually(lambda: all(self.table.state(pid) != BUSY for pid in self.pids), True)

    def close(self) -> None:
        for connection in self.connections:
            connection.close()
        for pid in self.pids:
            os.waitpid(pid, 0)


def _work(
    mine: socket.socket, table: PartitionTable, others: list[socket.socket], *, authenticated: bool
) -> None:
    try:
        for each in others:
            each.close()
        run = exchanging(_task, table)
        while run(mine, authenticated) == 0:
            authenticated = True
    finally:
        os._exit(0)


def _task(connection: socket.socket, _authenticated: bool) -> int:
    if len(connection.recv(INT.size, socket.MSG_WAITALL)) < INT.size:
        return 1
    connection.recv(1)
    connection.sendall(INT.pack(os.getpid()))
    return 0


@pytest.fixture
def pool(request: pytest.FixtureRequest) -> Iterator[Pool]:
    asked: dict[str, Any] = getattr(request, "param", None) or {"workers": 2}
    found = Pool(**asked)
    yield found
    found.close()


def test_a_partition_stays_with_its_worker_whoever_is_given_it(pool: Pool) -> None:
    first = pool.run((0, 0), (1, 1))
    assert sorted(first.values()) == sorted(pool.pids)
    for _ in range(20):
        assert pool.run((1, 0), (0, 1)) == first
        assert pool.run((0, 0), (1, 1)) == first
        assert pool.run((1, 0)) == {0: first[0]}
        assert pool.run((1, 1)) == {1: first[1]}


@pytest.mark.parametrize("pool", [{"workers": 4}], indirect=True)
def test_any_order_of_many_partitions(pool: Pool) -> None:
    rng = Random(7)
    first = pool.run((0, 0), (1, 1), (2, 2), (3, 3))
    for _ in range(60):
        connections = rng.sample(range(4), rng.randint(1, 4))
        tasks = list(zip(connections, rng.sample(range(4), len(connections)), strict=True))
        found = pool.run(*tasks)
        assert found == {partition: first[partition] for partition in found}


def test_a_worker_that_is_busy_is_not_waited_for(pool: Pool) -> None:
    first = pool.run((0, 0))
    busy = 0 if first[0] == pool.pids[0] else 1
    pool.settle()
    pool.send(busy, 5)
    eventually(lambda: pool.table.state(first[0]) == BUSY, True)
    pool.send(1 - busy, 0)
    assert pool.end(1 - busy) == pool.pids[1 - busy]
    assert pool.end(busy) == first[0]


def test_a_worker_that_is_gone_is_not_waited_for(pool: Pool) -> None:
    first = pool.run((0, 0), (1, 1))
    os.kill(first[0], signal.SIGKILL)
    os.waitpid(first[0], 0)
    pool.pids.remove(first[0])
    left = pool.connections[1]
    pool.connections[0].close()
    pool.connections = [left]
    assert pool.run((0, 0)) == {0: first[1]}
    assert pool.run((0, 1)) == {1: first[1]}


def test_a_worker_that_does_not_answer_is_not_waited_for_twice(pool: Pool) -> None:
    first = pool.run((0, 0), (1, 1))
    other = next(pid for pid in pool.pids if pid != first[0])
    connection = pool.pids.index(other)
    pool.settle()
    os.kill(first[0], signal.SIGSTOP)
    try:
        assert pool.run((connection, 0)) == {0: other}
        assert pool.run((connection, 0)) == {0: other}
    finally:
        os.kill(first[0], signal.SIGCONT)
    assert set(pool.run((0, 0), (1, 1)).values()) <= set(pool.pids)


@pytest.mark.parametrize("pool", [{"workers": 2, "authenticated": False}], indirect=True)
def test_the_first_task_of_a_connection_is_not_looked_at(pool: Pool) -> None:
    assert pool.run((0, 0), (1, 1)) == {0: pool.pids[0], 1: pool.pids[1]}
    first = pool.run((0, 0), (1, 1))
    assert pool.run((1, 0), (0, 1)) == first


@pytest.mark.parametrize("odd", [-1, PARTITIONS, 2**31 - 1])
def test_what_is_no_partition_runs_where_it_is(pool: Pool, odd: int) -> None:
    for connection in (0, 1, 0):
        assert pool.run((connection, odd)) == {odd: pool.pids[connection]}


def test_strangers_are_not_answered(pool: Pool, monkeypatch: Any) -> None:
    first = pool.run((0, 0), (1, 1))
    stranger = socket.socket(socket.AF_UNIX)
    stranger.connect(f"{pool.table.name}-{first[0]}")
    stranger.close()
    assert pool.run((1, 0), (0, 1)) == first


class Owner(threading.Thread):
    """A partition's owner that goes as far as it is told in an exchange."""

    def __init__(self, table: PartitionTable, steps: str) -> None:
        super().__init__(daemon=True)
        self.steps, self.done = steps, threading.Event()
        self.its_own, self.other_end = socket.socketpair()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"{table.name}-{os.getpid()}")
        self.listener.listen(1)
        self.start()

    def run(self) -> None:
        asking, _ = self.listener.accept()
        with asking:
            _, received, _, _ = socket.recv_fds(asking, 1, 1)
            if "offers" in self.steps:
                socket.send_fds(asking, [b"?"], [self.its_own.fileno()])
            if "hears" in self.steps:
                assert asking.recv(1) == b"!"
            if "takes" in self.steps:
                asking.sendall(b".")
            if "waits" in self.steps:
                self.done.wait(30)
            for each in received:
                os.close(each)
        self.its_own.close()


def asks(steps: str) -> tuple[bool, bytes]:
    """Ask an owner for its connection; whether that was done, and what is read afterwards."""
    table = PartitionTable()
    owner = Owner(table, steps)
    mine, other_end = socket.socketpair()
    exchange = object.__new__(WorkerExchange)
    exchange._table = table
    with mine, other_end, owner.other_end, owner.listener:
        done = exchange._has_exchanged(mine, os.getpid())
        owner.done.set()
        owner.join(30)
        owner.other_end.settimeout(20)
        if done:
            owner.other_end.sendall(b"its")
        else:
            other_end.sendall(b"own")
            # Nobody has the owner's connection any more: Spark sees its end.
            assert owner.other_end.recv(1) == b""
        mine.settimeout(20)
        return done, mine.recv(3)


@pytest.mark.parametrize("steps", ["", "offers", "offers hears"])
def test_an_owner_that_ends_half_way_leaves_the_connections_as_they_were(steps: str) -> None:
    assert asks(steps) == (False, b"own")


def test_connections_are_exchanged_once_the_owner_says_that_it_has_its_new_one() -> None:
    assert asks("offers hears takes") == (True, b"its")


def test_a_worker_that_cannot_know_who_has_what_ends() -> None:
    pid = os.fork()
    if pid == 0:
        asks("offers hears waits")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1
