"""Fork server: one process with everything imported, from which all of Spark's daemons are forked.

Spark keeps a daemon for each pool of Python workers, and each worker imports pandas, PyArrow and
millstream for itself, which takes more than a second of a core: for an application of ten stages,
half a minute. Here each of them begins with these imports done, in memory that they share.

One server serves the daemons of all JVMs that a driver has on this machine, if they have the same
environment, and ends with the last of these JVMs. Lists of processes show "fork-server", and a
worker by its operator: "pack", "stage-0", "sink".
"""

from __future__ import annotations

import gc
import json
import os
import random
import signal
import socket
import struct
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, NoReturn

from millstream.topology.spark.fork_place import ROLE
from millstream.topology.spark.worker_acks import acknowledging
from millstream.topology.spark.worker_exchange import PartitionTable, exchanging
from millstream.topology.spark.worker_garbage import Garbage

JVM = "MILLSTREAM_JVM"
"""Entry of a worker's environment: the process id of its JVM, which need not be an ancestor."""
DECLARES = "pyspark.sql.streaming.transform_with_state_driver_worker"
"""Module that Spark runs in a process of its own, for each stage, to ask what state it keeps."""
PRELOADED = (
    "pyspark.worker",
    DECLARES,
    "pyspark.sql.streaming.proto.StateMessage_pb2",
    "pyarrow",
    "pandas",
    "confluent_kafka",
    "millstream.topology.spark.worker.pack",
    "millstream.topology.spark.worker.stage",
    "millstream.topology.spark.worker.sink",
    "millstream.topology.builder",
    "millstream.stores.construction.factories",
    "millstream.stores.byte_stores.rocksdb",
    "millstream.plugins.stock.plugin",
)
"""What workers import. What is missing is left out: the worker says so when it needs it."""
PRELOADED_PACKAGES = ("millstream.topology.dsl", "millstream.topology.operators")
"""Packages of which workers import most modules, by the operators of the program."""

ARROW_MEMORY = "ARROW_DEFAULT_MEMORY_POOL"
"""Arrow's setting of what gives it memory."""

KEEPING = ("stage-", "sink")
"""Beginnings of the roles whose workers have something of a partition: its stores, its producer."""

_LENGTH = struct.Struct("!Q")
_LOOK_S = 1.0
_REQUEST_S = 30.0
_ENDED = "ZX"
_PR_SET_NAME = 15


def lock_of(path: Path) -> Path:
    """Return the file that a daemon locks while it starts a server."""
    return path.with_name(f"{path.name}.lock")


def ask(
    connection: socket.socket, environment: Mapping[str, str], jvm: int, *, declares: bool = False
) -> int:
    """Let the server fork a daemon for this process, with its streams; return its process id.

    Args:
        connection: Connection to the server.
        environment: Its environment.
        jvm: Process id of the JVM.
        declares: Whether it only declares a stage's state, and is no daemon.

    Raises:
        OSError: The server has ended, or takes longer than the connection's timeout.
    """
    wanted = _Wanted(sys.argv, dict(environment), jvm, os.getcwd(), sys.path, declares)
    request = json.dumps(asdict(wanted)).encode()
    socket.send_fds(connection, [_LENGTH.pack(len(request))], [0, 1, 2])
    connection.sendall(request)
    pid: int = _LENGTH.unpack(_exactly(connection, _LENGTH.size))[0]
    return pid


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a daemon has of the process that Spark started."""

    arguments: list[str]
    environment: dict[str, str]
    jvm: int
    """Process id of the JVM."""
    directory: str
    path: list[str]
    """Where modules are searched for."""
    declares: bool = False


def listener_at(path: Path) -> socket.socket:
    """Return a socket that listens for daemons."""
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(64)
    return listener


def reached(path: Path) -> socket.socket | None:
    """Return a connection to the server at a place; None if there is none."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(path))
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        return None
    return connection


def serve(listener: socket.socket, path: Path, jvm: int) -> NoReturn:
    """Import everything, then fork daemons until all JVMs are gone. Ends the process.

    Args:
        listener: Where daemons are asked for.
        path: Its place.
        jvm: The JVM that has asked first.
    """
    status, jvms = 1, {jvm}
    try:
        os.setpgid(0, 0)
        _leave_streams()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        _remove_left(path.parent)
        _preload()
        _name_process("fork-server")
        listener.settimeout(_LOOK_S)
        while any(map(_is_alive, jvms)):
            with suppress(TimeoutError):
                connection, _ = listener.accept()
                with connection:
                    _answer(connection, listener, jvms)
        path.unlink(missing_ok=True)
        lock_of(path).unlink(missing_ok=True)
        status = 0
    finally:
        os._exit(status)


def _answer(connection: socket.socket, listener: socket.socket, jvms: set[int]) -> None:
    connection.settimeout(_REQUEST_S)
    try:
        head, streams, _, _ = socket.recv_fds(connection, _LENGTH.size, 3)
        wanted = _Wanted(**json.loads(_exactly(connection, _LENGTH.unpack(head)[0])))
    except (OSError, struct.error):
        # The daemon has been killed meanwhile.
        return
    jvms.add(wanted.jvm)
    if os.fork() == 0:
        listener.close()
        _become_daemon(connection, streams, wanted)
    for each in streams:
        os.close(each)


def _become_daemon(connection: socket.socket, streams: list[int], wanted: _Wanted) -> NoReturn:
    status = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number, each in enumerate(streams):
            os.dup2(each, number)
            os.close(each)
        os.environ.clear()
        os.environ.update(wanted.environment, **{JVM: str(wanted.jvm)})
        os.chdir(wanted.directory)
        sys.argv, sys.path[:] = wanted.arguments, wanted.path
        role = wanted.environment.get(ROLE, "")
        _name_process(role or "python")
        connection.sendall(_LENGTH.pack(os.getpid()))
        # It stays open: its end tells that the daemon has ended.
        connection.settimeout(None)
        if wanted.declares:
            _declare()
        else:
            _manage(role)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    finally:
        os._exit(status)


def _manage(role: str) -> None:
    """Be Spark's daemon; workers of an operator with state keep their partitions."""
    daemon: Any = import_module("pyspark.daemon")
    daemon.gc = Garbage()
    daemon.worker = acknowledging(daemon.worker)
    if role.startswith(KEEPING):
        with suppress(OSError):
            daemon.worker = exchanging(daemon.worker, PartitionTable())
    daemon.manager()


def _declare() -> None:
    """Declare a stage's state to Spark, as the module does when it is run."""
    module: Any = import_module(DECLARES)
    # It prints to stderr what it does.
    module.print = lambda *_, **__: None
    with module.get_sock_file_to_executor() as stream:
        module.main(stream, stream)


def _preload() -> None:
    # By default Arrow takes memory of its own, 2 MB of zeros at a time, and gives it back when it
    # is not used for a moment: in a worker after each batch.
    os.environ.setdefault(ARROW_MEMORY, "system")
    for name in PRELOADED:
        with suppress(Exception):
            import_module(name)
    if (arrow := sys.modules.get("pyarrow")) is not None:
        # Arrow reads the setting here; a daemon has the environment that Spark gives it.
        arrow.default_memory_pool()
    for package in PRELOADED_PACKAGES:
        with suppress(Exception):
            for module in iter_modules(import_module(package).__path__, f"{package}."):
                import_module(module.name)
    # Workers would all draw the same numbers; Python's own module sees to that itself.
    if (numpy := sys.modules.get("numpy")) is not None:
        os.register_at_fork(after_in_child=lambda: numpy.random.seed(random.getrandbits(32)))
    # Collections would touch, and so copy, all the memory that is shared.
    gc.collect()
    gc.freeze()


def _leave_streams() -> None:
    """Give back the input and output of the daemon that has started this process."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)


def _name_process(role: str) -> None:
    """Show the role in lists of processes: otherwise all have the command line of the first."""
    with suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_NAME, role.encode()[:15], 0, 0, 0)


def _remove_left(directory: Path) -> None:
    """Delete the sockets of servers that were killed."""
    for each in directory.iterdir():
        with suppress(ValueError, OSError):
            if not _is_alive(int(each.name.partition("-")[0])):
                each.unlink(missing_ok=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    except OSError:
        return True
    # One that has ended stays in the list until its parent asks how.
    return status.rpartition(")")[2].split()[0] not in _ENDED


def _exactly(connection: socket.socket, count: int) -> bytes:
    received = bytearray()
    while len(received) < count:
        chunk = connection.recv(count - len(received))
        if not chunk:
            raise OSError("the other process has ended")
        received += chunk
    return bytes(received)
