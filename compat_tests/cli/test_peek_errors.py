"""What `millstream peek` tells of records that their serde cannot read."""

from __future__ import annotations

import pytest

from millstream.cli.reading import _tell_once
from millstream.core.errors import SerializationException


def test_reason_and_cure_are_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    told = set[str]()
    for offset in range(3):
        error = SerializationException("bad", detail=f"At {offset}.", hint="Do this.")
        _tell_once(error, told)
    _tell_once(ValueError("no hint"), told)
    assert capsys.readouterr().err == "millstream: At 0. Do this.\n"
