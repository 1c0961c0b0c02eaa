"""Claims and marks as metadata of offsets: what is read is what was written."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millstream.topology.spark.migration.offset_metadata import OffsetMetadata
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


@pytest.mark.parametrize(
    ("machine", "location", "expected"),
    [
        (this_machine()[1], "file:///data/app/checkpoint", True),
        (this_machine()[1], "file:///data/app/checkpoint/generations/3", True),
        (this_machine()[1], "file:///data/other/checkpoint", False),
        (this_machine()[1], "", False),
        ("another", "file:///data/app/checkpoint", False),
        ("another", "hdfs://cluster/app/checkpoint/generations/1", True),
    ],
)
def test_a_claim_knows_the_checkpoint_whose_generation_it_names(
    machine: str, location: str, expected: bool
) -> None:
    claim = Claim(
        number=7, checkpoint="c", instance="i", machine=machine, host="h", location=location
    )
    here = "hdfs://cluster/app/checkpoint" if "hdfs" in location else "file:///data/app/checkpoint"
    assert claim.is_at(f"{here}/generations/4") is expected


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


@pytest.mark.parametrize(
    ("text", "by_java"),
    [
        (OffsetMetadata(12).text(), True),
        (OffsetMetadata(12).text() + "?", True),
        (OffsetMetadata(-1, {"counts": 7}).text(), True),
        ("AQAAAAAAAAAM", True),
        ("AQAAAAAAAAA", False),
        ("AwAAAAAAAAAM", False),
        (Mark("0123456789ab", "driver").text(), False),
        ("", False),
        (None, False),
        ("NONE and more", False),
        ("\ufffd" * 12, False),
    ],
)
def test_the_metadata_of_kafka_streams_on_the_jvm_are_known(
    text: str | None, by_java: bool
) -> None:
    found = committed_of(Offset(3, text))  # type: ignore[arg-type]
    assert found is not None
    assert found.by_java is by_java


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
