"""A record that kills the worker is found from one attempt to the next, and left out."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from millstream.core.errors import WorkerDiedException
from millstream.topology.spark.isolation import (
    Isolating,
    LeftNote,
    Note,
    Notes,
    Phase,
    PoisonPlace,
    following,
)

MOST = Isolating(id="i", most=2)
FIRST = Note(batch="b", run="r", isolating="i")
AT_5, AT_6, AT_7 = (PoisonPlace("in", 0, offset) for offset in (5, 6, 7))


def attempts(directory: Path, *fatal: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "compat_tests.spark.worker.attempts", str(directory), *fatal]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert found.returncode == 0, found.stderr
    return dict(json.loads(found.stdout))


def after(*deaths: PoisonPlace | Phase, note: Note = FIRST) -> Note:
    """Return the note after attempts that died: by chunks, then at these places."""
    note = following(LeftNote(note, Phase.BEGIN), "b", "r", 0, MOST)
    for death in deaths:
        place = death if isinstance(death, PoisonPlace) else None
        phase = Phase.RECORD if isinstance(death, PoisonPlace) else death
        note = following(LeftNote(note, phase, place), "b", "r", 0, MOST)
    return note


def test_two_records_that_kill_are_dead_letters_and_the_rest_counts_once(tmp_path: Path) -> None:
    found = attempts(tmp_path, "fatal", "fatal2")
    assert found["ends"] == ["died -9"] * 5 + ["ended"]
    assert found["sent"] == {
        "dead": [["fatal", "2"], ["fatal2", "4"]],
        "out": [1, 2, 3, 4, 5],
        "offsets": [6, 7],
    }
    assert found["poisoned"] == 2


@pytest.mark.long
def test_a_record_that_kills_its_deserializer_is_found(tmp_path: Path) -> None:
    found = attempts(tmp_path, "decode:fatal")
    assert found["ends"] == ["died 3"] * 3 + ["ended"]
    assert found["sent"]["dead"] == [["fatal", "2"]]
    assert found["sent"]["out"] == [1, 2, 3, 4, 5, 6]


@pytest.mark.long
def test_without_a_caches_flush_a_record_is_found_that_kills_below_the_store(
    tmp_path: Path,
) -> None:
    found = attempts(tmp_path, "flush")
    assert found["error"].startswith("WorkerDiedException: more than 2 records of one batch kill")
    assert found["task"] == "0_0"


@pytest.mark.long
def test_deaths_at_other_records_each_time_end_it(tmp_path: Path) -> None:
    found = attempts(tmp_path, "anywhere")
    assert found["ends"] == ["died -9"] * 4 + ["ended"]
    assert "no single record is to blame" in found["error"]
    assert "3 times record by record" in found["error"]


def test_a_record_is_left_out_after_two_deaths_in_a_row() -> None:
    assert after() == replace(FIRST, by_record=True)
    assert after(AT_5).suspect == AT_5
    assert after(AT_5, AT_5).poisoned == (AT_5,)
    assert after(AT_5, AT_6, AT_6).poisoned == (AT_6,)
    assert after(AT_5, AT_5, AT_7, AT_7).poisoned == (AT_5, AT_7)


def test_more_records_than_allowed_end_it() -> None:
    with pytest.raises(WorkerDiedException, match="more than 2 records"):
        after(AT_5, AT_5, AT_6, AT_6, AT_7, AT_7)


@pytest.mark.parametrize("last", [AT_7, Phase.COMMIT, Phase.PUNCTUATION, Phase.BEGIN])
def test_three_deaths_that_do_not_agree_end_it(last: PoisonPlace | Phase) -> None:
    with pytest.raises(WorkerDiedException, match="no single record"):
        after(AT_5, AT_6, last)


def test_deaths_outside_of_records_end_it() -> None:
    with pytest.raises(WorkerDiedException, match="while stores were flushed"):
        after(Phase.COMMIT, Phase.COMMIT, Phase.COMMIT)


@pytest.mark.parametrize(
    "found",
    [
        None,
        LeftNote(FIRST, Phase.IDLE),
        LeftNote(replace(FIRST, batch="other", poisoned=(AT_5,)), Phase.BEGIN),
        LeftNote(
            replace(FIRST, isolating="other", by_record=True, suspect=AT_5), Phase.RECORD, AT_5
        ),
        LeftNote(replace(FIRST, run="other", by_record=True, suspect=AT_5), Phase.RECORD, AT_5),
    ],
)
def test_what_was_no_death_of_this_batch_is_no_evidence(found: LeftNote | None) -> None:
    assert following(found, "b", "r", 0, MOST) == FIRST


def test_a_death_of_the_run_before_counts_only_at_the_partition_that_ended_it() -> None:
    found = LeftNote(replace(FIRST, run="before"), Phase.BEGIN)
    assert following(found, "b", "r", 1, replace(MOST, guilty=frozenset({1}))).by_record
    assert not following(found, "b", "r", 1, replace(MOST, guilty=frozenset({0}))).by_record


def test_a_record_that_was_found_stays_out_when_the_batch_is_repeated() -> None:
    note = replace(FIRST, poisoned=(AT_5,), isolating="of a process before")
    again = following(LeftNote(note, Phase.IDLE), "b", "r", 0, MOST)
    assert again.poisoned == (AT_5,)
    assert not again.by_record


def test_a_note_survives_its_process_and_tells_the_place(tmp_path: Path) -> None:
    notes = Notes(tmp_path / "isolation" / "0_0")
    assert notes.found() is None
    note = replace(FIRST, topics=("in", "other"), poisoned=(AT_5,))
    attempt = notes.begin(note)
    assert notes.found() == LeftNote(note, Phase.BEGIN)
    attempt.at(1, 3, 1 << 40)
    assert notes.found() == LeftNote(note, Phase.RECORD, PoisonPlace("other", 3, 1 << 40))
    attempt.enter(Phase.COMMIT)
    assert notes.found() == LeftNote(note, Phase.COMMIT)
    attempt.close()
    assert notes.found() == LeftNote(note, Phase.IDLE)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 200), byte=st.integers(0, 255), cut=st.booleans())
def test_damaged_notes_are_none_or_notes(tmp_path: Path, place: int, byte: int, cut: bool) -> None:
    path = tmp_path / "note"
    Notes(path).begin(replace(FIRST, topics=("in",))).at(0, 0, 5)
    data = bytearray(path.read_bytes())
    data[place % len(data)] = byte
    path.write_bytes(data[: place if cut else None])
    found = Notes(path).found()
    assert found is None or isinstance(found.note, Note)
