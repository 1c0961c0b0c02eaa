"""What an interrupted adoption, restore or start from a savepoint leaves in a checkpoint."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from compat_tests.spark.generations.test_on_spark import counted
from millstream import StreamsConfig, StreamsException
from millstream.topology.spark.admission.emptying import empty
from millstream.topology.spark.checkpoint.descriptor import Checkpoint, new_checkpoint
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.checkpoint.log import Progress
from millstream.topology.spark.checkpoint.origin import ORIGIN, SEED, Origin
from millstream.topology.spark.generations import generations as module
from millstream.topology.spark.generations.generations import Generations
from millstream.topology.spark.generations.moving import (
    Compiled,
    FromSavepoint,
    admitted,
    described,
    noted,
)

CONFIG = StreamsConfig({"application.id": "app", "bootstrap.servers": "b:1"})


def generations(root: Path) -> Generations:
    return Generations(str(root), LocalFiles(root), lambda at: LocalFiles(Path(at)))


def description(*, filtered: bool) -> Checkpoint:
    text = str(counted("in", "out", filtered=filtered).describe())
    return new_checkpoint(text, {"0": 1, "1": 1}, {})


def begun(root: Path, note: Checkpoint, origin: Origin, monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin a generation as an adoption or a restore does, without its seed."""
    monkeypatch.setattr(module, "write_seed", lambda *_: None)
    nothing: Any = None
    at_root = not origin.checkpoint
    generations(root).begin(nothing, nothing, nothing, nothing, note, origin, at_root=at_root)


class Admitting:
    """An instance that is admitted."""

    was_reset = False

    def located(self, location: str) -> None:
        pass

    def admit(self, *_: Any, savepoint: bool) -> bool:
        return False

    def progress(self) -> Progress:
        return Progress(planned_to={}, done_to={})

    def half_written(self, _: str) -> None:
        return None


def started(root: Path, wanted: Checkpoint) -> Any:
    nothing: Any = None
    compiled = Compiled(nothing, nothing, wanted, {}, {})
    return admitted(cast(Any, Admitting()), generations(root), compiled, CONFIG, 1)


def test_a_checkpoint_that_begins_empty_does_not_use_the_seed_of_an_interrupted_adoption(
    tmp_path: Path,
) -> None:
    (tmp_path / SEED / "stage=0").mkdir(parents=True)
    (tmp_path / ORIGIN).write_text("{}")

    found = noted(generations(tmp_path), new_checkpoint("", {"0": 1}, {}))

    assert generations(tmp_path).seed == ""
    assert [path.name for path in tmp_path.iterdir()] == ["millstream.json"]
    assert noted(generations(tmp_path), found) == found


def test_a_checkpoint_that_is_described_keeps_the_seed_of_its_first_batch(tmp_path: Path) -> None:
    described = noted(generations(tmp_path), new_checkpoint("", {"0": 1}, {}))
    (tmp_path / SEED).mkdir()

    noted(generations(tmp_path), described)

    assert generations(tmp_path).seed == f"{tmp_path}/{SEED}"


def test_words_are_noted_as_the_last_start_had_them(tmp_path: Path) -> None:
    def start(*words: str) -> Checkpoint:
        return noted(generations(tmp_path), new_checkpoint("", {"0": 1}, {}, words=words))

    assert start("drop=a").words == ("drop=a",)
    # What has left the configuration and comes again is new.
    assert start().words == ()
    early = replace(start(), every_word=False)
    generations(tmp_path).files.write("millstream.json", early.to_json())
    assert start("drop=a").every_word


def test_adopted_state_is_not_lost_when_the_program_changes_before_the_first_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adopted = Origin(source="kafka-streams", location="app", positions={"in": {0: 5}})
    begun(tmp_path, description(filtered=False), adopted, monkeypatch)

    with pytest.raises(StreamsException, match="adopt the application once more"):
        started(tmp_path, description(filtered=True))

    assert generations(tmp_path).origin == adopted
    assert started(tmp_path, description(filtered=False)) is None


def test_a_savepoint_is_used_anew_when_the_program_changes_before_the_first_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    savepoint = Origin(source="savepoint", location="/points/a", positions={"in": {0: 5}})
    begun(tmp_path, note := description(filtered=False), savepoint, monkeypatch)

    move = started(tmp_path, description(filtered=True))

    assert isinstance(move, FromSavepoint)
    assert (move.location, move.former) == ("/points/a", note.id)
    assert generations(tmp_path).origin == savepoint


def test_a_restore_killed_before_its_claim_and_repeated_is_still_the_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = (description(filtered=False) for _ in range(3))
    noted(generations(tmp_path), first)

    for note, former in ((second, first), (third, second)):
        origin = Origin(
            source="savepoint", location="/points/a", checkpoint=former.id, positions={}
        )
        begun(tmp_path, note, origin, monkeypatch)

    assert generations(tmp_path).location == f"{tmp_path}/generations/2"
    # The claim on the broker names the first one; the origin names the second.
    assert generations(tmp_path).abandoned == (first.id,)


def test_a_savepoint_does_not_win_over_offsets_that_were_reset(tmp_path: Path) -> None:
    class Reset(Admitting):
        was_reset = True

    config = StreamsConfig({**CONFIG.originals(), "millstream.savepoint": "/points/a"})
    nothing: Any = None
    compiled = Compiled(nothing, nothing, description(filtered=False), {}, {})

    def begun_by(instance: Admitting, restore: str = "") -> Any:
        new = generations(tmp_path)
        return admitted(cast(Any, instance), new, compiled, config, 1, restore)

    with pytest.raises(StreamsException, match='offsets of application "app" were reset') as caught:
        begun_by(Reset())
    assert "start without millstream.savepoint" in str(caught.value)
    assert begun_by(Reset(), "/points/b").location == "file:///points/b"
    assert begun_by(Admitting()).location == "file:///points/a"


def test_a_former_generation_is_found_where_its_path_was_noted_without_a_scheme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Earlier versions noted a location as the configuration has it."""
    first, second = (description(filtered=False) for _ in range(2))
    noted(generations(tmp_path), first)
    origin = Origin(source="checkpoint", location=str(tmp_path), checkpoint=first.id, positions={})
    begun(tmp_path, second, origin, monkeypatch)

    def opened(at: str) -> LocalFiles:
        return LocalFiles(Path(at.removeprefix("file://")))

    later = Generations(f"file://{tmp_path}", LocalFiles(tmp_path), opened)
    assert later.can_go_back()
    later.go_back(second)
    assert later.location == f"file://{tmp_path}"


def test_a_savepoint_begins_a_generation_where_a_start_has_emptied_a_later_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It began in the location itself, and the pointer went on naming the emptied one."""
    first, second, third = (description(filtered=False) for _ in range(3))
    noted(generations(tmp_path), first)
    origin = Origin(source="checkpoint", location=str(tmp_path), checkpoint=first.id, positions={})
    begun(tmp_path, second, origin, monkeypatch)
    empty(generations(tmp_path).files)

    savepoint = Origin(source="savepoint", location="/points/a", positions={"in": {0: 5}})
    begun(tmp_path, third, savepoint, monkeypatch)

    found = generations(tmp_path)
    assert found.location == f"{tmp_path}/generations/2"
    assert (described(found), found.origin) == (third, savepoint)
