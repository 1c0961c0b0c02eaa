"""Converted rows are those that the new store would have written itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_tests.properties.effort import examples
from compat_tests.stores.context import StoreTestContext
from millstream.core.errors import StreamsException
from millstream.core.headers import Headers
from millstream.core.serdes import Serdes
from millstream.core.state import (
    AggregationWithHeaders,
    DslSessionParams,
    DslStoreFormat,
    DslWindowParams,
    TimestampedKeyValueStore,
    TimestampedKeyValueStoreWithHeaders,
    ValueAndTimestamp,
    ValueTimestampHeaders,
)
from millstream.core.windows import EmitStrategy, SessionWindow, Windowed
from millstream.plugins.registry import store_kinds
from millstream.stores import Stores
from millstream.topology.spark.checkpoint.store_notes import _note
from millstream.topology.spark.evolution.differences import differences

TEXT = Serdes.String()
CLOSE = EmitStrategy.onWindowClose()
Put = tuple[str, int, str]
PUTS = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 400_000), st.text("xyz", max_size=3))
)


def note(builder: Any) -> Any:
    return _note("s", builder, {}, {"key": TEXT, "value": TEXT})


def opened(builder: Any, context: StoreTestContext) -> Any:
    store = builder.withLoggingDisabled().build()
    store.init(context, store)
    return store


def rows(context: StoreTestContext) -> tuple[list[bytes], list[bytes]]:
    found = list(context.copies["s"].scan(None, None))
    return [key for key, _ in found], [value for _, value in found]


def window(retention: int, *, headers: bool = False, emit: Any = None) -> Any:
    form = DslStoreFormat.HEADERS if headers else DslStoreFormat.TIMESTAMPED
    params = DslWindowParams("s", retention, 1000, emitStrategy=emit, dslStoreFormat=form)
    make = (
        Stores.timestampedWindowStoreWithHeadersBuilder
        if headers
        else Stores.timestampedWindowStoreBuilder
    )
    return make(store_kinds().dsl_suppliers("rocksDB").windowStore(params), TEXT, TEXT)


def put_windows(store: Any, puts: list[Put]) -> None:
    for key, time, value in puts:
        cell: Any = ValueAndTimestamp.make(value, time)
        if "Headers" in type(store).__name__:
            cell = ValueTimestampHeaders.make(value, time, None)
        store.put(key, cell, time)


def session(retention: int, *, headers: bool = False, emit: Any = None) -> Any:
    form = DslStoreFormat.HEADERS if headers else DslStoreFormat.PLAIN
    params = DslSessionParams("s", retention, emitStrategy=emit, storeFormat=form)
    make = Stores.sessionStoreWithHeadersBuilder if headers else Stores.sessionStoreBuilder
    return make(store_kinds().dsl_suppliers("rocksDB").sessionStore(params), TEXT, TEXT)


def put_sessions(store: Any, puts: list[Put]) -> None:
    for key, time, value in puts:
        cell: Any = value
        if "Headers" in type(store).__name__:
            cell = AggregationWithHeaders.make(value, Headers())
        store.put(Windowed(key, SessionWindow(time // 2, time)), cell)


def keyed(store: Any, supplier: Any) -> Any:
    return store_kinds().builder(store, supplier, TEXT, TEXT)


def put_keyed(store: Any, puts: list[Put]) -> None:
    for key, time, value in puts:
        if "Headers" in type(store).__name__:
            store.put(key, ValueTimestampHeaders.make(value, time, None))
        else:
            store.put(key, ValueAndTimestamp.make(value, time))


LONG_AGO, LONGER = 500_000, 3_000_000
CHANGES: dict[str, tuple[Callable[[], Any], Callable[[], Any], Any, tuple[str, ...]]] = {
    "windows kept longer": (
        lambda: window(LONG_AGO),
        lambda: window(LONGER),
        put_windows,
        ("segments",),
    ),
    "windows emitted on close": (
        lambda: window(LONG_AGO),
        lambda: window(LONG_AGO, emit=CLOSE),
        put_windows,
        ("order",),
    ),
    "windows emitted on update, kept longer": (
        lambda: window(LONG_AGO, emit=CLOSE),
        lambda: window(LONGER),
        put_windows,
        ("segments", "order"),
    ),
    "sessions kept longer": (
        lambda: session(LONG_AGO),
        lambda: session(LONGER),
        put_sessions,
        ("segments",),
    ),
    "sessions emitted on close, kept longer": (
        lambda: session(LONG_AGO),
        lambda: session(LONGER, emit=CLOSE),
        put_sessions,
        ("segments", "order"),
    ),
    "sessions with headers": (
        lambda: session(LONG_AGO),
        lambda: session(LONGER, headers=True),
        put_sessions,
        ("headers", "segments"),
    ),
    "windows with headers": (
        lambda: window(LONG_AGO),
        lambda: window(LONGER, headers=True),
        put_windows,
        ("headers", "segments"),
    ),
    "rows with headers": (
        lambda: keyed(TimestampedKeyValueStore, Stores.persistentTimestampedKeyValueStore("s")),
        lambda: keyed(
            TimestampedKeyValueStoreWithHeaders,
            Stores.persistentTimestampedKeyValueStoreWithHeaders("s"),
        ),
        put_keyed,
        ("headers",),
    ),
}


@pytest.mark.parametrize("change", CHANGES)
@examples(40)
@given(puts=PUTS)
def test_rows_are_as_if_the_new_store_had_written_them(change: str, puts: list[Put]) -> None:
    before, after, put, names = CHANGES[change]
    with TemporaryDirectory() as one, TemporaryDirectory() as other:
        old, new = StoreTestContext(Path(one)), StoreTestContext(Path(other))
        put(opened(before(), old), puts)
        put(opened(after(), new), puts)
        found = tuple(each.conversion for each in differences(note(before()), note(after())))
        assert sorted(found) == sorted(names)
        convert = store_kinds().row_conversion("s", names, note(before()), note(after()))
        converted = dict(zip(*convert(*rows(old)), strict=True))
        assert converted == dict(zip(*rows(new), strict=True))


def test_plain_values_get_a_time_that_is_unknown_or_none_at_all() -> None:
    before = note(keyed(TimestampedKeyValueStore, Stores.persistentKeyValueStore("s")))
    stamped = note(keyed(TimestampedKeyValueStore, Stores.persistentTimestampedKeyValueStore("s")))
    convert = store_kinds().row_conversion("s", ("times",), before, stamped)
    assert convert([b"k"], [b"v"]) == ([b"k"], [b"\xff" * 8 + b"v"])
    headed = note(
        keyed(
            TimestampedKeyValueStoreWithHeaders,
            Stores.persistentTimestampedKeyValueStoreWithHeaders("s"),
        )
    )
    convert = store_kinds().row_conversion("s", ("headers",), before, headed)
    assert convert([b"k"], [b"v"]) == ([b"k"], [b"\0" + b"\xff" * 8 + b"v"])


def test_a_users_function_is_given_plain_values() -> None:
    stamped = note(window(LONG_AGO))
    for after, start in ((stamped, b"12345678"), (note(window(LONG_AGO, headers=True)), None)):
        names = ("word",) if start else ("headers", "word")
        convert = store_kinds().row_conversion("s", names, stamped, after, bytes.upper)
        keys = [bytes(20), b"\xffmeta"]
        kept = b"12345678" if start else b"\x0012345678"
        assert convert(keys, [b"12345678ab", b"ab"]) == (keys, [kept + b"AB", b"ab"])


def test_a_function_that_fails_is_told_with_store_and_row() -> None:
    stamped = note(window(LONG_AGO))
    failing: list[Any] = [len, lambda value: value / 0]
    for word in failing:
        convert = store_kinds().row_conversion("s", ("word",), stamped, stamped, word)
        with pytest.raises(StreamsException, match='for store "s" failed') as failure:
            convert([bytes(20)], [bytes(9)])
        assert f"0x{'00' * 20}" in failure.value.detail
