"""Rows of old versions: what is added to their bytes is what is added to them."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from millstream.core.errors import ProcessorStateException
from millstream.stores.versioned.rows import Row, version_at, with_newest

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


@given(first=st.integers(0, 5), versions=STEPS.filter(bool))
def test_a_version_is_found_in_bytes_as_in_the_row(
    first: int, versions: list[tuple[int, bytes | None]]
) -> None:
    row = row_of(first, versions)
    for time in range(first, row.next):
        index = row.find(time)
        start, value = row.versions[index]
        assert version_at(row.to_bytes(), time) == (value, start, row.end_of(index))


@given(data=st.binary(min_size=16, max_size=80), time=st.integers(-3, 3))
def test_other_bytes_are_refused_or_answer(data: bytes, time: int) -> None:
    for read in (partial(version_at, data, time), partial(with_newest, data, time, time + 1, b"v")):
        with suppress(ProcessorStateException):
            read()
