"""The note of ``cleanUp()`` in the state directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from millstream.core.errors import LockException
from millstream.topology.spark.admission import cleaned


def test_it_is_there_until_the_application_starts(tmp_path: Path) -> None:
    assert not cleaned.is_noted(tmp_path)
    cleaned.note(tmp_path)
    assert cleaned.is_noted(tmp_path)
    cleaned.forget(tmp_path)
    assert not cleaned.is_noted(tmp_path)


def test_a_directory_of_its_name_is_told(tmp_path: Path) -> None:
    (tmp_path / cleaned.CLEANED).mkdir()
    for use in (cleaned.is_noted, cleaned.note):
        with pytest.raises(LockException, match="cannot use the state directory") as caught:
            use(tmp_path)
        assert f'"{tmp_path}/cleaned" is a directory' in caught.value.detail
        assert "Move it away" in caught.value.hint
