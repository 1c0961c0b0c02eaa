"""Timestamp extractors and client records."""

from __future__ import annotations

import logging
from typing import Any, cast

import pytest

from millstream.core.durations import EPOCH
from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    StreamsException,
)
from millstream.core.headers import Headers
from millstream.core.kafka import ConsumerRecord, ProducerRecord, TimestampType
from millstream.core.records import Record
from millstream.core.timestamps import (
    FailOnInvalidTimestamp,
    LogAndSkipOnInvalidTimestamp,
    OwnTimestamp,
    UsePartitionTimeOnInvalidTimestamp,
    WallclockTimestampExtractor,
)
from millstream.core.windows import SessionWindow, TimeWindow, UnlimitedWindow

WITHOUT_TIME = ConsumerRecord("orders", 1, 5, "k", "v", timestamp=-1)
STOCK = [FailOnInvalidTimestamp, LogAndSkipOnInvalidTimestamp, UsePartitionTimeOnInvalidTimestamp]


@pytest.mark.parametrize("kind", STOCK)
def test_a_valid_timestamp_is_taken(kind: Any) -> None:
    assert kind().extract(ConsumerRecord("orders", 1, 5, "k", "v", timestamp=9), 20) == 9


def test_fail_on_invalid_timestamp() -> None:
    with pytest.raises(StreamsException, match=r"has invalid \(negative\) timestamp"):
        FailOnInvalidTimestamp().extract(WITHOUT_TIME, 7)


def test_a_record_of_a_global_store_without_a_time_of_its_own_fails() -> None:
    assert OwnTimestamp().extract(ConsumerRecord("g", 1, 5, "k", "v", timestamp=9), 20) == 9
    with pytest.raises(StreamsException, match="^Malformed Record") as caught:
        OwnTimestamp().extract(WITHOUT_TIME, 7)
    assert caught.value.detail.startswith("Timestamp may not be negative. Got: -1.")


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


def test_a_consumer_record_without_a_time_has_no_type_of_time() -> None:
    plain = ConsumerRecord("orders", 1, 5, "k", "v")
    assert (plain.timestamp(), plain.timestampType()) == (-1, TimestampType.NO_TIMESTAMP_TYPE)
    timed = ConsumerRecord("orders", 1, 5, "k", "v", timestamp=9)
    assert timed.timestampType() is TimestampType.CREATE_TIME
    appended = ConsumerRecord(
        "orders", 1, 5, "k", "v", timestamp=9, timestampType=TimestampType.LOG_APPEND_TIME
    )
    assert appended.timestampType() is TimestampType.LOG_APPEND_TIME


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


BEYOND = 2**63


@pytest.mark.parametrize(
    "make",
    [
        lambda: Record("k", "v", BEYOND),
        lambda: Record("k", "v", 0).withTimestamp(BEYOND),
        lambda: Record("k", "v", 1e30),  # type: ignore[arg-type]
        lambda: SessionWindow(0, BEYOND),
        lambda: TimeWindow(0, BEYOND),
        lambda: TimeWindow(BEYOND, BEYOND + 1),
        lambda: UnlimitedWindow(BEYOND),
    ],
)
def test_a_time_beyond_64_bits_is_refused_where_it_is_given(make: Any) -> None:
    with pytest.raises(IllegalArgumentException, match="can't be converted to milliseconds"):
        make()


@pytest.mark.parametrize("kind", [SessionWindow, TimeWindow])
@pytest.mark.parametrize("wrong", ["5", [], object(), float("nan")])
def test_a_window_of_no_times_is_refused(kind: Any, wrong: Any) -> None:
    for arguments in ((wrong, 9), (0, wrong)):
        with pytest.raises(ClassCastException, match="Invalid value for parameter"):
            kind(*arguments)
    with pytest.raises(IllegalArgumentException, match='"endMs" \\(value was: null\\)'):
        kind(0, None)


def test_the_times_of_a_window_are_integers_as_those_of_a_record_are() -> None:
    assert SessionWindow(1.5, 9.9) == SessionWindow(1, 9)  # type: ignore[arg-type]
    made = TimeWindow(EPOCH, 10)  # type: ignore[arg-type]
    assert (made, type(made.end())) == (TimeWindow(0, 10), int)


def test_a_kind_of_int_becomes_an_int() -> None:
    """What is stored and compared later is a plain number, whatever was given."""

    class Millis(int): ...

    assert type(Record("k", "v", Millis(5)).timestamp()) is int
    assert type(TimeWindow(Millis(5), 9).start()) is int


def test_a_truth_value_is_no_time() -> None:
    for make in (lambda: Record("k", "v", True), lambda: TimeWindow(True, 9)):
        with pytest.raises(ClassCastException, match="value was: True"):
            make()
