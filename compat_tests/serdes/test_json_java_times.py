"""Instants and durations in JSON: written as the datetime and timedelta that they are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from typing import Any

import pandas as pd
import pytest

from millstream import Duration, Instant, JsonSerde, SerializationException
from millstream.core.serdes import json_typed


@dataclass
class Visit:
    begin: Instant
    length: Duration | None = None


@dataclass
class PlainVisit:
    begin: datetime
    length: timedelta | None = None


VISIT = Visit(Instant.ofEpochMilli(1_500), Duration.ofMinutes(90))
BYTES = b'{"begin":"1970-01-01T00:00:01.500000Z","length":"PT5400S"}'


def test_what_is_read_equals_what_was_written() -> None:
    serde = JsonSerde.of(Visit)
    assert serde.serializer().serialize("visits", VISIT) == BYTES
    found = serde.deserializer().deserialize("visits", BYTES)
    assert found == VISIT
    assert found.begin.toEpochMilli() == 1_500
    assert found.length is not None
    assert found.length.toMinutes() == 90


def test_the_library_s_times_fit_into_fields_of_python_s() -> None:
    given = PlainVisit(VISIT.begin, VISIT.length)
    serde = JsonSerde.of(PlainVisit)
    assert serde.serializer().serialize("visits", given) == BYTES
    assert serde.deserializer().deserialize("visits", BYTES) == PlainVisit(
        datetime(1970, 1, 1, 0, 0, 1, 500_000, timezone.utc), timedelta(minutes=90)
    )


@pytest.mark.parametrize("kind", [Instant, Duration])
def test_a_time_may_be_the_whole_value(kind: type) -> None:
    value: Instant | Duration | None = VISIT.begin if kind is Instant else VISIT.length
    serde: JsonSerde[Instant | Duration] = JsonSerde.of(kind)
    data = serde.serializer().serialize("times", value)
    found = serde.deserializer().deserialize("times", data)
    assert found == value
    assert type(found) is kind


def test_times_that_python_has_not_are_refused() -> None:
    far = Visit(Instant.ofEpochMilli(2**60))
    with pytest.raises(SerializationException) as raised:
        JsonSerde.of(Visit).serializer().serialize("visits", far)
    assert "beyond the times that Python has" in str(raised.value)
    with pytest.raises(SerializationException):
        JsonSerde.of(Visit).deserializer().deserialize("visits", b'{"begin":"1970-01-01T00:00:01"}')


class OtherDatetime(datetime):
    """As freezegun's, pandas' and pendulum's."""


class OtherDate(date):
    pass


class OtherTimedelta(timedelta):
    pass


@dataclass
class Times:
    at: datetime
    day: date
    long: timedelta
    until: Instant


TIMES = Times(
    OtherDatetime(2024, 5, 5, 10, tzinfo=timezone.utc),
    OtherDate(2024, 5, 5),
    OtherTimedelta(seconds=5),
    Instant.ofEpochMilli(5),
)


def test_times_of_subclasses_are_written_as_pythons_own(monkeypatch: pytest.MonkeyPatch) -> None:
    serde = JsonSerde.of(Times)
    # What freezegun does while the time is frozen.
    for name, other in (("datetime", OtherDatetime), ("date", OtherDate)):
        monkeypatch.setattr(json_typed, name, other)
    data = serde.serializer().serialize("t", TIMES)
    assert data == (
        b'{"at":"2024-05-05T10:00:00Z","day":"2024-05-05","long":"PT5S",'
        b'"until":"1970-01-01T00:00:00.005000Z"}'
    )
    assert serde.deserializer().deserialize("t", data) == TIMES


@pytest.mark.parametrize(
    ("kind", "value", "why"),
    [
        (datetime, pd.Timestamp(1, unit="ns", tz="UTC"), "finer than the times of Python"),
        (timedelta, pd.Timedelta(1, unit="ns"), "finer than the times of Python"),
        (datetime, pd.NaT, "NaT"),
    ],
)
def test_times_of_pandas_that_python_has_not_are_refused(kind: Any, value: Any, why: str) -> None:
    with pytest.raises(SerializationException) as caught:
        JsonSerde.of(kind).serializer().serialize("t", value)
    assert why in caught.value.detail
