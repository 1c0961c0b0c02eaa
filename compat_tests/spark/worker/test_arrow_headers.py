"""Headers as columns: read, changed and copied as if they were objects from the start."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from millstream import Header, Headers
from millstream.core.headers import unread
from millstream.topology.spark.arrow_headers import (
    HEADERS,
    ArrowHeaders,
    header_pairs,
    headers_column,
    headers_list,
)

Plain = list[tuple[str, bytes | None]]
Change = Callable[[Headers], object]

names = st.sampled_from(["a", "b", "ä", ""]) | st.text(st.characters(codec="utf-8"), max_size=3)
rows = st.lists(
    st.none() | st.lists(st.tuples(names, st.none() | st.binary(max_size=4)), max_size=4),
    min_size=1,
    max_size=8,
)
CHANGES: list[Change] = [
    lambda headers: headers.add("new", b"1"),
    lambda headers: headers.add("a", None).add("b", b""),
    lambda headers: headers.remove("a"),
    lambda headers: headers.lastHeader("a"),
    lambda headers: headers.lastHeader("b"),
    lambda headers: headers.headers("a"),
    lambda headers: headers.copy().add("lost", b"x"),
    list,
    len,
    bool,
    repr,
]


def sent(column: pa.Array | None) -> list[Plain] | None:
    found = header_pairs(column)
    return None if found is None else list(found)


def objects(plain: list[Plain | None]) -> list[Headers | None]:
    return [Headers(Header(*pair) for pair in each) if each else None for each in plain]


def columns_of(plain: list[Plain | None]) -> pa.Array:
    listed = [[{"key": k, "value": v} for k, v in each or ()] or None for each in plain]
    return pa.array(listed, HEADERS)


def read(plain: list[Plain | None]) -> list[Headers | None]:
    return headers_list(columns_of(plain)) or [None] * len(plain)


def pairs(headers: list[Headers | None]) -> list[Plain]:
    return [[(h.key(), h.value()) for h in each or ()] for each in headers]


@settings(deadline=None)
@given(rows, st.data())
def test_headers_in_columns_are_as_those_in_objects(
    plain: list[Plain | None], data: st.DataObject
) -> None:
    in_columns, expected = read(plain), objects(plain)

    for lazy, eager in zip(in_columns, expected, strict=True):
        assert (lazy is None) == (eager is None)
        if lazy is None or eager is None:
            continue
        for change in data.draw(st.lists(st.sampled_from(CHANGES), max_size=4)):
            assert change(lazy) == change(eager)

    assert pairs(headers_list(headers_column(in_columns)) or [None] * len(plain)) == pairs(expected)
    assert in_columns == expected


@settings(deadline=None)
@given(rows, rows, st.data())
def test_rows_of_several_columns_and_objects_make_one_column(
    one: list[Plain | None], other: list[Plain | None], data: st.DataObject
) -> None:
    every = list(zip([*read(one), *read(other), *objects(one)], [*one, *other, *one], strict=True))
    chosen = data.draw(st.lists(st.sampled_from(every), max_size=12))

    column = headers_column([headers and headers.copy() for headers, _ in chosen])

    expected = [plain or [] for _, plain in chosen]
    if column is None:
        assert not any(expected)
        return
    column.validate(full=True)
    assert column.type == HEADERS
    assert pairs(headers_list(column) or []) == expected
    assert sent(column) == expected
    assert column.null_count == expected.count([])


def test_what_is_passed_on_unread_is_not_made_into_objects() -> None:
    column = columns_of([[("a", b"1"), ("b", None)], None, [("a", b"2")]])
    headers = headers_list(column)
    assert headers is not None
    for each in headers:
        if each:
            each.copy().add("lost", b"")
            each.add("new", b"3")

    passed_on = headers_column(headers)

    assert "pairs" not in vars(unread(headers[0] or Headers())[0] or object())
    assert sent(passed_on) == [
        [("a", b"1"), ("b", None), ("new", b"3")],
        [],
        [("a", b"2"), ("new", b"3")],
    ]


@pytest.mark.parametrize("count", [1, 256, 257])
def test_the_newest_header_is_found_among_any_number_of_names(count: int) -> None:
    plain: Plain = [(f"h{n}", b"%d" % n) for n in range(count)]
    rows = ArrowHeaders(columns_of([[("h0", b"other")], [*plain, ("h0", b"last")], plain]))

    assert rows.last(1, "h0") == Header("h0", b"last")
    assert rows.last(2, "h0") == Header("h0", b"0")
    assert rows.last(2, f"h{count - 1}") == Header(f"h{count - 1}", b"%d" % (count - 1))
    assert rows.last(0, f"h{count}") is None


def test_headers_of_a_part_of_a_column_are_its_own() -> None:
    column = columns_of([[("a", b"1")], [("b", b"2")], None, [("c", None)]]).slice(1, 3)

    assert sent(column) == [[("b", b"2")], [], [("c", None)]]
    assert headers_list(column) == [Headers().add("b", b"2"), None, Headers().add("c", None)]


def test_a_copy_by_pickle_has_no_columns() -> None:
    (headers,) = headers_list(columns_of([[("a", b"1")]])) or [None]

    copied = pickle.loads(pickle.dumps(headers))  # noqa: S301
    assert copied == Headers().add("a", b"1")
    assert unread(copied)[0] is None


def test_the_newest_header_is_found_however_many_names_are_asked_for() -> None:
    names = [f"name {number}" for number in range(60)]
    plain: list[Plain | None] = [
        [(name, b"old"), (name, None if number % 3 else b"%d" % number), ("all", b"")]
        for number, name in enumerate(names)
    ]
    plain.insert(7, None)
    for lazy, eager in zip(read(plain), objects(plain), strict=True):
        if lazy is not None and eager is not None:
            for name in ["all", *names, "none"]:
                assert lazy.lastHeader(name) == eager.lastHeader(name)
