"""Files of a checkpoint that the system does not open, though nothing is wrong with them."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from millstream.core.errors import ProcessorStateException, StreamsException
from millstream.topology.spark.checkpoint import files as module
from millstream.topology.spark.checkpoint.descriptor import without_description
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.damage import damage_from
from millstream.topology.spark.failures import failure_from
from millstream.topology.spark.state.segments import damaged

OFFSETS = "/ck/offsets/.1.a162b8ee-dd1e-42f4-96cb-45290137b7f3.tmp"
REPORTS = [
    f"java.io.FileNotFoundException: {OFFSETS} (Read-only file system)",
    f"java.io.FileNotFoundException: {OFFSETS} (Permission denied)",
    f"java.io.FileNotFoundException: {OFFSETS} (Too many open files)",
    f"java.nio.file.AccessDeniedException: {OFFSETS}",
]


@pytest.mark.parametrize("report", REPORTS)
def test_nothing_is_said_to_be_lost_where_a_file_cannot_be_opened(report: str) -> None:
    failure = failure_from(f"[STREAM_FAILED] Query x terminated\nCaused by: {report}\n")

    assert isinstance(failure, ProcessorStateException)
    assert f'cannot read or write "{OFFSETS}" of the checkpoint' in failure.getMessage()
    assert report in failure.detail
    assert failure.detail.endswith("Nothing is lost.")
    assert failure.hint.startswith("Do not delete the checkpoint")


def test_a_file_of_the_state_that_cannot_be_opened_is_not_lost() -> None:
    state = "file:/ck/state/0/1/default/3.zip"
    failure = damage_from(
        "[CANNOT_LOAD_STATE_STORE.UNCATEGORIZED] An error occurred\n"
        f"Caused by: java.io.FileNotFoundException: {state} (Permission denied)"
    )
    assert failure is not None
    assert "Nothing is lost." in failure.detail


@pytest.mark.parametrize(
    "report",
    [
        "java.io.FileNotFoundException: /ck/offsets/3 (No such file or directory)",
        "java.io.FileNotFoundException: File file:/ck/commits/3 does not exist",
    ],
)
def test_a_file_that_is_gone_is_still_lost(report: str) -> None:
    failure = damage_from(report)
    assert failure is not None
    assert "source positions are lost" in failure.detail


def test_a_file_of_something_else_is_not_taken_for_the_checkpoint() -> None:
    assert (
        damage_from("java.io.FileNotFoundException: /tmp/blockmgr-1/0c (Too many open files)")
        is None
    )


@pytest.mark.parametrize(
    "failure",
    [
        damage_from("java.io.FileNotFoundException: /ck/offsets/3 (No such file or directory)"),
        damage_from("[CANNOT_LOAD_STATE_STORE.UNCATEGORIZED] An error occurred"),
        without_description("millstream.json is missing"),
        damaged("a segment", "It is short."),
    ],
)
def test_where_the_checkpoint_may_be_deleted_the_start_after_it_is_told(
    failure: StreamsException,
) -> None:
    """Without it that start would be refused: the entries of the stores are gone."""
    assert "start once with millstream.checkpoint.adopt=true" in failure.hint


def test_a_place_with_other_files_only_may_be_one_where_nothing_is_mounted() -> None:
    """A running application goes on to write below the place until it notices."""
    hint = without_description("millstream.json is missing").hint
    assert hint.startswith("If the checkpoint's file system is not mounted, mount it.")


def test_nothing_stays_of_a_file_that_a_full_disk_does_not_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, text: str) -> None:
        path.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(module, "write_private", full)
    with pytest.raises(OSError, match="No space"):
        LocalFiles(tmp_path).create("1.json", "text")
    assert list(tmp_path.iterdir()) == []
