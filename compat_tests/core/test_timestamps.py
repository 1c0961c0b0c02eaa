"""Timestamp extractors and client records."""

from __future__ import annotations

import logging
from typing import Any, cast

import pytest

from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    StreamsException,
)
from millstream.core.headers import Headers
from millstream.core.kafka import ConsumerRecord, ProducerRecord
from millstream.core.timestamps import (
    FailOnInvalidTimestamp,
    LogAndSkipOnInvalidTimestamp,
    UsePartitionTimeOnInvalidTimestamp,
    WallclockTimestampExtractor,
)

WITHOUT_TIME = ConsumerRecord("orders", 1, 5, "k", "v", timestamp=-1)
STOCK = [FailOnInvalidTimestamp, LogAndSkipOnInvalidTimestamp, UsePartitionTimeOnInvalidTimestamp]


@pytest.mark.parametrize("kind", STOCK)
def test_a_valid_timestamp_is_taken(kind: Any) -> None:
    assert kind().extract(ConsumerRecord("orders", 1, 5, "k", "v", timestamp=9), 20) == 9


def test_fail_on_invalid_timestamp() -> None:
    with pytest.raises(StreamsException, match=r"has invalid \(negative\) timestamp"):
        FailOnInvalidTimestamp().extract(WITHOUT_TIME, 7)


def test_log_and_skip(caplog: Any) -> None:
    with caplog.at_level(logging.WARNING):
        assert LogAndSkipOnInvalidTimestamp().extract(WITHOUT_TIME, 7) == -1
    assert "topic=orders partition=1 offset=5" in caplog.text


def test_use_partition_time() -> None:
    assert UsePartitionTimeOnInvalidTimestamp().extract(WITHOUT_TIME, 7) == 7
    with pytest.raises(StreamsException, match="because partition time is unknown"):
        UsePartitionTimeOnInvalidTimestamp().extract(WITHOUT_TIME, -1)


def test_wall_clock_ignores_the_record() -> None:
    assert WallclockTimestampExtractor().extract(WITHOUT_TIME, 7) > 1_600_000_000_000


@pytest.mark.parametrize(
    ("arguments", "fields"),
    [
        (("t", "v"), ("t", None, None, None, "v")),
        (("t", "k", "v"), ("t", None, None, "k", "v")),
        (("t", 1, "k", "v"), ("t", 1, None, "k", "v")),
        (("t", 1, 5, "k", "v"), ("t", 1, 5, "k", "v")),
        (("t", 1, "k", "v", Headers()), ("t", 1, None, "k", "v")),
        (("t", 1, 5, "k", "v", Headers()), ("t", 1, 5, "k", "v")),
    ],
)
def test_producer_records_take_javas_shapes(arguments: Any, fields: Any) -> None:
    record = ProducerRecord(*arguments)
    assert (
        record.topic(),
        record.partition(),
        record.timestamp(),
        record.key(),
        record.value(),
    ) == fields


def test_producer_records_take_keywords_and_refuse_others() -> None:
    assert ProducerRecord("t", value="v", key="k") == ProducerRecord("t", "k", "v")
    with pytest.raises(ClassCastException, match="does not take valeu"):
        ProducerRecord("t", **cast(Any, {"valeu": "v"}))
    with pytest.raises(IllegalArgumentException, match="Invalid partition: -1"):
        ProducerRecord("t", -1, "k", "v")
    with pytest.raises(IllegalArgumentException, match="Topic cannot be null"):
        ProducerRecord(cast(Any, None), "v")


def test_producer_records_copy_their_headers() -> None:
    headers = Headers().add("a", b"1")
    record = ProducerRecord("t", None, "k", "v", headers)
    headers.add("b", b"2")
    assert record.headers() == Headers().add("a", b"1")
