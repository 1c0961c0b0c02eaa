"""The embedded broker starts, survives a kill, and never outlives its owner."""

from __future__ import annotations

import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from compat_tests.kafka.topics import create_topic, topics
from millstream.testing.broker import (
    BrokerError,
    BrokerExitedError,
    EmbeddedBroker,
    PortTakenError,
    wait_for,
)
from millstream.testing.broker.ports import free_port
from millstream.testing.broker.settings import server_properties


@pytest.mark.broker
def test_a_new_broker_finds_what_the_last_one_kept(tmp_path: Path) -> None:
    with EmbeddedBroker(data_dir=tmp_path) as first:
        create_topic(first.bootstrap_servers, "kept")
    with EmbeddedBroker(data_dir=tmp_path) as second:
        assert topics(second.bootstrap_servers) == {"kept"}


@pytest.mark.broker
def test_a_broker_of_its_own_data_leaves_nothing() -> None:
    with EmbeddedBroker() as broker:
        folder, pid = broker.data_dir, broker.pid
        assert broker.start() is broker
        assert broker.pid == pid
    assert not folder.exists()
    assert broker.pid is None


@pytest.mark.broker
def test_a_broker_ends_when_its_owner_is_killed() -> None:
    arguments = [sys.executable, "-c", OWNER]
    pipe = subprocess.PIPE
    with subprocess.Popen(arguments, stdin=pipe, stdout=pipe, text=True) as owner:
        assert owner.stdout is not None
        pid, folder = owner.stdout.readline().split()
        broker = os.pidfd_open(int(pid))
        owner.kill()
    ended, _, _ = select.select([broker], [], [], 30)
    os.close(broker)
    assert ended

    wait_for(lambda: not Path(folder).exists(), 30)


# The thread that starts the broker has ended by the time the owner is killed.
OWNER = """
from threading import Thread
from millstream.testing.broker import EmbeddedBroker
broker = EmbeddedBroker()
starter = Thread(target=broker.start)
starter.start()
starter.join()
print(broker.pid, broker.data_dir, flush=True)
input()
"""


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


def test_a_taken_port_is_named(taken_port: int) -> None:
    with pytest.raises(PortTakenError) as caught:
        EmbeddedBroker(port=taken_port).start()
    assert str(caught.value) == (
        f"cannot start the broker: port {taken_port} is taken\n  hint: Name another port."
    )


@pytest.mark.broker
def test_a_broker_that_ends_at_once_shows_its_log(tmp_path: Path) -> None:
    broker = EmbeddedBroker(data_dir=tmp_path, config={"num.io.threads": "many"})
    with pytest.raises(BrokerExitedError) as caught:
        broker.start()
    assert caught.value.problem == f"cannot format {tmp_path} for the broker"
    assert "Invalid value many for configuration num.io.threads" in caught.value.detail


@pytest.mark.broker
def test_a_broker_that_takes_too_long_says_how_long_it_was_given() -> None:
    broker = EmbeddedBroker()
    with pytest.raises(BrokerExitedError) as caught:
        broker.start(timeout_s=0.01)
    assert caught.value.problem.endswith("does not answer after 0.01 s")
    assert "start(timeout_s=" in caught.value.hint


def test_a_data_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(BrokerError) as caught:
        EmbeddedBroker(data_dir=file).start()
    assert str(caught.value) == (
        f"cannot use {file} as the broker's data folder\n  detail: File exists."
    )


@pytest.mark.broker
def test_a_failed_start_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(BrokerExitedError):
        EmbeddedBroker(config={"num.io.threads": "many"}).start()
    assert list(tmp_path.iterdir()) == []


def test_only_a_running_broker_can_be_paused() -> None:
    with pytest.raises(BrokerError, match="the broker is not running"):
        EmbeddedBroker().pause()


@pytest.mark.broker
def test_the_command_runs_a_broker_until_it_is_interrupted() -> None:
    port = free_port()
    arguments = millstream("broker", "--port", str(port))
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as command:
        assert command.stdout is not None
        first = command.stdout.readline()
        command.send_signal(signal.SIGINT)
        rest = command.stdout.read()
    assert re.fullmatch(rf"Kafka listens on 127\.0\.0\.1:{port}; data in \S+ \(.*\)\.\n", first)
    assert rest == "Ctrl-C stops it.\nStopped.\n"
    assert command.returncode == 0


def test_the_command_says_in_a_line_that_the_port_is_taken(taken_port: int) -> None:
    command = millstream("broker", "--port", str(taken_port))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (
        1,
        "",
        f"millstream: cannot start the broker: port {taken_port} is taken. Name another port.\n",
    )


def test_the_command_says_in_a_line_that_there_is_no_java(tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "JAVA_HOME"} | {"PATH": "/nowhere"}
    done = subprocess.run(
        millstream("broker", "--port", str(free_port())),
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (
        1,
        "",
        NO_JAVA,
    )


NO_JAVA = (
    "millstream: cannot find Java. No java is on PATH. "
    "Install a JRE or JDK 17 or newer, or let JAVA_HOME name one.\n"
)


def millstream(*arguments: str) -> list[str]:
    return [str(Path(sys.executable).parent / "millstream"), *arguments]


def test_records_of_any_age_stay_unless_a_setting_says_otherwise() -> None:
    assert "log.retention.ms=-1\n" in properties({})
    assert properties({"log.retention.ms": 5}).count("log.retention.ms=") == 1
    assert "log.retention.ms=5\n" in properties({"log.retention.ms": 5})


def properties(extra: dict[str, object]) -> str:
    return server_properties(port=1, controller_port=2, logs=Path("logs"), extra=extra)
