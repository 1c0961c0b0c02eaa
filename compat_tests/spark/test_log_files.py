"""The log file: its size is bounded, and one kind of record does not flood it."""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from millstream.topology.spark import log_files
from millstream.topology.spark.log_files import MOST_A_MINUTE, LogFile, Rotation


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def logger(tmp_path: Path, clock: Clock) -> Iterator[logging.Logger]:
    found = logging.getLogger("compat.log_files")
    handler = LogFile(tmp_path / "app.log", clock)
    found.addHandler(handler)
    yield found
    found.removeHandler(handler)
    handler.close()


def dropped(logger: logging.Logger, times: int) -> None:
    for number in range(times):
        logger.warning("dropped a record offset=%s", number)


def test_a_kind_of_record_is_written_so_often_in_a_minute_and_others_go_on(
    logger: logging.Logger, tmp_path: Path, clock: Clock
) -> None:
    dropped(logger, 3 * MOST_A_MINUTE)
    logger.warning("something else")
    clock.now = 61
    dropped(logger, 1)
    lines = (tmp_path / "app.log").read_text().splitlines()
    assert lines[MOST_A_MINUTE - 1] == f"dropped a record offset={MOST_A_MINUTE - 1}"
    assert lines[MOST_A_MINUTE:] == [
        "further records like the last ones are left out for a minute",
        "something else",
        f"{2 * MOST_A_MINUTE} records like the next one were left out",
        "dropped a record offset=0",
    ]


def test_a_record_that_utf_8_cannot_write_is_written_all_the_same(
    logger: logging.Logger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # pytest-xdist cannot send what pytest would capture.
    monkeypatch.setattr(logger, "propagate", False)
    logger.warning("skipped %s", "half of a pair: \ud83d")
    assert (tmp_path / "app.log").read_text() == "skipped half of a pair: \\ud83d\n"


def test_a_large_file_is_rotated_and_so_many_are_kept(
    logger: logging.Logger, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_files, "ROTATE_BYTES", 10)
    path = tmp_path / "app.log"
    rotation = Rotation(path, lambda _: False, clock)
    for number in range(6):
        logger.error("a long line, number %s", number)
        clock.now += 10
        rotation.look()
    logger.error("short")
    found = {each.name: each.read_text().split()[-1] for each in tmp_path.iterdir()}
    assert found == {"app.log": "short", "app.log.1": "5", "app.log.2": "4", "app.log.3": "3"}


def test_a_file_that_the_jvm_writes_is_rotated_by_it(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_files, "ROTATE_BYTES", 10)
    path = tmp_path / "app.log"
    path.write_text("more than ten bytes")
    asked: list[Path] = []
    rotation = Rotation(path, lambda each: not asked.append(each), clock)  # type: ignore[func-returns-value]
    for clock.now in (10.0, 11.0, 20.0):
        rotation.look()
    assert asked == [path, path]
    assert path.exists()


def test_a_file_that_is_gone_is_no_failure(tmp_path: Path) -> None:
    Rotation(tmp_path / "app.log", lambda _: False).look()


def test_a_directory_that_is_deleted_is_told_once_and_stops_nothing(
    logger: logging.Logger, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "logs" / "app.log"
    path.parent.mkdir()
    moved = LogFile(path)
    logger.addHandler(moved)
    logger.warning("before")
    shutil.rmtree(path.parent)
    logger.warning("lost")
    logger.warning("lost, too")
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith(f"cannot write the log file {path}: ")
    path.parent.mkdir()
    logger.warning("after")
    assert path.read_text() == "after\n"
    shutil.rmtree(path.parent)
    logger.warning("lost again")
    assert len(capsys.readouterr().err.splitlines()) == 1
    logger.removeHandler(moved)
    moved.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_told_once_and_the_file_can_be_closed(
    logger: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    full = LogFile(Path("/dev/full"))
    logger.addHandler(full)
    logger.warning("lost")
    logger.warning("lost, too")
    logger.removeHandler(full)
    full.close()
    (told,) = capsys.readouterr().err.splitlines()
    assert "No space left on device" in told


ROTATES = """
import logging, sys
from pathlib import Path
from millstream.topology.spark.driver.jvm import rotated_by_jvm
from millstream.topology.spark.driver.session import new_session
from millstream.topology.spark.logs import LogOptions

path = Path(sys.argv[1])
spark = new_session({"spark.master": "local[1]"}, "rotates", LogOptions("normal", path))
log = spark._jvm.org.apache.logging.log4j.LogManager.getLogger("a.jvm")
log.warn("first")
assert rotated_by_jvm(path)
assert not rotated_by_jvm(path.with_suffix(".other"))
log.warn("second")
spark.stop()
"""


@pytest.mark.long
@pytest.mark.spark
def test_the_jvm_goes_on_with_the_new_file_after_it_has_rotated_it(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    subprocess.run([sys.executable, "-c", ROTATES, str(path)], check=True, timeout=200)
    assert "second" in path.read_text()
    assert "first" not in path.read_text()
    (rotated,) = tmp_path.glob("app.log.*")
    assert "first" in rotated.read_text()
