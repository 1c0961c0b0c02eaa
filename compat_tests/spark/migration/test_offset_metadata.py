"""Metadata of committed offsets, as Kafka Streams 4.3.1 writes and reads it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millstream.topology.spark.migration.offset_metadata import OffsetMetadata

TIMES = st.integers(-1, 2**63 - 1)


@given(TIMES, st.dictionaries(st.text(max_size=20), TIMES, max_size=3), st.text(max_size=8))
def test_what_is_written_is_read_whatever_follows_it(
    time: int, processors: dict[str, int], more: str
) -> None:
    written = OffsetMetadata(time, processors)

    found = OffsetMetadata.of_text(f"{written.text()}\0{more}")

    assert found == written


def test_the_text_is_that_of_kafka_streams() -> None:
    # By TopicPartitionMetadata(1234, {}) and TopicPartitionMetadata(1234, {"sums": 5}).
    assert OffsetMetadata(1234).text() == "AgAAAAAAAATS"
    with_store = "AgAAAAAAAATSAAAAAQAAAARzdW1zAAAAAAAAAAU="
    assert OffsetMetadata(1234, {"sums": 5}).text() == with_store


@pytest.mark.parametrize("text", [None, "", "x", "3f2a 17-ab ", "AQ==", "CQAAAAAAAATS"])
def test_of_other_programs_texts_nothing_is_known(text: str | None) -> None:
    assert OffsetMetadata.of_text(text) == OffsetMetadata()


def test_the_first_version_has_a_partition_time_only() -> None:
    assert OffsetMetadata.of_text("AQAAAAAAAATS") == OffsetMetadata(1234)
