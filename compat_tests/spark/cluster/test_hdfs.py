"""A checkpoint on HDFS: restarts, queries, savepoints, changed programs, commands, hot spares."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compat_tests import ROOT
from compat_tests.cli.support import command
from compat_tests.spark.applications.drivers import drivers, taken_over_exactly
from compat_tests.spark.cluster.hdfs import hdfs
from compat_tests.spark.generations.test_on_spark import count, counted
from compat_tests.spark.support import QUICK_JVM, Playground, eventually
from millstream import KafkaStreams
from millstream.topology.spark.checkpoint.files import RemoteFiles

PROGRAM = """
from compat_tests.spark.generations.test_on_spark import counted


def build_topology():
    return counted({source!r}, {target!r}, filtered={filtered})
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Location of a running HDFS."""
    with hdfs(tmp_path_factory.mktemp("hdfs") / "cluster") as found:
        yield found


def _command(play: Playground, location: str, name: str, *more: str) -> str:
    """Run the command on the application, and return what it prints."""
    arguments = [name, *more, "--set", f"application.id={play.name}"]
    for key, value in {
        "bootstrap.servers": play.servers,
        "state.dir": str(play.directory / "command"),
        "millstream.checkpoint.location": location,
        **QUICK_JVM,
    }.items():
        arguments += ["--set", f"{key}={value}"]
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    done = command(*arguments, cwd=play.directory, PYTHONPATH=paths)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.long
@pytest.mark.cluster
def test_an_application_lives_on_hdfs(play: Playground, spark: Any, url: str) -> None:
    source, target = play.topic("words"), play.topic("counts", partitions=1)
    location = f"{url}/checkpoints/{play.name}"
    files = RemoteFiles(spark, location)
    saved = f"{url}/saved/{play.name}"

    def program(*, filtered: bool) -> str:
        text = PROGRAM.format(source=source, target=target, filtered=filtered)
        (play.directory / "app.py").write_text(text)
        return "app.py"

    def run(expected: int, *, filtered: bool, place: str = location, **entries: Any) -> None:
        config = play.config(**entries) | {"millstream.checkpoint.location": place}
        topology = counted(source, target, filtered=filtered)
        with KafkaStreams(topology, config, spark=spark) as streams:
            eventually(lambda: count(streams), expected - 1 or None)
            play.produce(source, [("a", "x", 1000)])
            eventually(lambda: count(streams), expected)
            if expected == 1:
                assert streams.savepoint(saved).stores.keys() == {"counts"}

    run(1, filtered=False)
    assert "1.json" in files.names("millstream-lease")
    shutil.rmtree(play.directory / play.name)
    run(2, filtered=False)

    # A changed program: told by the plan, and carried out by the start.
    told = _command(play, location, "plan", program(filtered=True))
    assert "counts" in told
    run(3, filtered=True)
    assert json.loads(files.text("millstream-generation.json"))["generation"] == 1
    shutil.rmtree(play.directory / play.name)
    run(4, filtered=True)

    listed = _command(play, location, "state", "list", location)
    assert "counts" in listed
    values = sorted(value or b"" for _, value in play.pairs(target, 4, more=1))
    assert values == [b"1", b"2", b"3", b"4"]

    # Another application begins with the savepoint, with its checkpoint on HDFS as well.
    another = play.config() | {
        "application.id": f"{play.name}-again",
        "millstream.checkpoint.location": f"{location}-again",
        "millstream.savepoint": saved,
    }
    topology = counted(source, target, filtered=False)
    with KafkaStreams(topology, another, spark=spark) as streams:
        eventually(lambda: count(streams), 4)


@pytest.mark.spark
@pytest.mark.broker
@pytest.mark.cluster
@pytest.mark.long
@pytest.mark.parametrize("fate", ["killed", "frozen"])
def test_a_hot_spare_takes_over_on_hdfs(
    play: Playground, url: str, fate: str, tmp_path: Path
) -> None:
    location = {"millstream.checkpoint.location": f"{url}/spare/{play.name}"}
    elsewhere = {"state.dir": str(tmp_path / "another-machine")}
    with drivers(play, location) as both:
        taken_over_exactly(both, fate, elsewhere)
