"""Leases on a checkpoint: who has one, when it is over, and what a late owner is told."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from compat_tests.spark.support import eventually
from millstream.topology.spark.admission.lease import (
    LEASES,
    HeldLease,
    LeaseNote,
    Leases,
    LeaseWatch,
    Seen,
    note_from,
)
from millstream.topology.spark.admission.processes import has_ended, this_process
from millstream.topology.spark.checkpoint.files import LocalFiles

NOTE = LeaseNote(instance="one", host="m1", lease_ms=10_000)


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def leases(tmp_path: Path) -> Leases:
    return Leases(LocalFiles(tmp_path))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watch(leases: Leases, clock: Clock) -> LeaseWatch:
    return LeaseWatch(leases, 10_000, clock)


def test_of_several_only_one_creates_a_lease(leases: Leases) -> None:
    assert leases.create(1, NOTE)
    assert not leases.create(1, replace(NOTE, instance="two"))
    number, text = leases.current()
    assert (number, note_from(text)) == (1, NOTE)


def test_former_leases_are_deleted_but_the_last(leases: Leases, tmp_path: Path) -> None:
    for number in range(1, 12):
        assert leases.create(number, NOTE)
    assert sorted(path.name for path in (tmp_path / LEASES).iterdir()) == ["10.json", "11.json"]
    assert leases.current()[0] == 11


def test_a_checkpoint_without_a_lease_and_a_released_one_are_free(
    leases: Leases, watch: LeaseWatch
) -> None:
    assert watch.look() is Seen.FREE
    leases.create(1, replace(NOTE, released=True))
    assert watch.look() is Seen.FREE


def test_a_lease_lives_while_it_changes_and_is_over_after_its_own_time(
    leases: Leases, watch: LeaseWatch, clock: Clock
) -> None:
    leases.create(1, NOTE)
    assert watch.look() is Seen.UNKNOWN
    for beat in range(1, 4):
        clock.now += 9
        leases.write(1, replace(NOTE, beat=beat, lease_ms=20_000))
        assert watch.look() is Seen.LIVE
    clock.now += 19.9
    assert watch.look() is Seen.UNKNOWN
    clock.now += 0.2
    assert watch.look() is Seen.OVER


def test_a_pause_of_the_one_who_watches_does_not_count(leases: Leases, clock: Clock) -> None:
    leases.create(1, NOTE)

    class Slow(Leases):
        """Leases whose reader is frozen while it reads."""

        def current(self) -> tuple[int, str]:
            found = super().current()
            clock.now += 3600
            return found

    watch = LeaseWatch(Slow(leases._files), 10_000, clock)
    assert watch.look() is Seen.UNKNOWN
    leases.write(1, replace(NOTE, beat=1))
    assert watch.look() is Seen.LIVE


def test_what_cannot_be_read_for_a_while_is_watched_anew(
    leases: Leases, watch: LeaseWatch, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    leases.create(1, NOTE)
    watch.look()
    clock.now += 60
    with monkeypatch.context() as patch:
        patch.setattr(leases, "current", lambda: (_ for _ in ()).throw(OSError("away")))
        with pytest.raises(OSError, match="away"):
            watch.look()
    assert watch.look() is Seen.UNKNOWN
    clock.now += 10
    assert watch.look() is Seen.OVER


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\xfe", b"[]", b'{"instance": 5}'])
def test_an_unreadable_lease_is_over_after_the_time_of_the_one_who_reads_it(
    leases: Leases, watch: LeaseWatch, clock: Clock, tmp_path: Path, damage: bytes
) -> None:
    leases.create(1, NOTE)
    (tmp_path / LEASES / "1.json").write_bytes(damage)
    assert watch.look() is Seen.UNKNOWN
    assert watch.note is None
    clock.now += 10
    assert watch.look() is Seen.OVER


def test_other_files_are_no_leases(leases: Leases, watch: LeaseWatch, tmp_path: Path) -> None:
    leases.create(3, NOTE)
    for name in ("4.json.x.draft", ".5.json.crc", "six.json", "-7.json"):
        (tmp_path / LEASES / name).write_text("{}")
    watch.look()
    assert watch.number == 3


def test_the_lease_of_a_process_that_has_ended_is_free(leases: Leases, watch: LeaseWatch) -> None:
    told = "from millstream.topology.spark.admission.processes import this_process as t; print(t())"
    ended = subprocess.run([sys.executable, "-c", told], stdout=subprocess.PIPE, check=True)
    process = ended.stdout.decode().strip()
    assert process.count("/") == 3
    leases.create(1, replace(NOTE, process=process))
    assert watch.look() is Seen.FREE
    leases.create(2, replace(NOTE, process=this_process()))
    assert watch.look() is not Seen.FREE


def test_a_process_that_nobody_has_waited_for_has_ended() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    boot, spaces, _, _ = this_process().split("/")
    stat = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    known = f"{boot}/{spaces}/{process.pid}/{stat[19]}"
    eventually(lambda: has_ended(known), expected=True)
    assert process.wait() == 0
    assert has_ended(known)


@pytest.mark.parametrize("other", ["", "x", "a/b/1/2", "a/b/c/d/e"])
def test_a_process_elsewhere_is_not_known_to_have_ended(other: str) -> None:
    assert not has_ended(other)
    boot, spaces, pid, began = this_process().split("/")
    assert not has_ended(f"{boot}/{spaces}/{pid}/{began}")
    assert not has_ended(f"another-boot/{spaces}/{pid}/0")
    assert not has_ended(f"{boot}/pid:[1]/{pid}/0")
    assert has_ended(f"{boot}/{spaces}/{pid}/0")


def test_an_owner_that_comes_back_is_told_who_has_the_lease_and_writes_nothing(
    leases: Leases,
) -> None:
    told: list[str] = []
    leases.create(1, NOTE)
    late = HeldLease(leases, 1, NOTE, told.append)
    assert late.renew()
    leases.create(2, replace(NOTE, instance="two", host="m2"))
    before = leases.current()
    assert not late.renew()
    assert told == ['instance two on machine "m2"']
    assert leases.current() == before


def test_a_lease_that_was_deleted_is_told_and_not_written_again(
    leases: Leases, tmp_path: Path
) -> None:
    told: list[str] = []
    leases.create(3, NOTE)
    held = HeldLease(leases, 3, NOTE, pytest.fail, gone=lambda: told.append("gone"))
    assert held.renew()
    shutil.rmtree(tmp_path)
    assert not held.renew()
    assert told == ["gone"]
    assert not tmp_path.exists()


def test_a_lease_whose_last_write_failed_may_be_missing(
    leases: Leases, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A store of objects may replace a file in two steps."""

    def fail(number: int, _: LeaseNote) -> None:
        (tmp_path / LEASES / f"{number}.json").unlink()
        raise OSError("cut off")

    leases.create(1, NOTE)
    held = HeldLease(leases, 1, NOTE, pytest.fail, gone=pytest.fail)
    with monkeypatch.context() as patch:
        patch.setattr(leases, "write", fail)
        with pytest.raises(OSError, match="cut off"):
            held.renew()
    assert held.renew()
    assert leases.current()[0] == 1


def test_one_that_began_anew_where_the_leases_were_deleted_has_the_lease(
    leases: Leases, tmp_path: Path
) -> None:
    told: list[str] = []
    leases.create(1, NOTE)
    late = HeldLease(leases, 1, NOTE, told.append, gone=pytest.fail)
    shutil.rmtree(tmp_path)
    leases.create(1, replace(NOTE, instance="two", host="m2"))
    before = leases.current()
    assert not late.renew()
    assert told == ['instance two on machine "m2"']
    assert leases.current() == before


def test_a_lease_is_renewed_until_it_is_released(leases: Leases, watch: LeaseWatch) -> None:
    note = replace(NOTE, lease_ms=50)
    leases.create(1, note)
    held = HeldLease(leases, 1, note, pytest.fail)
    held.start()
    eventually(lambda: (note_from(leases.current()[1]) or note).beat > 2, expected=True)
    held.release()
    assert watch.look() is Seen.FREE
    last = leases.current()
    held.release()
    assert leases.current() == last


def test_a_file_system_that_fails_for_a_while_does_not_end_the_renewing(
    leases: Leases, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = replace(NOTE, lease_ms=50)
    leases.create(1, note)
    held = HeldLease(leases, 1, note, pytest.fail)
    failures: list[int] = []

    def fail(number: int, _: LeaseNote) -> None:
        failures.append(number)
        raise OSError("full")

    with monkeypatch.context() as patch:
        patch.setattr(leases, "write", fail)
        held.start()
        eventually(lambda: len(failures) > 2, expected=True)
    eventually(lambda: (note_from(leases.current()[1]) or note).beat > 1, expected=True)
    held.release()
