"""What `millstream peek` tells of wrong options, and of records that their serde cannot read."""

from __future__ import annotations

import pytest
from confluent_kafka import TopicPartition
from typer.testing import CliRunner

from millstream.cli.main import app
from millstream.cli.reading import _offset, _tell_if_outside, _tell_once
from millstream.core.errors import SerializationException


def test_reason_and_cure_are_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    told = set[str]()
    for offset in range(3):
        error = SerializationException("bad", detail=f"At {offset}.", hint="Do this.")
        _tell_once(error, told)
    _tell_once(ValueError("no hint"), told)
    assert capsys.readouterr().err == "millstream: At 0. Do this.\n"


@pytest.mark.parametrize("place", ["yesterday", "1.5", "--1", ""])
def test_a_wrong_place_is_wrong_usage_and_no_broker_is_asked(place: str) -> None:
    nowhere = "bootstrap.servers=localhost:1"
    done = CliRunner().invoke(app, ["peek", "lines", f"--from={place}", "--set", nowhere])
    assert done.exit_code == 2
    assert f'"{place}" is none of' in done.stderr


@pytest.mark.parametrize(
    ("start", "told"),
    [
        ("9", "millstream: partition 1 ends before offset 9: reading from 5\n"),
        ("2", "millstream: partition 1 has no longer offset 2: reading from 3\n"),
        ("3", ""),
        ("5", ""),
        ("-9", ""),
        ("earliest", ""),
        ("latest", ""),
    ],
)
def test_an_offset_that_a_partition_does_not_have_is_told(
    start: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _tell_if_outside(TopicPartition("t", 1, _offset(start, low=3, high=5)), start)
    assert capsys.readouterr().err == told
