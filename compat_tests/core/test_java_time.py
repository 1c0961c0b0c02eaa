"""Duration and Instant."""

import copy
import pickle
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millstream import (
    ChronoUnit,
    ClassCastException,
    Duration,
    IllegalArgumentException,
    Instant,
    JoinWindows,
    TestRecord,
    TimeWindow,
    TimeWindows,
    WindowKeyQuery,
)
from millstream.core.durations import to_epoch_millis, to_millis

MILLIS = st.integers(-62_135_596_800_000, 253_402_300_799_999)


@given(MILLIS)
def test_an_instant_keeps_its_milliseconds(millis: int) -> None:
    instant = Instant.ofEpochMilli(millis)
    assert instant.toEpochMilli() == millis
    assert pickle.loads(pickle.dumps(instant)) == instant
    assert type(pickle.loads(pickle.dumps(instant))) is Instant


@given(st.integers(-(10**14), 10**14))
def test_a_duration_keeps_its_milliseconds(millis: int) -> None:
    assert Duration.ofMillis(millis).toMillis() == millis
    assert Duration.ofMillis(millis).negated().toMillis() == -millis


def test_windows_take_them() -> None:
    assert TimeWindows.ofSizeWithNoGrace(Duration.ofMinutes(1)).size() == 60_000
    windows = JoinWindows.ofTimeDifferenceWithNoGrace(timedelta(seconds=1))
    assert windows.after(Duration.ZERO).afterMs == 0


def test_each_unit() -> None:
    day = Duration.ofDays(1)
    assert day == Duration.ofHours(24) == Duration.ofMinutes(1440) == Duration.ofSeconds(86_400)
    assert (day.toHours(), day.toMinutes(), day.toSeconds(), day.toDays()) == (24, 1440, 86_400, 1)
    assert day.plusMillis(5).minus(Duration.ofMillis(5)).multipliedBy(2).dividedBy(2) == day
    assert Duration.between(Instant.EPOCH, Instant.ofEpochSecond(60)) == Duration.ofMinutes(1)
    assert Duration.ofMillis(-1_500).isNegative()
    assert not Duration.ofMillis(-1_500).isZero()
    assert Duration.ofMillis(-1_500).toSeconds() == -2, "Java rounds seconds down"


def test_an_instant_is_in_utc() -> None:
    east = timezone(timedelta(hours=2))
    assert Instant.now().tzinfo is timezone.utc
    assert Instant.now(east).tzinfo is timezone.utc
    assert Instant.of_datetime(datetime(1970, 1, 1, 2, tzinfo=east)) == Instant.EPOCH
    assert Instant.EPOCH.plusSeconds(2).minusMillis(500).isAfter(Instant.ofEpochMilli(1_499))
    assert Instant.parse("2024-05-01T12:00:00.5Z").isBefore(Instant.parse("2024-05-01T12:00:01Z"))


@pytest.mark.parametrize("value", [1.5, "1", None, True])
def test_other_than_integers_is_refused(value: Any) -> None:
    with pytest.raises(ClassCastException, match="cannot be"):
        Duration.ofMillis(value)
    with pytest.raises(ClassCastException, match="cannot be"):
        Instant.ofEpochMilli(value)


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(IllegalArgumentException, match="no time zone"):
        Instant.of_datetime(datetime(2024, 1, 1))
    with pytest.raises(IllegalArgumentException, match="not an instant"):
        Instant.parse("yesterday")
    with pytest.raises(IllegalArgumentException, match="no time zone"):
        Instant.parse("2024-05-01T12:00:00")


def test_what_the_library_returns_as_a_time_has_javas_methods() -> None:
    window = TimeWindow(0, 2**63 - 1)
    assert window.startTime().toEpochMilli() == 0
    assert window.endTime().isAfter(Instant.parse("9999-12-31T23:59:59Z"))
    assert TestRecord("value", recordTime=1_500).getRecordTime() == Instant.ofEpochMilli(1_500)
    assert WindowKeyQuery.withKeyAndWindowStartRange("k", 5, 6).getTimeFrom() == Instant(
        1970, 1, 1, 0, 0, 0, 5_000, timezone.utc
    )


@pytest.mark.parametrize(
    ("millis", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (500, "1970-01-01T00:00:00.500Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (-62_135_596_800_000, "0001-01-01T00:00:00Z"),
    ],
)
def test_the_text_of_an_instant_is_javas(millis: int, text: str) -> None:
    instant = Instant.ofEpochMilli(millis)
    assert instant.toString() == str(instant) == f"{instant}" == text
    assert TimeWindow(max(millis, 0), 10**12).startTime().toString().endswith("Z")


@pytest.mark.parametrize(
    ("millis", "text"),
    [(0, "PT0S"), (300_000, "PT5M"), (90_061_001, "PT25H1M1.001S"), (-1_500, "PT-1.5S")],
)
def test_the_text_of_a_duration_is_javas(millis: int, text: str) -> None:
    duration = Duration.ofMillis(millis)
    assert duration.toString() == str(duration) == f"{duration}" == text


def test_texts_have_microseconds() -> None:
    assert str(Instant.EPOCH.plus(timedelta(microseconds=7))) == "1970-01-01T00:00:00.000007Z"
    assert str(Duration(microseconds=7)) == "PT0.000007S"


LONGS = st.integers(-(2**63), 2**63 - 1)


@given(LONGS)
def test_any_long_is_a_duration_and_an_instant(millis: int) -> None:
    for made in (Duration.ofMillis(millis), pickle.loads(pickle.dumps(Duration.ofMillis(millis)))):
        assert made.toMillis() == to_millis(made, "x") == millis
    instant = Instant.ofEpochMilli(millis)
    for each in (instant, pickle.loads(pickle.dumps(instant)), copy.deepcopy(instant)):
        assert each.toEpochMilli() == to_epoch_millis(each, "x") == millis


def test_what_python_cannot_hold_counts_on() -> None:
    longest, last = Duration.ofMillis(2**63 - 1), Instant.ofEpochMilli(2**63 - 1)
    assert str(longest) == "PT2562047788015H12M55.807S"
    assert str(last) == "+292278994-08-17T07:12:55.807Z"
    assert longest.minus(Duration.ofMillis(7)).toMillis() == 2**63 - 8
    assert longest.negated().plusMillis(-1).toMillis() == -(2**63)
    assert longest.dividedBy(2**40).toMillis() == 2**23 - 1
    assert Duration.ofDays(10**9).multipliedBy(2).toDays() == 2 * 10**9
    assert (longest.toSeconds(), longest.toHours()) == (9223372036854775, 2562047788015)
    assert last.minusMillis(2**63 - 1) == Instant.EPOCH
    assert Instant.EPOCH.plus(longest).isAfter(last.minusMillis(1))
    assert last.minusMillis(1).isBefore(last)
    assert Duration.between(Instant.EPOCH, last).toMillis() == 2**63 - 1
    for call in (lambda: longest.plusMillis(1), lambda: last.plusSeconds(1)):
        with pytest.raises(IllegalArgumentException, match="too many for an? "):
            call()


def test_a_grace_without_end_and_all_windows_of_a_key() -> None:
    forever = Duration.ofMillis(2**63 - 1)
    assert TimeWindows.ofSizeAndGrace(Duration.ofMillis(5), forever).gracePeriodMs() == 2**63 - 1
    last = Instant.EPOCH.plus(forever)
    query = WindowKeyQuery.withKeyAndWindowStartRange("a", Instant.EPOCH, last)
    assert str(query.getTimeTo()) == str(last)
    assert to_epoch_millis(last, "x") == 2**63 - 1


def test_durations_of_and_in_each_unit_of_java() -> None:
    """What Java 17 answers to the same calls; below a microsecond it has more digits."""
    assert Duration.ofNanos(1_999).toNanos() == 1_000, "a timedelta counts microseconds"
    assert Duration.ofNanos(-1).toMillis() == 0
    assert str(Duration.of(5, ChronoUnit.HALF_DAYS)) == "PT60H"
    assert str(Duration.of(5, ChronoUnit.MICROS)) == "PT0.000005S"
    assert Duration.of(2**62, ChronoUnit.MILLIS).toMillis() == 2**62
    for text in ("PT1H30M5.5S", "PT-1S", "PT22H", "PT-1H-1M-0.000001S"):
        assert str(Duration.parse(text)) == text
    assert str(Duration.parse("-PT1S")) == "PT-1S"
    assert str(Duration.parse("p1dt-2h")) == "PT22H"
    assert str(Duration.parse("PT-0.5S")) == "PT-0.5S"
    assert str(Duration.ofMillis(-1_500).abs()) == "PT1.5S"
    assert Duration.ofHours(-1).dividedBy(Duration.ofMinutes(7)) == -8
    assert Duration.ofMillis(-1_000).dividedBy(3).toMillis() == -333
    assert str(Duration.ofMillis(90_061).truncatedTo(ChronoUnit.MINUTES)) == "PT1M"
    assert str(Duration.ofMillis(-90_061).truncatedTo(ChronoUnit.MINUTES)) == "PT-1M"
    assert str(Duration.ofMillis(1).minus(2, ChronoUnit.HOURS)) == "PT-1H-59M-59.999S"
    moved = Duration.ZERO.plusDays(1).plusHours(2).plusMinutes(3).plusSeconds(4).plusMillis(5)
    assert moved.plusNanos(6_000).toNanos() == 93_784_005_006_000
    back = moved.minusDays(1).minusHours(2).minusMinutes(3).minusSeconds(4).minusMillis(5)
    assert back.minusNanos(-1_000).isPositive()
    assert [Duration.ofMillis(5).compareTo(timedelta(milliseconds=n)) for n in (4, 5, 6)] == [
        1,
        0,
        -1,
    ]
    assert ChronoUnit.DAYS.getDuration() == Duration.ofDays(1)


def test_instants_in_units_and_without_end() -> None:
    """What Java 17 answers to the same calls."""
    before = Instant.ofEpochMilli(-1)
    assert str(before.truncatedTo(ChronoUnit.HOURS)) == "1969-12-31T23:00:00Z"
    assert str(Instant.ofEpochMilli(90_061_001).truncatedTo(ChronoUnit.DAYS)) == (
        "1970-01-02T00:00:00Z"
    )
    assert before.truncatedTo(ChronoUnit.MICROS) == before
    assert str(Instant.EPOCH.minus(1, ChronoUnit.DAYS)) == "1969-12-31T00:00:00Z"
    assert str(Instant.EPOCH.plus(1, ChronoUnit.HALF_DAYS)) == "1970-01-01T12:00:00Z"
    assert Instant.EPOCH.until(Instant.ofEpochMilli(-90_061_001), ChronoUnit.HOURS) == -25
    assert ChronoUnit.MINUTES.between(Instant.EPOCH, Instant.ofEpochMilli(-90_061_001)) == -1_501
    assert str(Instant.ofEpochSecond(1, 5_000_000)) == "1970-01-01T00:00:01.005Z"
    assert before.getNano() == 999_000_000
    assert before.plusNanos(1_000_000) == Instant.EPOCH == before.minusNanos(-1_000_000)
    for last in (Instant.MAX, pickle.loads(pickle.dumps(Instant.MAX)), copy.copy(Instant.MAX)):
        assert last.isAfter(Instant.ofEpochMilli(2**63 - 1))
        assert last.getEpochSecond() == 31_556_889_864_403_199
        assert Instant.MIN.isBefore(last)
        assert last.compareTo(Instant.MAX) == 0
    assert Instant.MIN.getEpochSecond() == -31_557_014_167_219_200
    assert str(Instant.MAX).startswith("+1000000000-12-31T23:59:59.999")
    assert str(Instant.MIN) == "-1000000000-01-01T00:00:00Z"


def test_too_long_for_a_number_or_for_kafka() -> None:
    with pytest.raises(IllegalArgumentException, match="nanoseconds are too many for a number"):
        Duration.ofDays(1_000_000).toNanos()
    for far in (Instant.MAX, Instant.MIN):
        with pytest.raises(IllegalArgumentException, match="It can't be converted to milliseconds"):
            far.toEpochMilli()
        with pytest.raises(IllegalArgumentException, match="It can't be converted to milliseconds"):
            WindowKeyQuery.withKeyAndWindowStartRange("a", Instant.EPOCH, far)


@pytest.mark.parametrize("text", ["1h", "P", "PT", "P1DT", "PT.5S", "", None])
def test_what_is_no_duration_is_refused(text: Any) -> None:
    with pytest.raises(IllegalArgumentException, match="is not a duration"):
        Duration.parse(text)


def test_a_number_needs_a_unit() -> None:
    amount: Any = 5
    receivers: tuple[Any, ...] = (Duration.ZERO, Instant.EPOCH)
    for receiver in receivers:
        for call in (receiver.plus, receiver.minus):
            with pytest.raises(ClassCastException, match="duration cannot be") as caught:
                call(amount)
            assert "ChronoUnit.MINUTES" in caught.value.hint
        with pytest.raises(ClassCastException, match="unit cannot be"):
            receiver.truncatedTo(amount)
