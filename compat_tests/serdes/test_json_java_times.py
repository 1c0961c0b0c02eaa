"""Instants and durations in JSON: written as the datetime and timedelta that they are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

import pytest

from millstream import Duration, Instant, JsonSerde, SerializationException


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
