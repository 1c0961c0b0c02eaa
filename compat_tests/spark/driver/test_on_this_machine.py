"""A local session: tries a task again, listens to this machine alone, leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from millstream.topology.spark.driver.on_this_machine import (
    on_this_machine,
    warn_without_retries,
    with_retries,
)
from millstream.topology.spark.private import private_state, write_private
from millstream.topology.spark.scratch import scratch_directory


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("local", "local[1,4]"),
        ("local[3]", "local[3,4]"),
        ("local[*]", "local[*,4]"),
        ("local[2,1]", "local[2,1]"),
        ("local-cluster[2,1,1024]", "local-cluster[2,1,1024]"),
        ("spark://host:7077", "spark://host:7077"),
    ],
)
def test_a_local_master_tries_a_task_again_unless_it_says_how_often(given: str, used: str) -> None:
    assert with_retries(given, "4") == used


@pytest.mark.parametrize(
    ("master", "better"),
    [("local", "local[1,4]"), ("local[2]", "local[2,4]"), ("local[*, 1]", "local[*,4]")],
)
def test_a_given_session_without_retries_is_warned_of(
    master: str, better: str, caplog: pytest.LogCaptureFixture
) -> None:
    warn_without_retries(master)
    assert f"{better} would retry" in caplog.text


@pytest.mark.parametrize("master", ["local[2,4]", "local-cluster[2,1,1024]", "yarn"])
def test_a_given_session_with_retries_is_not(master: str, caplog: pytest.LogCaptureFixture) -> None:
    warn_without_retries(master)
    assert caplog.text == ""


HEARTBEATS = "spark.storage.blockManagerHeartbeatTimeoutMs"


def test_a_sleep_of_the_machine_does_not_make_the_only_executor_a_lost_one() -> None:
    assert on_this_machine({"spark.master": "local[2]"})[HEARTBEATS] == "3650d"
    given = {"spark.master": "local[2]", HEARTBEATS: "60s"}
    assert on_this_machine(given)[HEARTBEATS] == "60s"
    assert HEARTBEATS not in on_this_machine({"spark.master": "spark://host:7077"})


PROGRAM = """
import os, sys
from pathlib import Path
from millstream.topology.spark.scratch import scratch_directory
directory = scratch_directory(Path(sys.argv[1]))
(directory / "blockmgr-1").mkdir()
(directory / "blockmgr-1" / "shuffle").write_text("x")
print(directory, flush=True)
sys.stdin.read()
if len(sys.argv) > 2:
    os._exit(9)
"""


def start(root: Path, *more: str) -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(root), *more],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_what_killed_drivers_leave_is_removed_at_the_next_start(tmp_path: Path) -> None:
    killed, left = start(tmp_path)
    alive, kept = start(tmp_path)
    killed.kill()
    killed.wait()
    assert left.exists()
    other, own = start(tmp_path)
    assert not left.exists()
    assert (kept / "blockmgr-1" / "shuffle").exists()
    for process, directory in ((alive, kept), (other, own)):
        process.communicate()
        assert not directory.exists()


def test_a_root_of_another_user_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.setattr(os, "getpid", lambda: -5)
    assert scratch_directory(tmp_path / "link") is None
    assert scratch_directory(tmp_path / "missing" / "deep") is None


LEFT_RUNNING = """
import sys
from pathlib import Path
from millstream import KafkaStreams
from millstream.topology.spark.driver.program_end import ProgramEnd
from millstream.topology.spark.driver.state_machine import State
class Running:
    def state(self):
        return State.RUNNING
    def close(self):
        print(directory.is_dir())
        return True
application = Running()
ProgramEnd("app", application).started()
from millstream.topology.spark.scratch import scratch_directory
directory = scratch_directory(Path(sys.argv[1]))
"""


def test_an_application_left_running_closes_before_its_temporary_files_go(tmp_path: Path) -> None:
    program = subprocess.run(
        [sys.executable, "-c", LEFT_RUNNING, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert program.stdout.split() == ["True"], program.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


def test_a_state_directory_is_closed_to_other_users(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir(mode=0o755)
    for directory in (old, tmp_path / "a" / "b"):
        private_state(directory)
        assert directory.stat().st_mode & 0o777 == 0o750
    write_private(old / "note", "text")
    assert (old / "note").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o750
