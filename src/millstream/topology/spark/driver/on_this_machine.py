"""Settings of a new Spark session that depend on the machine: addresses, memory, directories."""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Mapping

from pyspark import SparkContext

from millstream.topology.spark.driver.archive_options import with_class_archive
from millstream.topology.spark.driver.java_options import with_java_options
from millstream.topology.spark.fork_place import DAEMON
from millstream.topology.spark.scratch import scratch_directory
from millstream.topology.spark.worker_pools import DAEMON_SETTING

log = logging.getLogger(__name__)

_JAVA_OPTIONS = "spark.driver.extraJavaOptions"
MAX_FAILURES = "spark.task.maxFailures"
ATTEMPTS = "4"
"""Spark's default number of attempts at a task; a local master has only one by default."""
_LOCAL = re.compile(r"local(?:\[\s*([0-9]+|\*)\s*\])?")
_LOOPBACK = "127.0.0.1"
_LOCAL_SETTINGS = {
    # All processes are on this machine.
    "spark.driver.bindAddress": _LOOPBACK,
    "spark.driver.host": _LOOPBACK,
    # After a sleep of the machine Spark would take this process for a lost executor, which cannot
    # come back: a local master has no place to ask. Its heartbeats fail, and end the JVM.
    "spark.storage.blockManagerHeartbeatTimeoutMs": "3650d",
}


def on_this_machine(settings: Mapping[str, str], *, archive: bool = False) -> dict[str, str]:
    """Add the settings that depend on the master and on the place of temporary files.

    Args:
        settings: Those of a new session.
        archive: Whether a JVM that is launched here may use an archive of its classes.
    """
    found = dict(settings)
    master = found["spark.master"].strip()
    if master.split("[")[0] == "local":
        found = _LOCAL_SETTINGS | found
        found["spark.master"] = with_retries(master, found.get(MAX_FAILURES, ATTEMPTS))
    # A running JVM has its directories and its environment already.
    if SparkContext._active_spark_context is not None:
        return found
    is_local = re.fullmatch(r"local(-cluster)?(\[.*\])?", master) is not None
    launches = SparkContext._gateway is None and "PYSPARK_GATEWAY_PORT" not in os.environ
    # Apple's libraries do not bear a fork after their import.
    if is_local and launches and sys.platform == "linux":
        found = {DAEMON_SETTING: DAEMON} | found
    if is_local and launches:
        found = with_java_options(found)
        if archive:
            found = with_class_archive(found)
    return _in_scratch(found)


def with_retries(master: str, failures: str) -> str:
    """Return a local master that retries a task, unless it has its own number of attempts.

    Otherwise the death of one worker process, which the system may kill when memory is low, ends
    the query.
    """
    found = _LOCAL.fullmatch(master)
    return master if found is None else f"local[{found[1] or 1},{failures}]"


def warn_without_retries(master: str) -> None:
    """Log a warning if the user's session does not retry tasks."""
    if with_retries(master, ATTEMPTS) != master or re.fullmatch(r"local\[.*,\s*1\s*\]", master):
        log.warning(
            "spark.master is %s, which does not retry tasks: a worker process that dies ends the "
            "application. %s would retry.",
            master,
            with_retries(master.split(",")[0].rstrip("]") + "]" * ("[" in master), ATTEMPTS),
        )


def _in_scratch(settings: dict[str, str]) -> dict[str, str]:
    """Add the directories of Spark's temporary files, unless they are given."""
    given = settings.get(_JAVA_OPTIONS, "")
    directory = scratch_directory()
    if directory is None:
        return settings
    if "java.io.tmpdir" not in given:
        options = f'-Djava.io.tmpdir="{directory}" {given}'
        settings = settings | {_JAVA_OPTIONS: options.strip()}
    return {"spark.local.dir": str(directory)} | settings
