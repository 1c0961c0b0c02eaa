"""The right to run: a second instance is refused, or waits and takes over."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from compat_tests.spark.support import eventually
from millstream import LockException, StreamsConfig, StreamsException
from millstream.topology.spark.admission import takeover as module
from millstream.topology.spark.admission.lease import LEASES, LeaseNote, Leases
from millstream.topology.spark.admission.processes import this_process
from millstream.topology.spark.admission.takeover import Takeover, _signed_here
from millstream.topology.spark.checkpoint.files import Files, LocalFiles
from millstream.topology.spark.ownership import Claim
from millstream.topology.spark.state.slots import DirectoryLock

ELSEWHERE = LeaseNote(instance="far", host="m2", lease_ms=1000)


class Place:
    """A checkpoint, and the instances that begin on it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.files: Files = LocalFiles(directory / "checkpoint")
        self.leases = Leases(self.files)

    def instance(self, name: str, state: str = "state", **entries: Any) -> Takeover:
        config = {"application.id": "app", "bootstrap.servers": "127.0.0.1:9"}
        config["millstream.takeover.lease.ms"] = "1000"
        own: dict[str, Any] = {
            f"millstream.{key.replace('_', '.')}": value for key, value in entries.items()
        }
        state_dir = self.directory / state
        lock = DirectoryLock(state_dir)
        return Takeover(StreamsConfig(config | own), name, state_dir, lock, "c")

    def begin(self, takeover: Takeover, check_wanted: Callable[[], None] = lambda: None) -> None:
        takeover.lock()
        takeover.hold(self.files, check_wanted)

    @contextmanager
    def waiting(self, takeover: Takeover) -> Iterator[threading.Thread]:
        """Begin in a thread, which is to end in the block."""
        thread = threading.Thread(target=self.begin, args=(takeover,), daemon=True)
        thread.start()
        yield thread
        thread.join(30)
        assert not thread.is_alive()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_one_that_has_ended_leaves_its_lease_free(place: Place) -> None:
    for name in ("one", "two", "three"):
        takeover = place.instance(name)
        place.begin(takeover)
        assert takeover.is_held
        assert takeover.lost() is None
        takeover.release()
    assert place.leases.current()[0] == 3


def test_a_second_one_in_the_same_state_directory_is_refused_at_once(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = place.instance("one")
    place.begin(first)
    # As in another process, also one that was forked from this one.
    monkeypatch.setitem(_signed_here, "one", os.getpid() + 1)
    with pytest.raises(LockException, match="runs in the state directory") as caught:
        place.instance("two").lock()
    assert "millstream.takeover=wait" in caught.value.hint
    first.release()


def test_a_second_one_of_the_same_process_is_told_so(place: Place) -> None:
    """As by a cell of a notebook that runs twice: no variable has the first one any more."""
    first = place.instance("one")
    place.begin(first)
    with pytest.raises(LockException, match="runs in the state directory") as caught:
        place.instance("two").lock()
    assert caught.value.detail == "Another KafkaStreams object of this process has started it."
    assert "restart the notebook's kernel" in caught.value.hint
    first.release()


def test_a_second_one_on_the_same_checkpoint_is_refused_when_the_first_renews(
    place: Place,
) -> None:
    first, second = place.instance("one"), place.instance("two", "elsewhere")
    place.begin(first)
    with pytest.raises(LockException, match='runs on checkpoint "c"') as caught:
        place.begin(second)
    assert caught.value.detail.startswith("Instance one on machine ")
    second.release()
    first.release()


def test_one_elsewhere_that_does_not_renew_any_more_is_replaced(place: Place) -> None:
    place.leases.create(1, ELSEWHERE)
    takeover = place.instance("two")
    place.begin(takeover)
    assert place.leases.current()[0] == 2
    takeover.release()


def test_one_that_had_the_lock_of_this_directory_has_ended(place: Place) -> None:
    """Also where its process cannot be seen: in another container, or before a restart."""
    first = place.instance("one", takeover_lease_ms="3600000")
    place.begin(first)
    note = place.leases.current()[1].replace(this_process(), "another/kernel/7/7")
    first.release()
    (place.directory / "checkpoint" / LEASES / "1.json").write_text(note)
    again = place.instance("two")
    place.begin(again)
    assert place.leases.current()[0] == 2
    again.release()


def test_a_copy_is_refused_while_an_instance_runs_on_its_original(place: Place) -> None:
    first = place.instance("one")
    place.begin(first)
    shutil.copytree(place.directory, place.directory / "copies")
    original = place.directory / "checkpoint"
    claim = Claim(
        number=1,
        checkpoint="c",
        instance="one",
        host="h",
        machine="m",
        location=original.as_uri(),
    )
    copies = Place(place.directory / "copies")
    for name, entries in (("two", {}), ("three", {"takeover": "wait"})):
        copy = copies.instance(name, **entries)
        copies.begin(copy)
        with pytest.raises(LockException, match=f'is a copy of "{original}"') as caught:
            copy.check_original(claim)
        assert "Instance one on machine" in caught.value.detail
        copy.release()
    adopts = copies.instance("four", checkpoint_adopt="true")
    adopts.check_original(claim)
    # An original that was left, moved, or is on another file system, and the place itself.
    first.release()
    again = copies.instance("five")
    copies.begin(again)
    for there in (original.as_uri(), "file:///no/such/place", "s3a://b/c", ""):
        again.check_original(replace(claim, location=there))
    again.check_original(replace(claim, location=(copies.directory / "checkpoint").as_uri()))
    again.release()


def test_adoption_takes_the_lease_of_one_that_renews_which_is_told(place: Place) -> None:
    first = place.instance("one")
    place.begin(first)
    second = place.instance("two", "elsewhere", checkpoint_adopt="true")
    place.begin(second)
    eventually(lambda: first.lost() is not None, expected=True)
    lost = first.lost()
    assert lost is not None
    assert "instance two on machine" in lost.detail
    assert second.lost() is None
    first.release()
    second.release()


@pytest.mark.parametrize("when", ["while it runs", "just before it ends"])
def test_a_checkpoint_that_was_deleted_while_it_runs_is_told(
    place: Place, caplog: pytest.LogCaptureFixture, when: str
) -> None:
    lease_ms = "1000" if when == "while it runs" else "3600000"
    takeover = place.instance("one", takeover_lease_ms=lease_ms)
    place.begin(takeover)
    shutil.rmtree(place.directory / "checkpoint")
    if when == "while it runs":
        eventually(lambda: takeover.lost() is not None, expected=True)
    takeover.release()
    # Where it is raised, the log has it by that.
    assert ("was deleted" in caplog.text) is (when == "just before it ends")
    lost = takeover.lost()
    assert lost is not None
    assert lost.problem == 'checkpoint "c" of application "app" was deleted while it runs'
    assert "millstream reset" in lost.hint
    assert not (place.directory / "checkpoint").exists()


@pytest.mark.parametrize("state", ["state", "elsewhere"])
def test_a_spare_waits_until_the_first_one_ends(place: Place, state: str) -> None:
    first, spare = place.instance("one"), place.instance("two", state, takeover="wait")
    place.begin(first)
    with place.waiting(spare):
        eventually(lambda: spare.waiting_for.startswith("instance one on"), expected=True)
        assert place.leases.current()[0] == 1
        first.release()
    assert (spare.is_held, spare.waiting_for) == (True, "")
    spare.release()


def test_a_spare_takes_over_from_one_that_is_frozen_and_keeps_its_lock(place: Place) -> None:
    place.leases.create(1, ELSEWHERE)
    frozen = DirectoryLock(place.directory / "state")
    assert frozen.acquire()
    spare = place.instance("two", takeover="WAIT")
    place.begin(spare)
    assert place.leases.current()[0] == 2
    # When the frozen one ends, the lock is this one's.
    frozen.release()
    eventually(lambda: place.instance("three")._lock.acquire(), expected=False)
    spare.release()


def test_a_state_directory_that_cannot_be_written_does_not_end_the_lease(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = threading.Event()

    def refuse(*_: Any) -> None:
        tried.set()
        raise OSError(28, "No space left on device")

    place.leases.create(1, ELSEWHERE)
    frozen = DirectoryLock(place.directory / "state")
    assert frozen.acquire()
    spare = place.instance("two", takeover="wait")
    place.begin(spare)
    monkeypatch.setattr(module, "write_private", refuse)
    frozen.release()
    assert tried.wait(30)
    before = place.leases.current()
    eventually(lambda: place.leases.current() != before, expected=True)
    spare.release()


def test_of_two_spares_one_takes_over_and_the_other_goes_on_waiting(place: Place) -> None:
    first = place.instance("one")
    place.begin(first)
    spares = [place.instance(name, name, takeover="wait") for name in ("two", "three")]
    with place.waiting(spares[0]), place.waiting(spares[1]):
        eventually(lambda: all(each.waiting_for for each in spares), expected=True)
        first.release()
        eventually(lambda: sum(each.is_held for each in spares), 1)
        (winner,) = (each for each in spares if each.is_held)
        (loser,) = (each for each in spares if not each.is_held)
        eventually(lambda: winner._instance in loser.waiting_for, expected=True)
        winner.release()
    assert loser.is_held
    loser.release()


def test_a_spare_that_is_closed_stops_waiting(place: Place) -> None:
    first = place.instance("one")
    place.begin(first)
    spare = place.instance("two", takeover="wait")

    class Closed(Exception):
        pass

    def check() -> None:
        if spare.waiting_for:
            raise Closed

    with pytest.raises(Closed):
        place.begin(spare, check)
    spare.release()
    assert place.leases.current()[0] == 1
    first.release()


@pytest.mark.parametrize(
    ("kept", "path", "kind"),
    [
        ("directory", "state/owner", "file"),
        ("directory", "checkpoint/millstream-lease/1.json", "file"),
        ("file", "checkpoint/millstream-lease", "directory"),
        ("file", "checkpoint", "directory"),
    ],
)
@pytest.mark.parametrize("takeover", ["refuse", "wait"])
def test_what_lies_where_instances_note_themselves_is_named(
    place: Place, kept: str, path: str, kind: str, takeover: str
) -> None:
    at = place.directory / path
    at.parent.mkdir(parents=True, exist_ok=True)
    at.mkdir() if kept == "directory" else at.write_text("")
    with pytest.raises(StreamsException) as caught:
        place.begin(place.instance("one", takeover=takeover))
    assert caught.value.problem == f'"{at}" is a {kept}, and has to be a {kind}'
    assert "See that no other instance runs" in caught.value.hint


def test_a_checkpoint_that_cannot_be_written_is_named(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place.files, "create", _read_only)
    with pytest.raises(StreamsException, match='cannot read or write the lease in checkpoint "c"'):
        place.begin(place.instance("one"))


def test_a_full_disk_is_told_as_everywhere(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "/c/millstream-lease")

    monkeypatch.setattr(place.files, "create", full)
    with pytest.raises(StreamsException, match="there is no space left on the disk") as caught:
        place.begin(place.instance("one"))
    assert "Free space where" in caught.value.hint


def test_a_spare_waits_also_for_the_file_system(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = place.files.create
    monkeypatch.setattr(place.files, "create", _read_only)
    spare = place.instance("one", takeover="wait")
    with place.waiting(spare):
        eventually(lambda: spare._unreadable, expected=True)
        monkeypatch.setattr(place.files, "create", create)
    assert spare.is_held
    spare.release()


def _read_only(*_: object) -> bool:
    raise OSError(30, "Read-only file system", "/c/millstream-lease")
