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
import hashlib
import json
import os
import random
import signal
import socket
import stat
import struct
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, NoReturn

from millstream.topology.spark.worker_acks import acknowledging
from millstream.topology.spark.worker_exchange import PartitionTable, exchanging
from millstream.topology.spark.worker_garbage import Garbage

ROLE = "MILLSTREAM_ROLE"
DRIVER = "MILLSTREAM_DRIVER"
"""Entry of the environment: the process id of the driver; all its JVMs on this machine have it."""
JVM = "MILLSTREAM_JVM"
"""Entry of a worker's environment: the process id of its JVM, which need not be an ancestor."""
PRELOADED = (
    "pyspark.worker",
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
)
"""What workers import. What is missing is left out: the worker says so when it needs it."""
PRELOADED_PACKAGES = ("millstream.topology.dsl", "millstream.topology.operators")
"""Packages of which workers import most modules, by the operators of the program."""

ARROW_MEMORY = "ARROW_DEFAULT_MEMORY_POOL"
"""Arrow's setting of what gives it memory."""

KEEPING = ("stage-", "sink")
"""Beginnings of the roles whose workers have something of a partition: its stores, its producer."""

_DIFFERENT = (ROLE, "SPARK_", "PYSPARK_", "PYTHON_")
"""Beginnings of the entries of the environment in which daemons of one server may differ."""
_LENGTH = struct.Struct("!Q")
_LOOK_S = 1.0
_REQUEST_S = 30.0
_OTHERS = 0o077
_PR_SET_NAME = 15


def server_path(environment: Mapping[str, str], jvm: int) -> Path:
    """Return the socket of the server for a daemon with this environment.

    Raises:
        OSError: The directory cannot be made, or belongs to another user.
    """
    directory = Path(tempfile.gettempdir(), f"millstream-fork-{os.getuid()}")
    with suppress(FileExistsError):
        directory.mkdir(mode=0o700)
    found = directory.lstat()
    # Who can write there could pass off a process as the server.
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & _OTHERS:
        raise OSError(f"{directory} is not a private directory")
    entries = sorted(each for each in environment.items() if not each[0].startswith(_DIFFERENT))
    # Each executor has a working directory of its own, with what was shipped to it.
    shared = [place for place in sys.path if place not in ("", os.getcwd())]
    same = json.dumps([entries, sys.executable, shared])
    owner = environment.get(DRIVER, jvm)
    return directory / f"{owner}-{hashlib.sha256(same.encode()).hexdigest()[:16]}"


def lock_of(path: Path) -> Path:
    """Return the file that a daemon locks while it starts a server."""
    return path.with_name(f"{path.name}.lock")


def ask(connection: socket.socket, environment: Mapping[str, str], jvm: int) -> int:
    """Let the server fork a daemon for this process, with its streams; return its process id."""
    wanted = _Wanted(sys.argv, dict(environment), jvm, os.getcwd(), sys.path)
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


def listener_at(path: Path) -> socket.socket:
    """Return a socket that listens for daemons."""
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(64)
    return listener


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
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _exactly(connection: socket.socket, count: int) -> bytes:
    received = bytearray()
    while len(received) < count:
        chunk = connection.recv(count - len(received))
        if not chunk:
            raise OSError("the other process has ended")
        received += chunk
    return bytes(received)
