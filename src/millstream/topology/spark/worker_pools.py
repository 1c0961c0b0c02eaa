"""Pools of Python workers: one for each operator of a query."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from millstream.core.errors import StreamsException
from millstream.core.wording import printable
from millstream.topology.spark.fork_place import DAEMON, DRIVER, PYTHON, ROLE

DAEMON_SETTING = "spark.python.daemon.module"
LOCALE = "LC_ALL"

_environment_in_use = threading.Lock()


@contextmanager
def workers_for(session: SparkSession, role: str) -> Iterator[None]:
    """Give an operator its own pool of Python workers.

    Spark has one pool of idle workers for each set of environment variables, and takes the worker
    that is idle longest. With a pool for each operator, a stage gets the workers that have its
    stores, if there are not more of them than cores.
    """
    context: Any = session.sparkContext
    environment: dict[str, Any] = context.environment
    with _environment_in_use:
        before, python = dict(environment), context.pythonExec
        environment[ROLE] = role
        if (found := _forking_python()) and context._conf.get(DAEMON_SETTING) == DAEMON:
            environment[PYTHON] = shutil.which(python) or python
            context.pythonExec = found
        if (session.sparkContext.master or "").startswith("local"):
            # Workers on the same machine can import what the driver can import.
            environment["PYTHONPATH"] = import_path()
        try:
            yield
        finally:
            environment.clear()
            environment.update(before)
            context.pythonExec = python


@cache
def _forking_python() -> str | None:
    """Return the program that forks what Spark runs by Python; None where it cannot be run."""
    script = Path(__file__).with_name("worker_python.sh")
    return str(script) if os.access(script, os.X_OK) else None


def import_path() -> str:
    """Return the directories that this program imports from, for workers on the same machine.

    Raises:
        StreamsException: Spark's JVM, which hands them on, has no text for one of them.
    """
    # As Python's own imports, which pass over all that is no text, such as a Path.
    entries = [entry or os.getcwd() for entry in sys.path if isinstance(entry, str)]
    for entry in entries:
        if (shown := printable(entry)) != entry:
            raise StreamsException(
                f"this program imports from a directory whose name is not UTF-8: {shown}",
                detail="Spark's JVM hands sys.path on to the Python workers on this machine, and "
                "has no text for that name.",
                hint="Move the program to a directory whose name is UTF-8, or take that one out of "
                "sys.path.",
            )
    return os.pathsep.join(entries)


@contextmanager
def importable_daemon() -> Iterator[None]:
    """Let a JVM that is started in the block find ``DAEMON``, for jobs of the user, too.

    It also learns the driver's process: executors on this machine share the driver's fork server.
    And it names files as Python does, which takes UTF-8 where ``LC_ALL`` is C or a locale that is
    not installed: the JVM would take ASCII, and keep state in directories of another name.
    """
    before = {name: os.environ.get(name) for name in ("PYTHONPATH", DRIVER, LOCALE)}
    place = str(Path(__file__).resolve().parents[3])
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (before["PYTHONPATH"], place)))
    os.environ[DRIVER] = str(os.getpid())
    if sys.flags.utf8_mode and before[LOCALE]:
        os.environ[LOCALE] = "C.UTF-8"
    try:
        yield
    finally:
        for name, given in before.items():
            os.environ.pop(name, None)
            if given is not None:
                os.environ[name] = given
