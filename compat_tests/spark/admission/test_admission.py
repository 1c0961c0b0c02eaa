"""How an application starts on its checkpoint: every state of claim, tokens and offsets."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millstream.core.errors import StreamsException
from millstream.topology.spark.admission.decision import (
    Action,
    Difference,
    Here,
    Kind,
    Place,
    Problem,
    Situation,
    differences,
    doubtful_range,
    verdict,
)
from millstream.topology.spark.admission.group import GroupState
from millstream.topology.spark.admission.refusals import refused
from millstream.topology.spark.admission.topic_ids import TOPICS, recreated_topics
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.checkpoint.origin import POINTER
from millstream.topology.spark.ownership import DRIVER, Claim, Committed, Mark

MINE, OTHER = Mark("c1", "w"), Mark("c2", "w")
CLAIM = Claim(number=4, checkpoint="c1", instance="i0", host="h", machine="m", location="/c")
CLAIM_OTHER = replace(CLAIM, checkpoint="c2")
HERE = Here(id="c1", planned=7, done=7)
OF_ANOTHER = Here(id="c1", planned=7, done=7, of_another="other")
SEEDED = Here(id="c1", planned=0, done=-1, seeded=True)
ADOPTED = Here(id="c1", planned=-1, done=-1, seeded=True, adopted=True)
RESTORED = Here(id="c1", planned=-1, done=-1, seeded=True, restored=True, former=frozenset({"c2"}))
PLACE = Place(
    topic="in", partition=0, position=50, planned=50, committed=Committed(50, MINE), end=80
)
FITS = Situation(here=HERE, claim=CLAIM, tokens={0: Committed(8, MINE)}, anything_committed=True)
EMPTY = Situation(here=None)


def difference(kind: Kind, committed: Committed | None = None) -> Difference:
    return Difference(kind, replace(PLACE, committed=committed))


LOST = difference(Kind.LOST)
RESET = difference(Kind.RESET, Committed(0, None))
FOREIGN = difference(Kind.OTHER, Committed(60, OTHER))
BEHIND = difference(Kind.BEHIND, Committed(40, MINE))
AHEAD = difference(Kind.AHEAD, Committed(60, MINE))
AHEAD_OF_FORMER = difference(Kind.AHEAD, Committed(60, OTHER))
SHORT = difference(Kind.SHORT, Committed(50, MINE))
SHORT_AND_RESET = difference(Kind.SHORT, Committed(0, None))
RECREATED = difference(Kind.RECREATED)
B, C, T, A, R = Action.BEGIN, Action.CONTINUE, Action.TAKE_OVER, Action.BEGIN_ANEW, Action.REFUSE

TABLE: dict[str, tuple[Situation, Action, Action, Action, Problem | None]] = {
    # state: plain, after cleanUp(), with millstream.checkpoint.adopt, why it is refused
    "the first start": (EMPTY, B, B, B, None),
    "a start that ended before its first batch": (
        replace(FITS, here=replace(HERE, planned=-1, done=-1), tokens={}),
        *(B, B, B, None),
    ),
    "the logs of a checkpoint are gone": (
        replace(FITS, here=replace(HERE, planned=-1, done=-1), has_worked=True),
        *(R, R, R, Problem.LOGS_GONE),
    ),
    "the logs of a checkpoint that began with a savepoint are gone": (
        replace(FITS, here=replace(SEEDED, planned=-1), has_worked=True),
        *(R, R, R, Problem.LOGS_GONE),
    ),
    "a restart": (FITS, C, C, C, None),
    "a restart in the middle of a batch": (
        replace(FITS, here=replace(HERE, planned=8)),
        *(C, C, C, None),
    ),
    "a sink has written the batch that was not committed": (
        replace(FITS, here=replace(HERE, planned=8), tokens={0: Committed(9, MINE)}),
        *(C, C, C, None),
    ),
    "a checkpoint made before there were claims": (replace(FITS, claim=None), C, C, C, None),
    "tokens of former checkpoints of idle partitions": (
        replace(FITS, tokens={0: Committed(8, MINE), 1: Committed(99, OTHER)}),
        *(C, C, C, None),
    ),
    "no checkpoint, claimed with another one": (
        replace(EMPTY, claim=CLAIM_OTHER, tokens={0: Committed(3, OTHER)}),
        *(R, R, B, Problem.OTHER_CHECKPOINT),
    ),
    "no checkpoint, tokens of another one": (
        replace(EMPTY, tokens={0: Committed(3, OTHER)}),
        *(R, R, B, Problem.OTHER_CHECKPOINT),
    ),
    "no checkpoint, the former one is gone": (
        replace(EMPTY, claim=CLAIM_OTHER, former_is_gone=True),
        *(B, B, B, None),
    ),
    "no checkpoint, the former one is gone with the stores": (
        replace(EMPTY, claim=CLAIM_OTHER, former_is_gone=True, stores_are_gone=True),
        *(R, R, B, Problem.STORES_GONE),
    ),
    "a savepoint's state, the former checkpoint is gone with the stores": (
        Situation(here=SEEDED, claim=CLAIM_OTHER, former_is_gone=True, stores_are_gone=True),
        *(T, T, T, None),
    ),
    "no checkpoint, tokens without marks": (
        replace(EMPTY, tokens={0: Committed(0, None)}),
        *(B, B, B, None),
    ),
    "a checkpoint, claimed with another one": (
        replace(FITS, claim=CLAIM_OTHER),
        *(R, R, T, Problem.OTHER_CHECKPOINT),
    ),
    "a checkpoint, claimed with another one that is gone": (
        replace(FITS, claim=CLAIM_OTHER, former_is_gone=True),
        *(T, T, T, None),
    ),
    "a checkpoint, claimed with another one that is gone and went further": (
        replace(FITS, claim=CLAIM_OTHER, former_is_gone=True, differences=(FOREIGN,)),
        *(R, R, T, Problem.OTHER_CHECKPOINT),
    ),
    "an old checkpoint beside a newer one, before claims": (
        replace(FITS, claim=None, tokens={0: Committed(3, OTHER)}),
        *(R, R, T, Problem.OTHER_CHECKPOINT),
    ),
    "the group was deleted": (
        replace(FITS, claim=None, tokens={}, anything_committed=False, differences=(LOST,)),
        *(R, A, T, Problem.GROUP_GONE),
    ),
    "the checkpoint of another application": (
        replace(FITS, here=OF_ANOTHER, claim=None, tokens={}, anything_committed=False),
        *(R, R, T, Problem.OTHER_APPLICATION),
    ),
    "the group was deleted before a batch ended": (
        Situation(here=Here(id="c1", planned=0, done=-1)),
        *(C, C, C, None),
    ),
    "offsets were reset by a tool": (
        replace(FITS, differences=(RESET,)),
        *(R, A, T, Problem.OFFSETS_CHANGED),
    ),
    "offsets were reset by a tool, those of the internal topics as well": (
        replace(FITS, claim=None, tokens={0: Committed(0, None)}, differences=(RESET,)),
        *(R, A, T, Problem.OFFSETS_CHANGED),
    ),
    "offsets were reset before a batch ended": (
        replace(FITS, here=Here(id="c1", planned=0, done=-1), tokens={}, differences=(RESET,)),
        *(A, A, A, Problem.OFFSETS_CHANGED),
    ),
    "offsets were reset before the first batch with the state of an earlier program ended": (
        replace(FITS, here=SEEDED, tokens={}, differences=(RESET,)),
        *(R, A, T, Problem.OFFSETS_CHANGED),
    ),
    "a restore of an older savepoint that was killed before it claimed the output": (
        Situation(here=RESTORED, claim=CLAIM_OTHER, differences=(AHEAD_OF_FORMER,)),
        *(T, T, T, None),
    ),
    "a restore of an older savepoint that was killed before it committed its positions": (
        Situation(here=RESTORED, claim=CLAIM, differences=(AHEAD_OF_FORMER,)),
        *(T, T, T, None),
    ),
    "a restore of an older savepoint, and an old copy of the checkpoint": (
        Situation(here=RESTORED, claim=CLAIM, differences=(AHEAD,)),
        *(R, R, T, Problem.CHECKPOINT_OLD),
    ),
    "an adopted application that has not gone on since": (
        Situation(here=ADOPTED, anything_committed=True, left_by_java=True),
        *(T, T, T, None),
    ),
    "an adopted application that has gone on since": (
        Situation(here=ADOPTED, anything_committed=True, left_by_java=True, differences=(RESET,)),
        *(R, R, T, Problem.JAVA_WENT_ON),
    ),
    "an application of the JVM with stores that was not adopted": (
        Situation(here=None, anything_committed=True, left_by_java=True),
        *(R, R, B, Problem.NOT_ADOPTED),
    ),
    "offsets of a topic were deleted": (
        replace(FITS, differences=(LOST,)),
        *(R, A, T, Problem.OFFSETS_CHANGED),
    ),
    "an old checkpoint: the token is ahead": (
        replace(FITS, tokens={0: Committed(9, MINE)}),
        *(R, R, T, Problem.CHECKPOINT_OLD),
    ),
    "an old checkpoint: offsets are ahead": (
        replace(FITS, differences=(AHEAD,)),
        *(R, R, T, Problem.CHECKPOINT_OLD),
    ),
    "an old checkpoint, and offsets were reset": (
        replace(FITS, differences=(RESET, AHEAD)),
        *(R, R, T, Problem.CHECKPOINT_OLD),
    ),
    "an old broker: offsets are behind": (
        replace(FITS, differences=(BEHIND,)),
        *(R, R, T, Problem.CHECKPOINT_NEW),
    ),
    "an old broker: the topic ends before": (
        replace(FITS, differences=(SHORT,)),
        *(R, R, R, Problem.TOPIC_CHANGED),
    ),
    "a topic was created again, and its offsets were reset": (
        replace(FITS, differences=(SHORT_AND_RESET, RESET)),
        *(R, A, R, Problem.TOPIC_CHANGED),
    ),
    "a topic was created again": (
        replace(FITS, differences=(RECREATED,)),
        *(R, A, R, Problem.TOPIC_CHANGED),
    ),
    "topic and group were deleted": (
        replace(FITS, claim=None, tokens={}, anything_committed=False, differences=(RECREATED,)),
        *(R, A, R, Problem.TOPIC_CHANGED),
    ),
}


@pytest.mark.parametrize("name", TABLE)
def test_a_start_is_decided_by_this_table(name: str) -> None:
    situation, plain, cleaned, adopting, problem = TABLE[name]
    found = verdict(situation)
    assert found.action is plain
    assert found.problem is problem
    assert verdict(replace(situation, cleaned=True)).action is cleaned
    assert verdict(replace(situation, adopt=True)).action is adopting


@pytest.mark.parametrize("name", [name for name, row in TABLE.items() if row[1] is R])
def test_a_refusal_names_application_and_checkpoint_and_says_what_to_do(name: str) -> None:
    situation = TABLE[name][0]
    for stores in (True, False):
        error = refused(verdict(situation), situation, "app", "file:///c", stores=stores)
        assert '"app"' in error.problem
        assert '"file:///c"' in error.problem
        assert error.detail.endswith(".")
        ways = ("millstream.checkpoint.adopt=true", "cleanUp()")
        assert any(way in error.hint for way in ways)


@pytest.mark.parametrize(("claimed", "number"), [("/generations/3", 3), ("", 0)])
def test_a_damaged_pointer_to_the_generation_is_named(claimed: str, number: int) -> None:
    """Before, the text told of another checkpoint in the same place, and how to begin there."""
    claim = replace(CLAIM_OTHER, location=f"file:///c{claimed}")
    for here in (None, HERE):
        situation = Situation(here=here, claim=claim)
        error = refused(
            verdict(situation), situation, "app", "file:///c/generations/9", stores=True
        )
        assert 'checkpoint "file:///c" is at another generation' in error.problem
        assert f'That is "file:///c{claimed}", and "{POINTER}"' in error.detail
        assert f'"generation": {number}, "highest": N' in error.hint
        elsewhere = refused(verdict(situation), situation, "app", "file:///d", stores=True)
        assert "belongs to another checkpoint" in elsewhere.problem


def test_the_ids_of_topics_may_be_what_is_damaged() -> None:
    situation = TABLE["a topic was created again"][0]
    error = refused(verdict(situation), situation, "app", "file:///c", stores=True)
    assert 'another topic id than "millstream-topics.json"' in error.detail
    assert "delete it, and nothing is lost" in error.detail


@pytest.mark.parametrize("text", ["[]", '{"in": 5}', "", "{"])
def test_damaged_ids_of_topics_are_named(tmp_path: Path, text: str) -> None:
    (tmp_path / TOPICS).write_text(text)
    unused: Any = None
    with pytest.raises(StreamsException, match=TOPICS) as caught:
        recreated_topics(LocalFiles(tmp_path), unused, "c")
    assert caught.value.hint == "Delete the file."


def test_the_refusal_of_another_applications_checkpoint_names_both() -> None:
    situation = Situation(here=OF_ANOTHER)
    error = refused(verdict(situation), situation, "app", "file:///c", stores=True)
    assert error.problem == 'checkpoint "file:///c" is of application "other", and this is "app"'
    # cleanUp() would let the next start empty it.
    assert "cleanUp" not in error.hint


SITUATIONS = st.builds(
    Situation,
    here=st.sampled_from(
        [None, HERE, replace(HERE, planned=-1, done=-1), replace(HERE, planned=8)]
    ),
    claim=st.sampled_from([None, CLAIM, CLAIM_OTHER]),
    tokens=st.dictionaries(
        st.integers(0, 2),
        st.sampled_from([Committed(8, MINE), Committed(30, MINE), Committed(5, OTHER)]),
        max_size=3,
    ),
    former_is_gone=st.booleans(),
    has_worked=st.booleans(),
    stores_are_gone=st.booleans(),
    anything_committed=st.booleans(),
    differences=st.lists(
        st.sampled_from([LOST, RESET, FOREIGN, BEHIND, AHEAD, SHORT, SHORT_AND_RESET, RECREATED]),
        max_size=3,
    ).map(tuple),
    cleaned=st.booleans(),
    adopt=st.booleans(),
)


@given(SITUATIONS)
def test_a_checkpoint_is_emptied_or_overruled_only_if_the_user_has_said_so(
    situation: Situation,
) -> None:
    found = verdict(situation)
    if found.action is Action.BEGIN_ANEW:
        assert situation.cleaned
        kept = {Kind.OTHER, Kind.BEHIND, Kind.AHEAD}
        assert not kept & {each.kind for each in situation.differences}
    if found.action is Action.CONTINUE:
        assert not situation.differences
    if found.action is Action.TAKE_OVER:
        assert situation.adopt or situation.former_is_gone
    if found.action is Action.REFUSE:
        refused(found, situation, "app", "c", stores=True)


@given(SITUATIONS)
def test_a_checkpoint_that_another_instance_may_use_is_left_to_it(situation: Situation) -> None:
    claim = situation.claim
    if claim is None or situation.former_is_gone or situation.adopt:
        return
    if claim.checkpoint != (situation.here.id if situation.here else None):
        assert verdict(situation).action is Action.REFUSE


OFFSETS = [None, 0, 40, 50, 55, 60, 70]
MARKS = [MINE, OTHER, None]


@pytest.mark.parametrize(("offset", "mark"), [(o, m) for o, m in product(OFFSETS, MARKS)])
def test_an_offset_differs_only_where_records_lie_between(offset: int | None, mark: Any) -> None:
    committed = None if offset is None else Committed(offset, mark)
    place = replace(PLACE, committed=committed, planned=60)
    assert differences([place], {"c1"}, lambda _: False) == ()
    found = differences([place], {"c1"}, lambda _: True)
    kinds = {MINE: Kind.BEHIND, OTHER: Kind.OTHER, None: Kind.RESET}
    if offset in (None, 50):
        assert found == ()
    elif mark is MINE and offset > 50:
        assert [each.kind for each in found] == ([Kind.AHEAD] if offset == 70 else [])
    else:
        assert [each.kind for each in found] == [kinds[mark]]


def test_an_offset_that_is_gone_counts_if_records_were_read_lately() -> None:
    gone = replace(PLACE, committed=None)
    assert doubtful_range(gone) is None
    lately = replace(gone, before=45)
    assert doubtful_range(lately) == (45, 50)
    assert [d.kind for d in differences([lately], {"c1"}, lambda _: True)] == [Kind.LOST]
    assert differences([lately], {"c1"}, lambda _: False) == ()


def test_a_topic_that_is_another_one_or_too_short_needs_no_look() -> None:
    places = [replace(PLACE, recreated=True), replace(PLACE, end=49), replace(PLACE, end=50)]
    assert [doubtful_range(place) for place in places] == [None, None, None]
    found = differences(places, {"c1"}, lambda _: False)
    assert [each.kind for each in found] == [Kind.RECREATED, Kind.SHORT]


@pytest.mark.parametrize(
    ("worker", "offset", "worked"), [("w", 3, True), ("w", 0, False), (DRIVER, 3, False)]
)
def test_a_checkpoint_has_worked_where_a_sink_has_committed(
    worker: str, offset: int, worked: bool
) -> None:
    committed = Committed(offset, Mark("c1", worker))
    assert GroupState(tokens={0: committed}).has_worked("c1") is worked
    found = GroupState(offsets={("in", 0): committed, ("in", 1): Committed(9, None)})
    assert found.has_worked("c1") is worked
    assert not found.has_worked("c2")


def test_offsets_of_another_checkpoint_are_not_taken_for_a_group_that_is_gone() -> None:
    situation = Situation(here=HERE, differences=(FOREIGN,), cleaned=True)
    assert verdict(situation).problem is Problem.OTHER_CHECKPOINT
