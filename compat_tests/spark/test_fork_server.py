"""Python workers that are forked from one process with everything imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from compat_tests.smoke.proc import descendants, kill_all
from compat_tests.spark.evolution.support import BASE
from compat_tests.spark.support import eventually
from millstream import (
    BufferConfig,
    Materialized,
    StreamsBuilder,
    StreamsConfig,
    Suppressed,
    TimeWindows,
)
from millstream.topology.spark.driver.pickled import pickled

JVM = """
import json, os, socket, struct, subprocess, sys

def started(role):
    daemon = subprocess.Popen(
        [sys.executable, "-m", "millstream.topology.spark.daemon", "pyspark.worker"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, "MILLSTREAM_ROLE": role, "PYTHON_WORKER_FACTORY_SECRET": role},
    )
    port = struct.unpack("!i", daemon.stdout.read(4))[0]
    connection = socket.create_connection(("127.0.0.1", port))
    worker = struct.unpack("!i", connection.recv(4))[0]
    return daemon, connection, worker

kept = [started("pack"), started("stage-0")]
print(json.dumps([[daemon.pid, worker] for daemon, _, worker in kept]), flush=True)
if sys.argv[1] == "terminates":
    kept[0][0].terminate()
    print(json.dumps(kept[0][0].wait(20)), flush=True)
sys.stdin.read()
"""
"""Starts daemons and workers as Spark's JVM does."""

RANDOM = """
import os
from millstream.topology.spark import fork_server
fork_server._preload()
import numpy
for _ in range(2):
    if os.fork() == 0:
        print(numpy.random.random(), flush=True)
        os._exit(0)
    os.wait()
"""

MEMORY = """
import os
from millstream.topology.spark import fork_server
fork_server._preload()
os.environ.clear()
import pyarrow
print(pyarrow.default_memory_pool().backend_name)
"""

LATER = """
import pickle, sys
from pathlib import Path
from millstream.topology.spark import fork_server
fork_server._preload()
before = set(sys.modules)
pickle.loads(Path(sys.argv[1]).read_bytes())
print(*sorted(set(sys.modules) - before))
"""


def jvm(
    does: str, *options: str, place: Path | None = None, **environment: str
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", JVM, does, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=place,
        env=os.environ | environment,
    )


def said(process: subprocess.Popen[str]) -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


def name_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.fixture
def short() -> Iterator[Path]:
    """A directory in which a socket's path is short enough: pytest's own grow with its runs."""
    with tempfile.TemporaryDirectory(prefix="fork-") as made:
        yield Path(made)


def test_workers_of_one_jvm_come_from_one_server_that_ends_with_it(short: Path) -> None:
    with jvm("stays", TMPDIR=str(short)) as process:
        (_, first), (_, second) = said(process)
        assert (name_of(first), name_of(second)) == ("pack", "stage-0")
        servers = {parent_of(parent_of(worker)) for worker in (first, second)}
        assert [name_of(server) for server in servers] == ["fork-server"]
        process.kill()
    for pid in (first, second, *servers):
        eventually(partial(name_of, pid), "")
    (directory,) = short.iterdir()
    assert list(directory.iterdir()) == []


def test_executors_of_one_driver_share_a_server_that_ends_with_the_last(short: Path) -> None:
    environment = {"TMPDIR": str(short), "MILLSTREAM_DRIVER": str(os.getpid())}
    places = [short / name for name in ("one", "other")]
    for place in places:
        place.mkdir()
    with (
        jvm("stays", "--executor-id", "1", place=places[0], **environment) as one,
        jvm("stays", "--executor-id", "2", place=places[1], **environment) as two,
    ):
        (_, first), _ = said(one)
        (_, second), _ = said(two)
        assert parent_of(parent_of(first)) == parent_of(parent_of(second))
        server = parent_of(parent_of(first))
        assert [os.readlink(f"/proc/{pid}/cwd") for pid in (first, second)] == [*map(str, places)]
        # What ends one executor with all its processes leaves the other one's workers alone.
        assert server not in descendants(one.pid) + descendants(two.pid)
        kill_all(descendants(one.pid))
        eventually(partial(name_of, first), "")
        assert (name_of(second), name_of(server)) == ("pack", "fork-server")
        two.kill()
    for pid in (second, server):
        eventually(partial(name_of, pid), "")


def test_the_server_of_one_executor_is_among_its_processes(short: Path) -> None:
    with jvm("stays", "--executor-id", "1", TMPDIR=str(short)) as process:
        (_, worker), _ = said(process)
        assert parent_of(parent_of(worker)) in descendants(process.pid)
        process.kill()


def test_spark_ends_a_daemon_of_the_server_as_any_other(short: Path) -> None:
    with jvm("terminates", TMPDIR=str(short)) as process:
        (_, worker), (_, other) = said(process)
        assert said(process) == 0
        eventually(lambda: name_of(worker), "")
        assert name_of(other) == "stage-0"
        process.kill()


@pytest.mark.parametrize("why", ["no private directory", "too long a path"])
def test_without_a_server_there_are_usual_daemons(why: str, tmp_path: Path) -> None:
    place = tmp_path if why == "no private directory" else tmp_path / ("x" * 100)
    place.mkdir(exist_ok=True)
    if why == "no private directory":
        (place / f"millstream-fork-{os.getuid()}").mkdir(mode=0o755)
    with jvm("stays", TMPDIR=str(place)) as process:
        (daemon, worker), _ = said(process)
        assert parent_of(worker) == daemon
        process.kill()


def test_forked_workers_draw_different_numbers() -> None:
    done = subprocess.run(
        [sys.executable, "-c", RANDOM], capture_output=True, text=True, check=True
    )
    first, second = done.stdout.split()
    assert first != second


@pytest.mark.parametrize(("given", "used"), [("", "system"), ("mimalloc", "mimalloc")])
def test_arrow_takes_memory_as_all_else_does_unless_told_otherwise(given: str, used: str) -> None:
    setting = "ARROW_DEFAULT_MEMORY_POOL"
    others = {name: value for name, value in os.environ.items() if name != setting}
    environment = others | ({setting: given} if given else {})
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], stdout=subprocess.PIPE, check=True, env=environment
    )
    assert done.stdout.decode().strip() == used


def test_a_worker_imports_nothing_for_a_program_of_stores_and_joins(tmp_path: Path) -> None:
    builder = StreamsBuilder()
    clicks = builder.stream("clicks")
    names = builder.table("names", Materialized.as_("names"))
    windows = TimeWindows.ofSizeWithNoGrace(1000)
    clicks.join(names, max).groupByKey().windowedBy(windows).count().suppress(
        Suppressed.untilWindowCloses(BufferConfig.unbounded())
    ).toStream().to("counts")
    plan = tmp_path / "plan"
    plan.write_bytes(pickled(builder.build().plan(), StreamsConfig(BASE)))
    done = subprocess.run(
        [sys.executable, "-c", LATER, str(plan)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
