"""`millstream tasks`, and what the configuration may ask for."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from compat_tests.placement.test_facts import RECORD
from millstream import ConfigException, KafkaStreams, StreamsBuilder, StreamsConfig
from millstream.cli.main import app
from millstream.core.errors import IllegalArgumentException
from millstream.topology.spark.placement.record import LOCAL, write_record
from millstream.topology.spark.placement.watcher import steering_assignor


def test_the_command_shows_where_tasks_run_and_why(tmp_path: Path) -> None:
    write_record(tmp_path / "app", RECORD)
    done = CliRunner().invoke(app, ["tasks", "app", "--state-dir", str(tmp_path)])
    assert done.exit_code == 0
    first, second, _, *rows = done.stdout.splitlines()
    assert first == 'app: task assignor "sticky" decides.'
    assert second == (
        "As of 1970-01-01 00:00:01 UTC, after batch 7. Tasks by executor: 1: 0, 2: 1."
    )
    assert [" ".join(row.split()) for row in rows] == [
        "0_0 2 (to be 1) b 1 running, 3 warming (lag 12) 1 7 1970-01-01 00:00:00 UTC a reason",
        "1_0 - - -",
    ]


def test_the_command_says_that_no_batch_was_complete(tmp_path: Path) -> None:
    write_record(tmp_path / "app", replace(RECORD, batch=-1))
    done = CliRunner().invoke(app, ["tasks", "app", "--state-dir", str(tmp_path)])
    assert "UTC, before the first batch. Tasks by executor" in done.stdout


def test_the_record_of_local_mode_is_that_of_the_start(tmp_path: Path) -> None:
    write_record(tmp_path / "app", replace(RECORD, batch=-1, assignor=None, remark=LOCAL))
    done = CliRunner().invoke(app, ["tasks", "app", "--state-dir", str(tmp_path)])
    assert "UTC, the start of the query: nothing moves in local mode. Tasks by" in done.stdout


def test_the_command_prints_the_record_as_json(tmp_path: Path) -> None:
    write_record(tmp_path / "app", RECORD)
    done = CliRunner().invoke(app, ["tasks", "app", "--state-dir", str(tmp_path), "--json"])
    assert [place["executor"] for place in json.loads(done.stdout)["tasks"]] == ["2", None]


def test_the_command_says_where_it_looked(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["tasks", "nobody", "--state-dir", str(tmp_path)])
    assert isinstance(done.exception, IllegalArgumentException)
    assert str(tmp_path / "nobody") in str(done.exception)


def config(**entries: Any) -> StreamsConfig:
    given = {key.replace("_", "."): value for key, value in entries.items()}
    return StreamsConfig({"application.id": "app", "bootstrap.servers": "nowhere:9092"} | given)


def test_tasks_stay_where_they_are_unless_an_assignor_is_chosen() -> None:
    chosen = [
        steering_assignor(config()),
        steering_assignor(config(task_assignor_class="round-robin")),
    ]
    assert [each and each.name for each in chosen] == ["sticky", "round-robin"]
    assert steering_assignor(config(millstream_steer_tasks=False)) is None


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        (
            {"num_standby_replicas": 1, "millstream_steer_tasks": False},
            "millstream.steer.tasks is false, so that no task would be led to its standby",
        ),
        ({"task_assignor_class": "nobody"}, "task.assignor.class"),
        (
            {"millstream_steer_tasks": "perhaps"},
            "millstream.steer.tasks: Expected value to be either true or false",
        ),
    ],
)
def test_what_cannot_be_done_is_refused(entries: dict[str, Any], said: str) -> None:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    with pytest.raises(ConfigException) as caught:
        KafkaStreams(builder.build(), config(**entries))
    assert said in str(caught.value)
