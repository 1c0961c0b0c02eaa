"""Exchange of tasks between the Python workers of a pool: a partition stays with its worker.

Spark gives a task to the worker that has been idle longest, so two tasks change places whenever
they ended in another order than they began. For a stage that means a working copy that has missed
a batch; for a sink a producer that has to be made anew, as the other worker's has fenced it. Here a
worker that is given a task looks whose partition it is. If that worker is idle, the two exchange
their connections to the JVM, and each goes on with the other's.

This changes where a task runs, never whether: without an answer in time a worker runs what it has.
The JVM kills a worker by the process id that it was told first, so after an exchange it may kill
the other one. It kills workers of tasks that it gives up, and what it gives up is run again.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import secrets
import select
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum

Worker = Callable[[socket.socket, bool], int]
"""``pyspark.daemon.worker``: runs a task, given its connection and whether it is authenticated."""

PARTITIONS, WORKERS = 4096, 256
"""Bounds of the table; what is beyond them is not exchanged."""

_IDLE, BUSY, _CLAIMED, _ASKING = 1, 2, 3, 4
_OWNER = struct.Struct("=i")
_ROW = struct.Struct("=ii")
_ROWS_AT = PARTITIONS * _OWNER.size
_CREDENTIALS = struct.Struct("3i")
_SPLIT = struct.Struct("!i")
_ANSWER_S = 2.0
_LOOK_S, _PATIENCE_S = 0.002, 0.1
_OFFER, _AGREED, _TAKEN = b"?", b"!", b"."
"""Words between two workers: each one's connection, that the first has the other's, and the end."""
_READABLE = select.POLLIN | select.POLLHUP | select.POLLERR


class PartitionTable:
    """Owners of partitions and states of workers, in memory that the workers of a pool share.

    It is made before they are forked. A worker is known by its process id.
    """

    def __init__(self) -> None:
        self.name = f"\0millstream-{os.getpid()}-{secrets.token_hex(8)}"
        size = _ROWS_AT + WORKERS * _ROW.size
        # A file in memory: it can be locked by processes, and nobody else can open it.
        self._file = os.memfd_create("millstream-exchange")
        os.ftruncate(self._file, size)
        self._memory = mmap.mmap(self._file, size)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from the table."""
        fcntl.lockf(self._file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN)

    def owner(self, partition: int) -> int:
        """Return the process that had a partition last; 0 for none."""
        found: int = _OWNER.unpack_from(self._memory, partition * _OWNER.size)[0]
        return found

    def own(self, partition: int, pid: int) -> None:
        """Note who has a partition now."""
        _OWNER.pack_into(self._memory, partition * _OWNER.size, pid)

    def state(self, pid: int) -> int:
        """Return the state of a worker; 0 if it is not in the table."""
        at = self._row(pid)
        found: int = 0 if at is None else _ROW.unpack_from(self._memory, at)[1]
        return found

    def put(self, pid: int, state: int) -> bool:
        """Note a worker's state, and tell whether there was room for it."""
        at = self._row(pid)
        if at is None and (at := self._row(0) or self._freed()) is None:
            return False
        _ROW.pack_into(self._memory, at, pid, state)
        return True

    def _row(self, pid: int) -> int | None:
        rows = range(_ROWS_AT, _ROWS_AT + WORKERS * _ROW.size, _ROW.size)
        return next((at for at in rows if _ROW.unpack_from(self._memory, at)[0] == pid), None)

    def _freed(self) -> int | None:
        rows = range(_ROWS_AT, _ROWS_AT + WORKERS * _ROW.size, _ROW.size)
        for at in rows:
            with suppress(PermissionError):
                try:
                    os.kill(_ROW.unpack_from(self._memory, at)[0], 0)
                except ProcessLookupError:
                    return at
        return None


class _Do(Enum):
    """What a worker does with a task that it is given."""

    RUN = "run it"
    ASK = "offer it to the partition's worker"
    ANSWER = "wait for the worker that is about to offer another one"
    WAIT = "look again"


class WorkerExchange:
    """One worker's side.

    Args:
        table: The table of its pool.
    """

    def __init__(self, table: PartitionTable) -> None:
        self._table, self._pid = table, os.getpid()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(_address(table, self._pid))
        self._listener.listen(8)

    def wait_for_task(self, connection: socket.socket) -> None:
        """Return when a task of this worker waits; the connection may be another's by then."""
        if not self.is_idle():
            return
        wait_s, waited = None, 0.0
        while True:
            if self._is_asked(connection, wait_s):
                if self._has_answered(connection):
                    # What it was given is its own, and waits: who offers has a task.
                    self._decided(_partition(connection), patient=False)
                    return
                self.is_idle()
                wait_s = None
                continue
            waited += wait_s or 0
            what, owner = self._decided(_partition(connection), patient=waited < _PATIENCE_S)
            if what is _Do.RUN:
                return
            wait_s = _ANSWER_S if what is _Do.ANSWER else _LOOK_S
            if what is _Do.ASK:
                exchanged = self._has_exchanged(connection, owner)
                # Without an answer the task runs here.
                waited = 0 if exchanged else _PATIENCE_S
                wait_s = None
                self.is_idle()

    def is_idle(self) -> bool:
        """Let others know that this worker has no task; tell whether there was room for that."""
        with self._table.locked():
            return self._table.put(self._pid, _IDLE)

    def _decided(self, partition: int | None, *, patient: bool) -> tuple[_Do, int]:
        """Return what to do about the task that waits here, and whom to ask."""
        table, me = self._table, self._pid
        with table.locked():
            if table.state(me) == _CLAIMED and patient:
                return _Do.ANSWER, 0
            owner = me if partition is None else table.owner(partition)
            state = table.state(owner) if owner not in (0, me) and patient else BUSY
            if state == _IDLE:
                table.put(owner, _CLAIMED)
                table.put(me, _ASKING)
                return _Do.ASK, owner
            if state in (_CLAIMED, _ASKING):
                # It is between two connections: a moment later it is idle, or busy.
                return _Do.WAIT, 0
            table.put(me, BUSY)
            if partition is not None:
                table.own(partition, me)
            return _Do.RUN, 0

    def _is_asked(self, connection: socket.socket, seconds: float | None) -> bool:
        """Wait for another worker, or a task; tell whether it is another worker.

        With a bound, the task is there already.
        """
        poller = select.poll()
        poller.register(self._listener, select.POLLIN)
        if seconds is None:
            poller.register(connection, _READABLE)
        found = dict(poller.poll(None if seconds is None else seconds * 1000))
        return self._listener.fileno() in found

    def _has_exchanged(self, mine: socket.socket, owner: int) -> bool:
        """Offer this connection to a partition's owner for its own; tell whether that was done.

        Nobody may have a connection twice: two would read from it, or Spark would not notice the
        end of one. So the other one takes this worker's first, and says so. If it says neither yes
        nor no, this process ends, and Spark runs the task again.
        """
        received: list[int] = []
        try:
            with suppress(OSError), socket.socket(socket.AF_UNIX) as to:
                to.settimeout(_ANSWER_S)
                to.connect(_address(self._table, owner))
                if _peer(to) != (owner, os.getuid()):
                    return False
                socket.send_fds(to, [_OFFER], [mine.fileno()])
                _, received, _, _ = socket.recv_fds(to, 1, 1)
                if received:
                    to.sendall(_AGREED)
                    if _answer_to(to) == _TAKEN:
                        _replace(mine, received.pop())
                        return True
            return False
        finally:
            _close(received)

    def _has_answered(self, mine: socket.socket) -> bool:
        """Give this connection to another worker for its own; tell whether that was done."""
        received: list[int] = []
        with suppress(OSError):
            asking, _ = self._listener.accept()
            with asking:
                asking.settimeout(_ANSWER_S)
                try:
                    if _peer(asking)[1] != os.getuid():
                        return False
                    _, received, _, _ = socket.recv_fds(asking, 1, 1)
                    if received:
                        socket.send_fds(asking, [_OFFER], [mine.fileno()])
                        if asking.recv(1) == _AGREED:
                            _replace(mine, received.pop())
                            with suppress(OSError):
                                asking.sendall(_TAKEN)
                            return True
                finally:
                    # Before the other one sees the end of this talk, and goes on with its own.
                    _close(received)
        return False


def exchanging(worker: Worker, table: PartitionTable) -> Worker:
    """Return a worker that takes the tasks of its own partitions, as far as others are idle."""
    sides: list[WorkerExchange] = []

    def run(connection: socket.socket, authenticated: bool) -> int:
        # The first thing on a connection may be a secret: that task is run here.
        if authenticated:
            with suppress(OSError):
                if not sides:
                    sides.append(WorkerExchange(table))
                sides[0].wait_for_task(connection)
        status = worker(connection, authenticated)
        if sides and not status:
            # Spark's daemon collects garbage before it waits for the next task.
            sides[0].is_idle()
        return status

    return run


def _address(table: PartitionTable, pid: int) -> str:
    return f"{table.name}-{pid}"


def _partition(connection: socket.socket) -> int | None:
    """Return the partition of the task that waits; None for none, or one beyond the table."""
    head = connection.recv(_SPLIT.size, socket.MSG_PEEK | socket.MSG_WAITALL)
    if len(head) < _SPLIT.size:
        return None
    found: int = _SPLIT.unpack(head)[0]
    return found if 0 <= found < PARTITIONS else None


def _peer(other: socket.socket) -> tuple[int, int]:
    """Return process and user at the other end."""
    found = other.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid, user, _ = _CREDENTIALS.unpack(found)
    return pid, user


def _answer_to(other: socket.socket) -> bytes:
    """Return the last word of the worker that was asked; nothing if it has gone, or given up."""
    try:
        return other.recv(1)
    except TimeoutError:
        os._exit(1)
    except OSError:
        return b""


def _close(received: list[int]) -> None:
    for each in received:
        os.close(each)


def _replace(connection: socket.socket, received: int) -> None:
    os.dup2(received, connection.fileno())
    os.close(received)
