"""`millstream state prune`: former generations go, and only they."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compat_tests.cli.support import printed, refused
from millstream.topology.spark.admission.lease import HeldLease, LeaseNote, Leases
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.state.slots import DirectoryLock

AT = ["--set", "state.dir=state"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkpoint in its third generation, which has ended a batch."""
    found = tmp_path / "state" / "app" / "checkpoint"
    for each in ("state", "offsets", "backfill", "generations/1/state", "generations/2/seed"):
        (found / each).mkdir(parents=True)
    for each in ("millstream.json", "generations/2/commits/0", "generations/2/millstream.json"):
        (found / each).parent.mkdir(parents=True, exist_ok=True)
        (found / each).write_text("{}")
    pointer = {"version": 1, "generation": 2, "highest": 2, "abandoned": []}
    (found / "millstream-generation.json").write_text(json.dumps(pointer))
    return found


def test_former_generations_are_deleted(root: Path, tmp_path: Path) -> None:
    told = printed("state", "prune", "app", *AT, "--json", cwd=tmp_path)
    gone = {"generations/1", "offsets", "state", "backfill", "generations/2/seed"}
    assert set(json.loads(told)["deleted"]) == gone
    assert not any((root / each).exists() for each in gone)
    assert (root / "generations/2/commits/0").exists()
    assert (root / "millstream.json").exists()
    assert printed("state", "prune", "app", *AT, cwd=tmp_path) == "nothing to delete\n"


def test_nothing_is_deleted_before_a_batch_has_ended(root: Path, tmp_path: Path) -> None:
    (root / "generations/2/commits/0").unlink()
    assert printed("state", "prune", "app", *AT, cwd=tmp_path) == "nothing to delete\n"
    assert (root / "generations/1/state").exists()


def test_a_running_or_unknown_application_is_refused(root: Path, tmp_path: Path) -> None:
    lock = DirectoryLock(tmp_path / "state" / "app")
    assert lock.acquire()
    told = refused("state", "prune", "app", *AT, cwd=tmp_path)
    lock.release()
    assert told.startswith('application "app" runs in the state directory')
    told = refused("state", "prune", "other", *AT, cwd=tmp_path)
    assert told.startswith("there is no checkpoint in ")
    assert (root / "state").exists()


def test_a_damaged_pointer_is_told_with_what_to_do(root: Path, tmp_path: Path) -> None:
    (root / "millstream-generation.json").write_text('{"version": 1')
    told = refused("state", "prune", "app", *AT, cwd=tmp_path)
    assert told.startswith('cannot read "millstream-generation.json"')
    assert 'those below "generations" are: 1, 2' in told


def test_an_application_that_runs_on_the_checkpoint_from_elsewhere_is_refused(
    root: Path, tmp_path: Path
) -> None:
    note = LeaseNote(instance="i", host="another-machine", lease_ms=10_000)
    leases = Leases(LocalFiles(root))
    assert leases.create(1, note)
    held = HeldLease(leases, 1, note, lambda _: None)
    held.start()
    try:
        # Another state directory, as on another machine that has the checkpoint mounted.
        at = ["--set", "state.dir=other", "--set", f"millstream.checkpoint.location={root}"]
        told = refused("state", "prune", "app", *at, cwd=tmp_path)
    finally:
        held.release()
    assert told.startswith('application "app" runs on checkpoint')
    assert 'machine "another-machine"' in told
    assert (root / "generations/1/state").exists()
    assert json.loads(printed("state", "prune", "app", *at, "--json", cwd=tmp_path))["deleted"]
