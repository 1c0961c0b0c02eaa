"""A fork server that the driver starts, and what Spark runs in place of Python."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import millstream
from compat_tests.spark.support import eventually
from compat_tests.spark.test_fork_server import jvm, name_of, parent_of, said
from millstream.topology.spark.fork_place import server_path
from millstream.topology.spark.fork_server import DECLARES
from millstream.topology.spark.worker_pools import workers_for

PYTHON = Path(millstream.__file__).parent / "topology" / "spark" / "worker_python.sh"
AHEAD = [sys.executable, "-m", "millstream.topology.spark.fork_ahead"]
PATIENCE_S = 120


@pytest.fixture
def place() -> Iterator[dict[str, str]]:
    """Entries of the environment of a driver with a directory for sockets of its own."""
    with tempfile.TemporaryDirectory(prefix="fork-") as made:
        # pytest changes that entry between a test's fixtures and the test.
        same = {"PYTEST_CURRENT_TEST": "", "OMP_NUM_THREADS": "1"}
        yield {"TMPDIR": made, "MILLSTREAM_DRIVER": str(os.getpid()), **same}


@pytest.fixture
def server(place: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(AHEAD, env=os.environ | place) as process:
        eventually(lambda: name_of(process.pid), "fork-server")
        yield process
        process.kill()


def declaring(place: dict[str, str]) -> tuple[int, int]:
    """Run what declares a stage's state, as Spark does; return the ids of both processes.

    These are the one that is started, and the one that answers.
    """
    environment = os.environ | place | {"MILLSTREAM_PYTHON": sys.executable}
    # Spark sets it for workers only.
    del environment["OMP_NUM_THREADS"]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE_S)
        environment["PYTHON_WORKER_FACTORY_PORT"] = str(listener.getsockname()[1])
        environment["PYTHON_WORKER_FACTORY_SECRET"] = "secret"
        command = [str(PYTHON), "-m", DECLARES]
        with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
            connection, _ = listener.accept()
            with connection, connection.makefile("rwb") as stream:
                size = struct.unpack("!i", stream.read(4))[0]
                assert stream.read(size) == b"secret"
                stream.write(struct.pack("!i", 2) + b"ok")
                stream.flush()
                answers = struct.unpack("!i", stream.read(4))[0]
                found = process.pid, answers
            # Spark closes the connection; both processes end.
            process.wait(PATIENCE_S)
        eventually(partial(name_of, answers), "")
    return found


def test_daemons_come_from_the_server_of_the_driver(
    place: dict[str, str], server: subprocess.Popen[bytes]
) -> None:
    with jvm("stays", place=None, **place) as process:
        (_, worker), _ = said(process)
        assert parent_of(parent_of(worker)) == server.pid
        process.kill()


def test_a_server_ends_with_the_driver(place: dict[str, str]) -> None:
    with subprocess.Popen(["sleep", str(PATIENCE_S)]) as driver:
        place["MILLSTREAM_DRIVER"] = str(driver.pid)
        with subprocess.Popen(AHEAD, env=os.environ | place) as process:
            eventually(lambda: name_of(process.pid), "fork-server")
            # Nobody has asked yet how it ended.
            driver.kill()
            assert process.wait(PATIENCE_S) == 0


def test_what_declares_state_is_forked(
    place: dict[str, str], server: subprocess.Popen[bytes]
) -> None:
    started, answers = declaring(place)
    assert started != answers


def test_without_a_server_python_declares_state(place: dict[str, str]) -> None:
    started, answers = declaring(place)
    assert started == answers


def test_anything_else_is_run_by_python() -> None:
    command = [str(PYTHON), "-c", "import sys; print(sys.argv[1:], sys.executable)", "a b", "$c"]
    done = subprocess.run(
        command,
        env=os.environ | {"MILLSTREAM_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == f"{['a b', '$c']} {sys.executable}"


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return server_path({"A": "1", "MILLSTREAM_DRIVER": "7"}, 0)


@pytest.mark.parametrize("name", ["_", "SHLVL", "OLDPWD", "SPARK_HOME", "PYTHONPATH"])
def test_what_shells_and_spark_set_makes_no_other_server(known: Path, name: str) -> None:
    assert server_path({"A": "1", "MILLSTREAM_DRIVER": "7", name: "x"}, 0) == known


@pytest.mark.parametrize("other", [{"A": "2"}, {"B": "1"}, {"MILLSTREAM_DRIVER": "8"}])
def test_another_environment_makes_another_server(known: Path, other: dict[str, str]) -> None:
    assert server_path({"A": "1", "MILLSTREAM_DRIVER": "7"} | other, 0) != known


def test_only_places_with_modules_of_others_make_another_server(
    known: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = tmp_path / "userFiles-1"
    shipped.mkdir()
    (shipped / "kafka.jar").touch()
    monkeypatch.syspath_prepend(shipped)
    monkeypatch.syspath_prepend(tmp_path / "python" / "lib" / "pyspark.zip")
    environment = {"A": "1", "MILLSTREAM_DRIVER": "7"}
    assert server_path(environment, 0) == known
    (shipped / "helpers.py").touch()
    assert server_path(environment, 0) != known


def test_the_session_has_its_own_python_again(spark: SparkSession) -> None:
    context = spark.sparkContext
    before = context.pythonExec
    with workers_for(spark, "pack"):
        pass
    assert context.pythonExec == before
    assert "MILLSTREAM_PYTHON" not in context.environment
