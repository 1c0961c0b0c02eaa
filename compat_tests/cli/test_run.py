"""`millstream run` on Spark and a broker: it ends by idleness, a signal, or a failure."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer

from compat_tests.cli.support import WORD_COUNT, command, printed, refused
from compat_tests.kafka.fixture import KafkaServer
from compat_tests.kafka.topics import create_topics
from compat_tests.spark.support import QUICK_JVM

pytestmark = pytest.mark.spark

QUICK = '[spark]\nmaster = "local[2]"\ndriver.extraJavaOptions = "{}"\n'.format(
    QUICK_JVM["spark.driver.extraJavaOptions"]
)
STARTS = """
if __name__ == "__main__":
    raise AssertionError("never")


def main():
    streams = KafkaStreams(build_topology(), {"application.id": "starts", "state.dir": "state"})
    streams.cleanUp()
    streams.start()
"""


def write_app(folder: Path, servers: str, name: str, program: str = WORD_COUNT) -> None:
    """Write a program and its configuration; its topics are named after the application."""
    program = program.replace('"lines"', f'"{name}-lines"').replace('"counts"', f'"{name}-counts"')
    (folder / "app.py").write_text(program)
    (folder / "app.toml").write_text(
        f'application.id = "{name}"\nbootstrap.servers = "{servers}"\nstate.dir = "state"\n{QUICK}'
    )


def lines(servers: str, topic: str, *texts: str) -> None:
    producer = Producer({"bootstrap.servers": servers})
    for text in texts:
        producer.produce(topic, text.encode())
    assert producer.flush(30) == 0


def counts(servers: str, topic: str) -> dict[str, int]:
    """Return the last count of each word on a topic of one partition."""
    consumer = Consumer(
        {
            "bootstrap.servers": servers,
            "group.id": "counts",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    consumer.subscribe([topic])
    found: dict[str, int] = {}
    while (message := consumer.poll(30)) is not None and message.error() is None:
        key, value = message.key(), message.value()
        found[bytes(key or b"").decode()] = int.from_bytes(bytes(value or b""), "big")
    consumer.close()
    return found


@pytest.mark.long
def test_it_runs_until_everything_is_read(kafka: KafkaServer, tmp_path: Path) -> None:
    servers = kafka.bootstrap_servers
    create_topics(servers, ["run-lines", "run-counts"])
    lines(servers, "run-lines", "to be or not", "to be")
    write_app(tmp_path, servers, "run")
    done = command("run", "app.py", "-c", "app.toml", "--until-idle", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    log = tmp_path / "state" / "run" / "millstream.log"
    assert done.stderr.splitlines() == [f"millstream: run: starting; log in {log}"]
    *progress, end = [json.loads(line) for line in done.stdout.splitlines()]
    assert end == {"event": "closed"}
    assert {each["event"] for each in progress} == {"progress"}
    last = progress[-1]
    assert (last["records"], last["lag"], last["late"], last["dropped"]) == (2, 0, 0, 0)
    assert last["state_bytes"] > 0
    assert counts(servers, "run-counts") == {"to": 2, "be": 2, "or": 1, "not": 1}


@pytest.mark.long
def test_a_signal_closes_an_application_that_its_program_starts(
    kafka: KafkaServer, tmp_path: Path
) -> None:
    servers = kafka.bootstrap_servers
    create_topics(servers, ["starts-lines", "starts-counts"])
    lines(servers, "starts-lines", "a b a")
    write_app(tmp_path, servers, "starts", WORD_COUNT.replace("-> Topology", "") + STARTS)
    arguments = ["run", "app.py:main", "--config", "app.toml", "--every", "0.2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "millstream.cli", *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ,
        text=True,
    )
    assert process.stdout is not None
    told = next(line for line in process.stdout if "records 1  " in line)
    assert "  RUNNING  " in told
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=120)
    assert process.returncode == 0
    assert rest.splitlines()[-1] == "closed"
    assert "Traceback" not in errors
    assert counts(servers, "starts-counts") == {"a": 2, "b": 1}


def test_a_new_project_runs_as_its_readme_says(kafka: KafkaServer, tmp_path: Path) -> None:
    printed("new", "word-count", cwd=tmp_path)
    project = tmp_path / "word-count"
    at = ["--config", "app.toml", "--set", f"bootstrap.servers={kafka.bootstrap_servers}"]
    app = "src/word_count/topology.py"
    printed("topics", "create", app, *at, cwd=project)
    assert command("pipe", "lines", *at, cwd=project, text="To be or\nto be\n").returncode == 0
    (project / "quick.toml").write_text(QUICK)
    quick = ["--config", "quick.toml", "--until-idle"]
    done = command("run", app, *at, *quick, cwd=project)
    assert done.returncode == 0, done.stderr
    told = printed("peek", "counts", "--value-serde", "long", *at, "--json", cwd=project)
    found = {each["key"]: each["value"] for each in map(json.loads, told.splitlines())}
    assert found == {"to": 2, "be": 2, "or": 1}
    assert "total lag: 0" in printed("lag", "word-count", *at, cwd=project)


@pytest.mark.long
def test_a_failure_is_told_and_is_exit_code_1(kafka: KafkaServer, tmp_path: Path) -> None:
    servers = kafka.bootstrap_servers
    create_topics(servers, ["fails-lines", "fails-counts"])
    lines(servers, "fails-lines", "a")
    write_app(tmp_path, servers, "fails", WORD_COUNT.replace("line.split()", "line / 2"))
    done = command("run", "app.py", "--config", "app.toml", "--plain", cwd=tmp_path)
    assert done.returncode == 1
    first, problem, *rest = done.stderr.splitlines()
    assert first.startswith("millstream: fails: starting; log in ")
    assert problem.startswith("millstream: ")
    assert any("TypeError" in line and "line / 2" not in problem for line in (problem, *rest))
    assert [line for line in rest if "detail:" in line]
    assert "Traceback" not in done.stderr


def test_an_incomplete_configuration_is_told_before_anything_starts(
    kafka: KafkaServer, tmp_path: Path
) -> None:
    # Other tests have topics of the first names on the same broker.
    (tmp_path / "app.py").write_text(WORD_COUNT.replace('"lines"', '"lines-of-nobody"'))
    told = refused("run", "app.py", cwd=tmp_path)
    assert told.startswith('"app.py" has no application.id and no bootstrap.servers. ')
    both = ["--set", "application.id=app", "--set", f"bootstrap.servers={kafka.bootstrap_servers}"]
    state = ["--set", "state.dir=state"]
    done = command("run", "app.py", *both, *state, cwd=tmp_path)
    assert done.returncode == 1
    assert "source topics do not exist" in done.stderr
    assert command("run", "app.py", "--plain", "--json", cwd=tmp_path).returncode == 2
