"""Program: warms both executors of a small cluster, twice; prints a line of JSON for each time."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from compat_tests.spark.worker.test_live_task import job
from millstream.topology.spark.driver.session import SQL_SETTINGS, new_session
from millstream.topology.spark.placement.facts import Executor
from millstream.topology.spark.placement.warming_job import prepared, warm

EXECUTORS = 2


def main() -> None:
    master = f"local-cluster[{EXECUTORS},1,1024]"
    session = new_session({"spark.master": master, "spark.log.level": "ERROR"}, "warm")
    for key, value in SQL_SETTINGS.items():
        session.conf.set(key, value)
    java_session: Any = session._jsparkSession
    java_context: Any = session._jsc
    # A query has started it.
    java_session.streams().stateStoreCoordinator()
    status = java_context.sc().statusStore()
    while status.executorList(True).size() <= EXECUTORS:
        time.sleep(0.1)
    found = [status.executorList(True).apply(number) for number in range(EXECUTORS + 1)]
    hosts = {each.id(): each.hostPort().rpartition(":")[0] for each in found}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        start = prepared(session, job(Path(directory), "1", "rocksdb"))
        for name in ("0", "1", "0", "1"):
            there = warm(start, Executor(id=name, host=hosts[name]))
            sys.stdout.write(json.dumps({"executor": name, "there": there}) + "\n")
        session.stop()


if __name__ == "__main__":
    main()
