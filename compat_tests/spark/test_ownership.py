"""Claims and marks as metadata of offsets: what is read is what was written."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millstream.topology.spark.ownership import Claim, Mark, claim_of, committed_of, this_machine


@dataclass
class Offset:
    """What of confluent_kafka's class is looked at; its metadata cannot be made up."""

    offset: int
    metadata: str | None


class Garbled:
    """An offset whose metadata have bytes behind their end that are no text."""

    offset = 5

    @property
    def metadata(self) -> str:
        return b"c1 w1 \xff\xfe".decode()


@given(st.text(max_size=300), st.text(max_size=80), st.sampled_from(["", "garbage", "a b c d"]))
def test_a_claim_is_read_as_it_was_written(location: str, host: str, behind: str) -> None:
    location, host = (text.encode(errors="ignore").decode() for text in (location, host))
    claim = Claim(
        number=7,
        checkpoint="c1",
        instance="i1",
        machine="m1",
        host=host or "-",
        location="" if location == "-" else location,
    )
    found = claim_of(Offset(7, claim.text() + behind))  # type: ignore[arg-type]
    assert found == claim or len(location) > 200


def test_a_location_that_is_too_long_is_left_out() -> None:
    claim = Claim(
        number=7, checkpoint="c", instance="i", machine="m", host="h", location="x" * 5000
    )
    found = claim_of(Offset(7, claim.text()))  # type: ignore[arg-type]
    assert found is not None
    assert found.location == ""
    assert found.place() == 'a place with a long name on machine "h"'
    assert len(claim.text()) < 4096


@pytest.mark.parametrize("text", [None, "", "one", "one two", " a b c d e ", "set by hand "])
def test_other_metadata_are_no_claim(text: str | None) -> None:
    assert claim_of(Offset(7, text)) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("c1 w1 ", Mark("c1", "w1")),
        ("c1 w1 \0\0rest", Mark("c1", "w1")),
        ("", None),
        (None, None),
        ("note", None),
        (" a b", None),
    ],
)
def test_a_mark_names_checkpoint_and_worker(text: str | None, mark: Mark | None) -> None:
    found = committed_of(Offset(3, text))  # type: ignore[arg-type]
    assert found is not None
    assert (found.offset, found.mark) == (3, mark)


def test_bytes_behind_the_text_do_not_matter() -> None:
    found = committed_of(Garbled())  # type: ignore[arg-type]
    assert found is not None
    assert found.mark == Mark("c1", "w1")


def test_no_offset_is_none() -> None:
    assert committed_of(Offset(-1001, None)) is None  # type: ignore[arg-type]
    assert claim_of(Offset(-1001, None)) is None  # type: ignore[arg-type]


def test_a_machine_has_one_word() -> None:
    name, word = this_machine()
    assert word.isalnum()
    assert this_machine() == (name, word)
