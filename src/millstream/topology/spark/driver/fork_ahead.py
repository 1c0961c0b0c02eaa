"""Start of the fork server by the driver, while Spark's JVM starts.

Its imports take two seconds of a core, and the first batch would wait for them: Spark starts its
first daemon when the session is there. A daemon that finds another environment than this server's
starts a server of its own, so nothing depends on it.
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Mapping

from pyspark import SparkContext

from millstream.topology.spark.fork_place import DAEMON, DRIVER, THREADS
from millstream.topology.spark.worker_pools import DAEMON_SETTING, import_path

_MODULE = "millstream.topology.spark.fork_ahead"
_MASTER, _CLUSTER = "spark.master", "local-cluster"
_CPUS = "spark.task.cpus"
_SHIPS = ("spark.submit.pyFiles", "spark.files", "spark.archives")
_ENVIRONMENT = "spark.executorEnv."
_OF_SUBMIT = {"PYTHONHASHSEED": "0", "PYTHONUNBUFFERED": "YES"}
"""What ``spark-submit`` and Spark set for each Python process."""


def start_ahead(settings: Mapping[str, str], python: str) -> None:
    """Start the fork server of a session that is to be made; nothing waits for it.

    Args:
        settings: Those of the session.
        python: The Python of its workers.
    """
    is_forked = settings.get(DAEMON_SETTING) == DAEMON and SparkContext._gateway is None
    # Modules may be among what is shipped, before those of this program.
    if not is_forked or settings[_MASTER].startswith(_CLUSTER) or any(map(settings.get, _SHIPS)):
        return
    threads = settings.get(f"{_ENVIRONMENT}{THREADS}") or settings.get(_CPUS, "1")
    given = {
        name.removeprefix(_ENVIRONMENT): value
        for name, value in settings.items()
        if name.startswith(_ENVIRONMENT)
    }
    environment = dict(os.environ) | given | {THREADS: threads} | _OF_SUBMIT
    environment |= {"PYTHONPATH": import_path(), DRIVER: str(os.getpid())}
    threading.Thread(
        target=_run, args=(python, environment), name="millstream-fork-server", daemon=True
    ).start()


def _run(python: str, environment: Mapping[str, str]) -> None:
    """Run the server, and wait for its end, as for any process that was started.

    It has none of this process's streams: who reads these to their end would wait for the server.
    """
    nothing = subprocess.DEVNULL
    try:
        subprocess.run(
            [python, "-m", _MODULE],
            check=False,
            env=environment,
            stdin=nothing,
            stdout=nothing,
            stderr=nothing,
        )
    except OSError:
        return  # The workers' Python cannot be run here, which is told elsewhere.
