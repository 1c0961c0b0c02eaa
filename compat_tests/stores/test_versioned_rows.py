"""Rows of old versions: what is added to their bytes is what is added to them."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millstream import Consumed, Materialized, Serdes, Stores, StreamsBuilder, TopologyTestDriver
from millstream.core.errors import ProcessorStateException
from millstream.stores.versioned.rows import Row, held_at, with_newest, with_version

TEXT = Serdes.String()
VALUES = st.none() | st.binary(max_size=3)
STEPS = st.lists(st.tuples(st.integers(0, 3), VALUES), max_size=4)


def row_of(first: int, versions: list[tuple[int, bytes | None]]) -> Row:
    times = list(accumulate((step + 1 for step, _ in versions), initial=first))
    values = (each for _, each in versions)
    return Row(times[-1], list(zip(times, values, strict=False))[::-1])


@given(
    first=st.integers(0, 5),
    versions=STEPS,
    gap=st.integers(-2, 3),
    lasts=st.integers(0, 3),
    value=VALUES,
)
def test_a_newest_version_is_added_to_bytes_as_to_the_row(
    first: int, versions: list[tuple[int, bytes | None]], gap: int, lasts: int, value: bytes | None
) -> None:
    before = row_of(first, versions).to_bytes()
    start = Row.of_bytes(before).next + gap
    added = Row.of_bytes(before)
    added.add_newest(start, start + lasts, value)

    assert with_newest(before, start, start + lasts, value) == added.to_bytes()


def held_in(row: Row, time: int) -> int:
    return next(i for i, (start, _) in enumerate(row.versions) if start <= time)


@given(first=st.integers(0, 5), versions=STEPS.filter(bool))
def test_a_version_is_found_in_bytes_as_in_the_row(
    first: int, versions: list[tuple[int, bytes | None]]
) -> None:
    row = row_of(first, versions)
    data = row.to_bytes()
    for time in range(first, row.next):
        index = held_in(row, time)
        start, value = row.versions[index]
        held = held_at(data, time)
        assert (held.value_in(data), held.start, held.end) == (value, start, row.end_of(index))


@given(first=st.integers(0, 5), versions=STEPS.filter(bool), value=VALUES, instead=st.booleans())
def test_a_late_version_is_added_to_bytes_as_to_the_row(
    first: int, versions: list[tuple[int, bytes | None]], value: bytes | None, instead: bool
) -> None:
    data = row_of(first, versions).to_bytes()
    for time in range(first, row_of(first, versions).next):
        row = row_of(first, versions)
        index = held_in(row, time)
        same = row.versions[index][0] == time
        row.versions[index : index + (instead or same)] = [(time, value)]
        held = held_at(data, time)
        assert with_version(data, held, time, value, instead=instead or same) == row.to_bytes()


@pytest.mark.parametrize("late", [1, 2])
def test_a_late_version_reads_no_older_ones(monkeypatch: pytest.MonkeyPatch, late: int) -> None:
    """A key that is updated often, and not in order, has thousands of versions in a row."""
    store = Stores.inMemoryVersionedKeyValueStore("versions", 1_000_000)
    builder = StreamsBuilder()
    builder.table("in", Consumed.with_(TEXT, TEXT), Materialized.as_(store))
    with TopologyTestDriver(builder.build()) as driver:
        rows = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        for time in range(0, 20, 2):
            rows.pipeInput("k", str(time), time)
        monkeypatch.setattr(Row, "of_bytes", None)
        rows.pipeInput("k", "late", 18 - late)
        versions = driver.getVersionedKeyValueStore("versions")
        found = versions.get("k", 18 - late)
        assert found is not None
        assert found.value() == "late"


@given(data=st.binary(min_size=16, max_size=80), time=st.integers(-3, 3))
def test_other_bytes_are_refused_or_answer(data: bytes, time: int) -> None:
    for read in (partial(held_at, data, time), partial(with_newest, data, time, time + 1, b"v")):
        with suppress(ProcessorStateException):
            read()
