"""Program: loses executors of a small cluster while tasks run; prints a line of JSON for each.

First a query with state loses the executor of a task that is in the middle of it, and another one
loses it just before Spark submits the task. A copy of this task is said to be on an executor that
is busy, while another one is idle. Then tasks without state prefer an executor that is lost, while
another one prefers one that is not. At last Spark's replacement joins while more tasks wait than
there are cores.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
from pyspark import TaskContext
from pyspark.sql import Row, SparkSession
from pyspark.sql.pandas.functions import pandas_udf

from millstream.core.processor import TaskId
from millstream.topology.spark.driver.session import new_session
from millstream.topology.spark.placement.facts import Executor
from millstream.topology.spark.placement.internals import SparkInternals
from millstream.topology.spark.placement.scheduling import Scheduling
from millstream.topology.spark.placement.warming_job import placed, warm
from millstream.topology.spark.worker.executor_id import executor_id

EXECUTORS = 3
PATIENCE_S = 60


def wait_for(found: Callable[[], Any], what: str) -> Any:
    end = time.monotonic() + PATIENCE_S
    while not (value := found()):
        assert time.monotonic() < end, f"nothing came of: {what}"
        time.sleep(0.02)
    return value


def say(**facts: Any) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def slow_counts(session: SparkSession, folder: Path) -> Any:
    """A query of one state stage; a task notes where it runs and waits while its file is there.

    So do those that read the source.
    """

    def read(values: pd.Series) -> pd.Series:
        while (folder / "wait-source").exists():
            (folder / "source-waits").touch()
            time.sleep(0.02)
        return values

    def stay(counts: pd.Series) -> pd.Series:
        context = TaskContext.get()
        task = context.partitionId() if context else -1
        with (folder / f"ran-{task}").open("a") as noted:
            noted.write(f"{executor_id()}\n")
        while (folder / f"wait-{task}").exists():
            time.sleep(0.02)
        return counts

    make: Any = pandas_udf
    udf, reads = make(stay, "long"), make(read, "long")
    source = session.readStream.format("rate").option("rowsPerSecond", 100).load()
    values = source.select(reads("value").alias("value"))
    counted = values.selectExpr("value % 20 as key").groupBy("key").count()
    return (
        counted.select(udf("count").alias("count"))
        .writeStream.outputMode("update")
        .format("noop")
        .option("checkpointLocation", str(folder / "checkpoint"))
        .start()
    )


def ran(folder: Path, task: int) -> list[str]:
    path = folder / f"ran-{task}"
    return path.read_text().split() if path.exists() else []


def lose(session: SparkSession, executor: str) -> None:
    """Kill an executor's process."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if session.sparkContext.applicationId in words and _follows(words, executor):
            os.kill(int(path.parent.name), signal.SIGKILL)
            return
    raise AssertionError(f"executor {executor} has no process")


def _follows(words: list[str], executor: str) -> bool:
    return "--executor-id" in words and words[words.index("--executor-id") + 1] == executor


def lost_task(session: SparkSession, folder: Path, *, submitted: bool) -> str:
    """Lose the executor of a task that runs, or of one that is about to be submitted.

    Returns:
        The executors' host.
    """
    folder.mkdir()
    query = slow_counts(session, folder)
    tasks = tuple(TaskId(0, number) for number in range(2))
    wait_for(lambda: query.lastProgress and ran(folder, 0) and ran(folder, 1), "a batch")
    internals = SparkInternals(session, query, {0: 0}, tasks)
    scheduling = Scheduling(session, internals)
    executors = {each.id: each for each in internals.executors()}
    before = [len(ran(folder, number)) for number in range(2)]
    (folder / "wait-1").touch()
    if submitted:
        (folder / "wait-0").touch()
        wait_for(lambda: all(len(ran(folder, n)) > before[n] for n in range(2)), "both tasks wait")
    else:
        (folder / "wait-source").touch()
        (folder / "wait-1").unlink()
        wait_for((folder / "source-waits").exists, "the source waits")
        (folder / "wait-1").touch()
    lost, busy = ran(folder, 0)[-1], ran(folder, 1)[-1]
    scheduling.tell_copies({tasks[0]: executors[busy]})
    runs, others = len(ran(folder, 0)), len(ran(folder, 1))
    lose(session, lost)
    wait_for(lambda: lost not in {each.id for each in internals.executors()}, "the loss")
    if not submitted:
        # Which of the two tasks is the first one there is Spark's choice.
        (folder / "wait-source").unlink()
        wait_for(lambda: len(ran(folder, 1)) > others, "the other task waits")
    # Spark offers cores every second: an idle executor would have the task by then.
    time.sleep(1.2)
    waited = len(ran(folder, 0)) == runs
    (folder / "wait-1").unlink()
    wait_for(lambda: len(ran(folder, 0)) > runs, "the lost task")
    say(waited=waited, at_its_copy=ran(folder, 0)[runs] == busy, idle=len(executors) - 2)
    (folder / "wait-0").unlink(missing_ok=True)
    query.stop()
    scheduling.close()
    return executors[busy].host


def lost_reader(session: SparkSession, folder: Path, host: str) -> None:
    """Lose the executor that two of three tasks prefer, whose wait for it would be long."""
    scheduling = without_query(session)
    context: Any = session._jsc
    lost, kept, idle = sorted(context.sc().getExecutorIds().mkString(",").split(","))
    log, waits = folder / "readers", folder / "wait-reader"
    waits.touch()

    def note(rows: Any) -> Any:
        with log.open("a") as lines:
            lines.write(f"{executor_id()}\n")
        while executor_id() in (lost, kept) and waits.exists():
            time.sleep(0.02)
        return iter([Row(topic=executor_id())])

    def noted() -> list[str]:
        return log.read_text().split() if log.exists() else []

    context.sc().conf().set("spark.locality.wait", "600s")
    three = session.sparkContext.parallelize(range(3), 3).mapPartitions(note)
    reading = threading.Thread(
        target=placed(three, *(at(e, host) for e in (lost, lost, kept))).count
    )
    reading.start()
    wait_for(lambda: sorted(noted()) == [lost, kept], "one task on each")
    lose(session, lost)
    wait_for(lambda: noted().count(idle) == 2, "both tasks where nothing runs")
    waits.unlink()
    reading.join()
    context.sc().conf().remove("spark.locality.wait")
    scheduling.close()


def at(executor: str, host: str) -> Executor:
    return Executor(id=executor, host=host, cores=1)


def without_query(session: SparkSession) -> Scheduling:
    internals: Any = type("Internals", (), {"provider": lambda *_: None})()
    return Scheduling(session, internals)


def joins(session: SparkSession, folder: Path, host: str) -> None:
    context: Any = session._jsc
    scheduling = without_query(session)
    scheduling.hold_new_executors()
    known = set(context.sc().getExecutorIds().mkString(",").split(","))
    log = folder / "order"

    def note(kind: str) -> Callable[[Any], Any]:
        def noted(rows: Any) -> Any:
            with log.open("a") as lines:
                lines.write(f"{kind} {executor_id()}\n")
            # So long that tasks wait until the new executor has joined, others until it is warm.
            time.sleep(2.0 if kind == "warm" else 0.3)
            return iter([Row(topic=executor_id())])

        return noted

    many = session.sparkContext.parallelize(range(150), 150)
    waiting = threading.Thread(target=lambda: many.mapPartitions(note("batch")).count())
    waiting.start()
    wait_for(log.exists, "a first task")
    lose(session, min(known))
    (held,) = wait_for(scheduling.held, "a held executor")

    executor = at(held, host)
    one = session.sparkContext.parallelize([0], 1).mapPartitions(note("warm"))
    there: list[bool] = []

    def warms() -> None:
        assert scheduling.started(executor)
        with scheduling.warming(executor):
            there.append(warm(one, executor))

    warming = threading.Thread(target=warms)
    warming.start()
    assert scheduling.admit(executor)
    # A task that prefers the executor while it is warmed up runs elsewhere; a second job that warms
    # it up has its core right after the first.
    after = placed(session.sparkContext.parallelize([0], 1).mapPartitions(note("after")), executor)
    other = placed(session.sparkContext.parallelize([0], 1).mapPartitions(note("other")), executor)
    passing = threading.Thread(target=other.count)
    passing.start()
    follows = threading.Thread(target=scheduling.follow, args=(executor,))
    follows.start()
    with scheduling.warming(executor):
        after.count()
    scheduling.warmed(executor)
    for each in (warming, passing, follows, waiting):
        each.join()
    passed = [line.split()[1] for line in log.read_text().splitlines() if line[:5] == "other"]
    ran = [line.split()[0] for line in log.read_text().splitlines() if line.endswith(f" {held}")]
    say(
        there=there,
        first=ran[:2],
        later=sorted(set(ran[2:])),
        held=sorted(scheduling.held()),
        passed=passed != [held],
    )
    scheduling.close()


def main() -> None:
    settings = {"spark.master": f"local-cluster[{EXECUTORS},1,1024]", "spark.log.level": "ERROR"}
    session = new_session({**settings, "spark.sql.shuffle.partitions": "2"}, "led")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        context: Any = session._jsc
        ids = context.sc().getExecutorIds
        for submitted in (True, False):
            host = lost_task(session, Path(folder, f"{submitted}"), submitted=submitted)
            wait_for(lambda: len(ids().mkString(",").split(",")) == EXECUTORS, "a replacement")
        lost_reader(session, Path(folder), host)
        wait_for(lambda: len(ids().mkString(",").split(",")) == EXECUTORS, "a replacement")
        joins(session, Path(folder), host)
        session.stop()


if __name__ == "__main__":
    main()
