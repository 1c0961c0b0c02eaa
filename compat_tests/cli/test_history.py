"""Bounds of history as options of the command, and a run to the end as a process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer

from compat_tests.cli.support import command
from compat_tests.cli.test_run import counts, lines, write_app
from compat_tests.kafka.fixture import KafkaServer
from compat_tests.kafka.topics import create_topics
from millstream.cli.history import bounds, files

TO_END = ("run", "app.py", "-c", "app.toml", "--to-end", "--json")


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (None, None),
        (["1500"], 1500),
        (["1970-01-01T00:00:01.5Z"], 1500),
        (["1970-01-01T01:00:00+01:00"], 0),
        (["a=1970-01-01T00:00:01", "b:0=7", "b:1=8"], {"a": 1000, "b": {0: 7, 1: 8}}),
    ],
)
def test_a_bound_is_a_time_or_times_and_offsets_by_topic(texts: Any, expected: Any) -> None:
    assert bounds(texts, "--until") == expected


@pytest.mark.parametrize(
    "texts", [["now"], ["1", "2"], ["1", "a=2"], ["a=1", "a=2"], ["a=1", "a:0=2"], ["a:x=1"]]
)
def test_other_bounds_are_refused(texts: list[str]) -> None:
    with pytest.raises(typer.BadParameter):
        bounds(texts, "--until")


def test_files_are_given_by_topic() -> None:
    assert files(["a=x", "b=y=z", "a=w"]) == {"a": ["x", "w"], "b": ["y=z"]}
    assert files(None) is None
    with pytest.raises(typer.BadParameter):
        files(["x"])


@pytest.mark.spark
def test_the_command_runs_to_an_end(kafka: KafkaServer, tmp_path: Path) -> None:
    run_to_an_end(kafka.bootstrap_servers, tmp_path, "end")


@pytest.mark.spark
@pytest.mark.long
def test_another_run_goes_on_where_one_to_an_end_has_stopped(
    kafka: KafkaServer, tmp_path: Path
) -> None:
    servers = kafka.bootstrap_servers
    run_to_an_end(servers, tmp_path, "goes-on")
    done = command(*TO_END, cwd=tmp_path)
    assert json.loads(done.stdout.splitlines()[-1])["records"] == 1
    assert counts(servers, "goes-on-counts") == {"to": 2, "be": 2, "or": 1, "not": 1}
    wrong = command(*TO_END, "--from", "nothing=5", cwd=tmp_path)
    assert wrong.returncode == 1
    assert 'does not read topic "nothing"' in wrong.stderr


def run_to_an_end(servers: str, folder: Path, name: str) -> None:
    """Run over the first two of three lines."""
    create_topics(servers, [f"{name}-lines", f"{name}-counts"])
    lines(servers, f"{name}-lines", "to be", "or not", "to be")
    write_app(folder, servers, name)
    done = command(*TO_END, "--until", f"{name}-lines:0=2", cwd=folder)
    assert done.returncode == 0, done.stderr
    end = json.loads(done.stdout.splitlines()[-1])
    assert (end["event"], end["records"]) == ("closed", 2)
    assert end["positions"] == {f"{name}-lines": {"0": 2}}
    assert counts(servers, f"{name}-counts") == {"to": 1, "be": 1, "or": 1, "not": 1}
