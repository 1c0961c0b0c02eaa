"""`millstream adopt` and `millstream hand-back`: the whole way on Spark, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition

from compat_tests.cli.support import command, printed, refused
from compat_tests.cli.test_run import lines, write_app
from compat_tests.kafka.fixture import KafkaServer
from compat_tests.kafka.topics import create_topics
from compat_tests.relay.jvm import Jvm
from compat_tests.relay.small_app import SmallApplication, steady
from compat_tests.spark.support import Playground

AT = ["app.py", "--config", "app.toml"]


@pytest.mark.spark
@pytest.mark.long
def test_an_application_goes_from_the_jvm_here_and_back_by_commands(play: Playground) -> None:
    with Jvm(play.directory) as jvm:
        moving, alone = SmallApplication(play, jvm, "moving"), SmallApplication(play, jvm, "alone")
        folder, app = moving.folder, moving.id
        first, second, last = (steady(60 * n, 60) for n in range(3))
        moving.send(first)
        moving.by_jvm()

        told = printed("adopt", app, *AT, "--dry-run", cwd=folder)
        assert [line.split() for line in told.splitlines()[1:]] == [
            [store, f"{app}-{store}-changelog"]
            for store in ("counts", "held-windows", "held-back-store")
        ]
        assert not (folder / "state").exists()
        at = [*AT, "--set", "state.dir=state"]
        run = ["run", *at, "--set", f"application.id={app}", "--until-idle"]
        # Its state would be lost.
        assert "was left by Kafka Streams on the JVM" in refusal(*run, cwd=folder)
        facts = json.loads(printed("adopt", app, *at, "--json", cwd=folder))
        assert facts["checkpoint"] == (folder / "state" / app / "checkpoint").as_uri()
        assert facts["problems"] == []
        told = refused("adopt", app, *at, cwd=folder)
        assert "It has a checkpoint already" in told
        moving.send(second)
        fine(*run, cwd=folder)
        told = refused("adopt", app, *AT, "--set", "state.dir=elsewhere", cwd=folder)
        assert "already belongs to an application of millstream" in told

        # One that was killed while it committed offsets does not keep the next one waiting.
        killed = moving.begun_transaction(f"{app}-hand-back")
        told = printed("hand-back", app, *at, cwd=folder)
        del killed
        rows = [line.split() for line in told.splitlines()[1:-1]]
        assert {row[0] for row in rows} == {
            f"{app}-{store}-changelog" for store in ("counts", "held-windows", "held-back-store")
        }
        assert told.splitlines()[-1].startswith("Delete the local state of the Java application")
        moving.send(last)
        moving.by_jvm()
        assert "were changed by another program" in refusal(*run, cwd=folder)

        alone.send([*first, *second, *last])
        alone.by_jvm()
        assert moving.results() == alone.results()


def fine(*arguments: str, cwd: Path) -> None:
    """Run a command that also writes to standard error, and is fine."""
    done = command(*arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr


def refusal(*arguments: str, cwd: Path) -> str:
    """Return what a command that starts an application writes to standard error when it fails."""
    done = command(*arguments, cwd=cwd)
    assert done.returncode == 1, done.stdout
    return done.stderr


def test_what_does_not_fit_is_told_before_anything_starts(
    kafka: KafkaServer, tmp_path: Path
) -> None:
    servers, app = kafka.bootstrap_servers, "stays"
    create_topics(servers, [f"{app}-lines", f"{app}-counts"])
    lines(servers, f"{app}-lines", "a b a")
    write_app(tmp_path, servers, app)
    dry_run = [*AT, "--dry-run"]
    done = command("adopt", app, *dry_run, cwd=tmp_path)
    assert done.returncode == 1
    store = f'Store "counts-store" has no changelog: there is no topic "{app}-counts-store'
    assert store in done.stdout
    assert "has no committed offset of a topic that this topology reads" in done.stdout

    java = Consumer(
        {"bootstrap.servers": servers, "group.id": app, "auto.offset.reset": "earliest"}
    )
    java.subscribe([f"{app}-lines"])
    assert java.poll(30) is not None
    java.commit(offsets=[TopicPartition(f"{app}-lines", 0, 1)], asynchronous=False)
    body = json.loads(failed("adopt", app, *dry_run, "--partial", "--json", cwd=tmp_path))
    (problem,) = body["problems"]
    assert problem.startswith("It still runs, or was stopped less than a session.timeout.ms ago")
    assert body["positions"] == {f"{app}-lines": {"0": 1}}
    assert body["empty"] == ["counts-store"]
    java.close()

    told = printed("adopt", app, *dry_run, "--partial", cwd=tmp_path)
    assert told.splitlines() == ['store "counts-store" begins empty']
    told = refused("adopt", app, *AT, cwd=tmp_path)
    assert told.startswith(f'application "{app}" cannot be adopted. ')
    assert "--partial" in told

    # A group of another name has none of it.
    body = json.loads(failed("adopt", f"{app}-not", *dry_run, "--partial", "--json", cwd=tmp_path))
    (problem,) = body["problems"]
    assert "the application.id or the topology is another one" in problem

    away = ["--set", "bootstrap.servers=localhost:1"]
    for name in ("adopt", "hand-back"):
        told = refused(name, app, *AT, *away, cwd=tmp_path)
        assert "localhost:1" in told


def failed(*arguments: str, cwd: Path) -> str:
    """Return what a command prints that ends with status 1."""
    done = command(*arguments, cwd=cwd)
    assert done.returncode == 1, done.stderr
    return done.stdout
