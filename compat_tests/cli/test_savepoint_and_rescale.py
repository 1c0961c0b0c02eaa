"""A savepoint of an application on Spark, rescaled, and the application that goes on with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

# Its stubs do not export it.
from confluent_kafka.admin import AdminClient, NewPartitions  # type: ignore[attr-defined]

from compat_tests.cli.support import command, printed
from compat_tests.cli.test_run import counts, lines, write_app
from compat_tests.kafka.fixture import KafkaServer
from compat_tests.kafka.topics import create_topics

pytestmark = pytest.mark.spark

APP = "grows"


@pytest.mark.long
def test_an_application_goes_on_with_more_partitions(kafka: KafkaServer, tmp_path: Path) -> None:
    servers = kafka.bootstrap_servers
    create_topics(servers, [f"{APP}-lines"], partitions=2)
    create_topics(servers, [f"{APP}-counts"])
    write_app(tmp_path, servers, APP)
    config = ["--config", "app.toml"]
    lines(servers, f"{APP}-lines", *(f"a b{n} c{n % 7}" for n in range(40)))
    run(tmp_path, config)
    first = counts(servers, f"{APP}-counts")

    told = json.loads(printed_last("savepoint", APP, "points/two", *config, "--json", cwd=tmp_path))
    assert told["stores"] == 1
    assert told["rows"] == 48
    found = printed("state", "scan", "points/two", "counts-store", "--json", cwd=tmp_path)
    stored = [json.loads(line) for line in found.splitlines()]
    assert {each["key"]: each["value"] for each in stored} == first
    assert {each["partition"] for each in stored} == {0, 1}

    admin = AdminClient({"bootstrap.servers": servers})
    admin.create_partitions([NewPartitions(f"{APP}-lines", 5)])[f"{APP}-lines"].result(30)
    arguments = ["app.py", "points/two", *config, "--partitions", f"{APP}-lines=5"]
    plan = json.loads(printed("state", "rescale", *arguments, "--json", cwd=tmp_path))
    assert plan["tasks"]["1"] == {"before": 2, "after": 5}
    printed("state", "rescale", *arguments, "--to", "points/five", cwd=tmp_path)
    assert json.loads(
        printed("state", "diff", "points/two", "points/five", "--json", cwd=tmp_path)
    )["same"]

    lines(servers, f"{APP}-lines", *(f"a b{n} c{n % 7}" for n in range(40)))
    # In place: the next generation of the same checkpoint.
    shown = printed_last("state", "restore", "app.py", "points/five", *config, cwd=tmp_path)
    assert "generations/1" in shown
    run(tmp_path, config)
    doubled = {word: 2 * n for word, n in first.items()}
    assert counts(servers, f"{APP}-counts") == doubled
    again = json.loads(
        printed_last("savepoint", APP, "points/now", *config, "--json", cwd=tmp_path)
    )
    assert again["rows"] == 48

    # Under another name: it reads the second half once more, and counts the same.
    green = ["--set", f"application.id={APP}-green", "--from-savepoint", "points/five"]
    run(tmp_path, [*config, *green])

    assert counts(servers, f"{APP}-counts") == doubled
    shown = printed_last("savepoint", f"{APP}-green", "points/green", *config, cwd=tmp_path)
    assert "rows 48" in shown


def run(folder: Path, arguments: list[str]) -> None:
    done = command("run", "app.py", *arguments, "--until-idle", cwd=folder)
    assert done.returncode == 0, done.stderr


def printed_last(*arguments: str, cwd: Path) -> str:
    """Return what a command prints that starts Spark, which may warn on standard error."""
    done = command(*arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout
