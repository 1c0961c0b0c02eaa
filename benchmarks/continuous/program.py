"""The continuous side; takes the arguments of `java/KafkaStreamsSide.java`.

Entries of the configuration that begin with `continuous.` are its own: `continuous.offsets`, and
`continuous.barrier`, which runs the tasks as one barrier stage. It ends when its standard input
does.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.continuous.job import ContinuousJob, job_of
from benchmarks.continuous.task import run_partition
from benchmarks.vs_kafka_streams.millstream_side import properties
from benchmarks.vs_kafka_streams.topologies import build
from millstream.core.config import StreamsConfig
from millstream.topology.spark.driver.session import new_session

ATTEMPTS = "100000"
"""A task that runs for months may fail more often than one that takes seconds."""


def main() -> None:
    workload, sources, output, _warm, _end, config_file = sys.argv[1:]
    entries: dict[str, Any] = dict(properties(Path(config_file)))
    offsets = entries.pop("continuous.offsets", "transaction")
    barrier = entries.pop("continuous.barrier", "false") == "true"
    entries = {"spark.task.maxFailures": ATTEMPTS, **entries}
    session = new_session(entries, entries["application.id"])
    topology = build(workload, sources.split(","), output)
    job = job_of(topology, StreamsConfig(entries), offsets)
    stopping = threading.Event()
    threading.Thread(target=_run, args=(session, job, barrier, stopping), daemon=True).start()
    sys.stdin.read()
    stopping.set()
    # The processes of the tasks end with the JVM; what is not committed did not happen.
    session.stop()


def _run(session: Any, job: ContinuousJob, barrier: bool, stopping: threading.Event) -> None:
    context = session.sparkContext
    numbers = context.parallelize(range(job.tasks), job.tasks)
    run = partial(run_partition, job)
    try:
        (numbers.barrier() if barrier else numbers).mapPartitions(run).collect()
    finally:
        # The tasks do not end by themselves. Whoever waits for standard input cannot be told
        # otherwise; what happened is on standard error.
        if not stopping.is_set():
            traceback.print_exc()
            os._exit(1)


if __name__ == "__main__":
    main()
