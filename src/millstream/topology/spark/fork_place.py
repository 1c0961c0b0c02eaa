"""Place of a fork server's socket: a name for all that the processes of one server have in common.

These are the driver, the environment but for what Spark and shells put there, the Python, and the
places from which modules are imported but for Spark's own: a module that is imported once must be
right for all of them.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

DAEMON = "millstream.topology.spark.daemon"
"""Module that Spark starts for each pool of workers."""
ROLE = "MILLSTREAM_ROLE"
DRIVER = "MILLSTREAM_DRIVER"
"""Entry of the environment: the process id of the driver; all its JVMs on this machine have it."""
PYTHON = "MILLSTREAM_PYTHON"
"""Entry of the environment: the Python that ``worker_python.sh`` stands for."""
THREADS = "OMP_NUM_THREADS"
"""Entry that Spark sets for workers: ``spark.task.cpus``, unless it is given. Not for processes
that declare state."""

_DIFFERENT = (ROLE, PYTHON, "SPARK_", "PYSPARK_", "_PYSPARK_", "PYTHON_")
"""Beginnings of the entries of the environment in which daemons of one server may differ."""
_OF_SHELLS = frozenset({"_", "OLDPWD", "PWD", "SHLVL"})
_IMPORTED_FROM = "PYTHONPATH"
"""What it says is compared as the places that it gives."""
_OF_SPARK = ("pyspark.zip", "py4j-", "spark-core_")
"""Beginnings of the names of the archives that Spark adds."""
_SHIPPED = "userFiles-"
"""Beginning of the name of the directory of what was shipped, in the session's own directory."""
_IMPORTABLE = (".py", ".pyc", ".so", ".zip", ".egg")
_OTHERS = 0o077


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
    same = json.dumps([_entries(environment), sys.executable, _places(sys.path)])
    owner = environment.get(DRIVER, jvm)
    return directory / f"{owner}-{hashlib.sha256(same.encode()).hexdigest()[:16]}"


def _entries(environment: Mapping[str, str]) -> list[tuple[str, str]]:
    left_out = _OF_SHELLS | {_IMPORTED_FROM}
    return sorted(
        (name, value)
        for name, value in environment.items()
        if not name.startswith(_DIFFERENT) and name not in left_out
    )


def _places(path: Iterable[str]) -> list[str]:
    """Return where modules are imported from, each place once.

    Without the working directory: each executor has one of its own, with what was shipped to it.
    """
    left_out = {"", os.getcwd()}
    return [
        place for place in dict.fromkeys(path) if place not in left_out and not _is_sparks(place)
    ]


def _is_sparks(place: str) -> bool:
    name = os.path.basename(place)
    if not name.startswith(_SHIPPED):
        return name.startswith(_OF_SPARK)
    try:
        with os.scandir(place) as files:
            return not any(each.is_dir() or each.name.endswith(_IMPORTABLE) for each in files)
    except OSError:
        return True
