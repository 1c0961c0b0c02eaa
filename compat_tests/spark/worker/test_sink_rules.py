"""What a sink may write: each state of token, offsets and claim, without a broker."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millstream import StreamsException
from millstream.core.errors import TaskMigratedException
from millstream.topology.spark.ownership import Claim, Committed, Mark
from millstream.topology.spark.worker.sink_rules import ConsumedRange, Found, Writer, must_write

MINE, OTHER, TOOL = Mark("c1", "w1"), Mark("c2", "w9"), None
WRITER = Writer(
    application_id="app", checkpoint="c1", instance="i1", partition=0, exactly_once=True
)
CLAIM = Claim(number=1, checkpoint="c1", instance="i1", host="h", machine="m", location="file:///c")
PLACE = ("in", 0)


def found(token: Committed | None, offset: Committed | None, claim: Claim | None = CLAIM) -> Found:
    return Found(token=token, claim=claim, offsets={PLACE: offset})


def batch(first: int | None, following: int) -> list[ConsumedRange]:
    return [ConsumedRange(*PLACE, following, first)]


@pytest.mark.parametrize(
    ("token", "offset"),
    [
        (None, None),
        (None, Committed(10, MINE)),
        (Committed(3, MINE), Committed(10, MINE)),
        (Committed(3, MINE), Committed(7, MINE)),
        # It has expired; what the batch consumed is in the checkpoint.
        (Committed(3, MINE), None),
        # A token of an earlier life does not count.
        (Committed(50, OTHER), Committed(10, MINE)),
        (Committed(50, TOOL), Committed(10, MINE)),
    ],
)
def test_a_new_batch_behind_the_committed_offsets_is_written(
    token: Committed | None, offset: Committed | None
) -> None:
    assert must_write(WRITER, 3, batch(10, 20), found(token, offset)) is True


def test_a_batch_that_has_been_written_is_skipped() -> None:
    written = found(Committed(4, MINE), Committed(20, MINE))
    assert must_write(WRITER, 3, batch(10, 20), written) is False
    # Retention has taken its last records meanwhile.
    assert must_write(WRITER, 3, batch(10, 15), written) is False
    assert must_write(WRITER, 3, [], written) is False


def test_offsets_behind_the_last_record_do_not_decide_whether_a_batch_was_written() -> None:
    # Written by a version that committed the offset after the last record.
    place = ConsumedRange(*PLACE, 20, 10, end=25)
    assert place.committed == 25
    for offset in (20, 25):
        written = found(Committed(4, MINE), Committed(offset, MINE))
        assert must_write(WRITER, 3, [place], written) is False
        assert must_write(WRITER, 3, [ConsumedRange(*PLACE, 0, 20, end=25)], written) is False


@pytest.mark.parametrize("offset", [Committed(19, MINE), Committed(0, TOOL), None])
def test_a_batch_that_goes_further_than_what_was_written_is_refused(
    offset: Committed | None,
) -> None:
    with pytest.raises(StreamsException, match="is older than what has been written") as caught:
        must_write(WRITER, 3, batch(10, 20), found(Committed(4, MINE), offset))
    assert "up to offset 20" in caught.value.detail
    assert "millstream.checkpoint.adopt=true" in caught.value.hint


def test_a_batch_far_behind_the_token_is_refused() -> None:
    ahead = found(Committed(9, MINE), Committed(90, MINE))
    with pytest.raises(StreamsException, match="is older than what has been written") as caught:
        must_write(WRITER, 3, batch(10, 20), ahead)
    assert caught.value.detail == "Batch 8 has been written, and this checkpoint is at batch 3."


def test_a_new_batch_that_begins_before_the_committed_offset_is_refused() -> None:
    with pytest.raises(StreamsException, match="is older") as caught:
        must_write(WRITER, 3, batch(10, 20), found(Committed(3, MINE), Committed(11, MINE)))
    assert caught.value.detail.endswith("Its output would be repeated.")


@pytest.mark.parametrize("at", [0, 10, 15, 99])
@pytest.mark.parametrize("exactly_once", [True, False])
def test_offsets_set_by_a_tool_are_refused(at: int, exactly_once: bool) -> None:
    writer = replace(WRITER, exactly_once=exactly_once)
    with pytest.raises(StreamsException, match="were set by another program") as caught:
        must_write(writer, 3, batch(10, 20), found(Committed(3, MINE), Committed(at, TOOL)))
    assert f'Partition 0 of topic "in" is at offset {at}' in caught.value.detail


def test_offsets_of_another_checkpoint_are_refused_exactly_once_only() -> None:
    late = found(Committed(3, MINE), Committed(15, OTHER))
    with pytest.raises(StreamsException, match="were set by another program"):
        must_write(WRITER, 3, batch(10, 20), late)
    assert must_write(replace(WRITER, exactly_once=False), 3, batch(10, 20), late) is True


@given(
    st.sampled_from([None, Committed(3, MINE), Committed(4, MINE), Committed(9, OTHER)]),
    st.sampled_from([None, Committed(10, MINE), Committed(20, OTHER), Committed(5, TOOL)]),
    st.booleans(),
)
def test_whoever_has_no_claim_writes_nothing(
    token: Committed | None, offset: Committed | None, exactly_once: bool
) -> None:
    writer = replace(WRITER, exactly_once=exactly_once)
    taken = replace(CLAIM, number=2, checkpoint="c2", instance="i2")
    again = replace(CLAIM, number=2, instance="i2")
    for claim in (taken, again):
        with pytest.raises(TaskMigratedException, match='taken over application "app"') as caught:
            must_write(writer, 3, batch(10, 20), found(token, offset, claim))
        assert '"file:///c" on machine "h"' in caught.value.detail
    gone = "deleted or reset while the application runs"
    with pytest.raises(StreamsException, match=gone) as told:
        must_write(writer, 3, batch(10, 20), found(token, offset, None))
    assert '"app-millstream-owner" was deleted' in told.value.detail
    assert "Start it again" in told.value.hint


def test_without_claims_only_offsets_of_its_own_count() -> None:
    writer = replace(WRITER, instance="")
    assert must_write(writer, 3, batch(10, 20), found(None, Committed(15, TOOL), None)) is True
    assert must_write(writer, 3, batch(None, 20), found(None, Committed(15, MINE), None)) is True


@pytest.mark.parametrize("exactly_once", [True, False])
def test_a_batch_whose_token_is_gone_was_written_if_its_own_offsets_are_committed(
    exactly_once: bool,
) -> None:
    """The topic of tokens was deleted; each partition of the batch is where the batch ends."""
    writer = replace(WRITER, exactly_once=exactly_once)
    assert must_write(writer, 3, batch(10, 20), found(None, Committed(20, MINE))) is False
    idle = [*batch(10, 20), ConsumedRange("in", 1, 5, None)]
    both = Found(claim=CLAIM, offsets={PLACE: Committed(20, MINE), ("in", 1): Committed(5, MINE)})
    assert must_write(writer, 3, idle, both) is False
    # None has read anything: it begins where the former batch ended.
    assert must_write(writer, 3, batch(None, 20), found(None, Committed(20, MINE))) is True
    for offset in (15, 21):
        with pytest.raises(StreamsException, match="is older than what has been written"):
            must_write(writer, 3, batch(10, 20), found(None, Committed(offset, MINE)))
