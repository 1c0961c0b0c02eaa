"""Reset of an application on Spark: its next run begins anew, and a running one is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition

from compat_tests.cli.support import printed, refused
from compat_tests.cli.test_run import lines, write_app
from compat_tests.kafka.fixture import KafkaServer
from compat_tests.kafka.topics import create_topics, topics

pytestmark = pytest.mark.spark

APP = "resets"


def written(servers: str) -> list[tuple[str, int]]:
    """Return the committed counts of all runs, in order."""
    consumer = Consumer(
        {
            "bootstrap.servers": servers,
            "group.id": "written",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
        }
    )
    consumer.assign([TopicPartition(f"{APP}-counts", 0, 0)])
    found = []
    while (message := consumer.poll(30)) is not None and message.error() is None:
        key, value = bytes(message.key() or b""), bytes(message.value() or b"")
        found.append((key.decode(), int.from_bytes(value, "big")))
    consumer.close()
    return found


@pytest.mark.long
def test_a_reset_application_counts_from_nothing(kafka: KafkaServer, tmp_path: Path) -> None:
    servers = kafka.bootstrap_servers
    create_topics(servers, [f"{APP}-lines", f"{APP}-counts"])
    write_app(tmp_path, servers, APP)
    with (tmp_path / "app.toml").open("a") as file:
        file.write('[processing]\nguarantee = "exactly_once_v2"\n')
    config = ["--config", "app.toml"]
    lines(servers, f"{APP}-lines", "a", "b", "a")
    run_and_try_to_reset(tmp_path, config)
    first = [("a", 2), ("b", 1)]
    assert sorted(written(servers)) == first
    body = json.loads(printed("lag", APP, *config, "--json", cwd=tmp_path))
    assert body["total"] == 0
    assert body["owner"]["checkpoint"] == (tmp_path / "state" / APP / "checkpoint").as_uri()

    told = printed("reset", APP, *config, cwd=tmp_path)
    assert f"delete {tmp_path / 'state' / APP / 'checkpoint'}" in told
    assert f"delete internal topic {APP}-millstream-owner" in told
    assert (tmp_path / "state" / APP / "checkpoint" / "offsets").exists()

    printed("reset", APP, *config, "--to-earliest", "--execute", cwd=tmp_path)
    left = {path.name for path in (tmp_path / "state" / APP).iterdir()}
    assert left <= {"lock", "millstream.log", "checkpoint"}
    assert not list((tmp_path / "state" / APP).glob("checkpoint/*"))
    assert not {topic for topic in topics(servers) if "millstream" in topic and APP in topic}
    run(tmp_path, config)
    assert sorted(written(servers)[2:]) == first

    printed("reset", APP, *config, "--shift-by", "-1", "--execute", cwd=tmp_path)
    run(tmp_path, config)
    assert written(servers)[4:] == [("a", 1)]


def run(folder: Path, config: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "millstream.cli", "run", "app.py", *config, "--until-idle"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def run_and_try_to_reset(folder: Path, config: list[str]) -> None:
    """Run the application until it has read three records, try to reset it, and stop it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "millstream.cli", "run", "app.py", *config, "--every", "0.2"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ,
        text=True,
    )
    assert process.stdout is not None
    try:
        next(line for line in process.stdout if "lag 0  batch" in line)
        told = refused("reset", APP, *config, "--execute", "--force", cwd=folder)
        assert told.startswith(f'application "{APP}" runs. It has locked its state directory ')
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
