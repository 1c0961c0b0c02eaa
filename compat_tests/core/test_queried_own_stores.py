"""Views of stores of users' own classes whose scans answer with lists, generators and the like."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, cast

import pytest

from millstream import ClassCastException, KeyValue
from millstream.core.query.composite import CompositeStore
from millstream.core.query.drained import entries_of
from millstream.core.state import SessionStore, WindowStore


class JavaStyle:
    """An iterator with Java's methods only."""

    def __init__(self, entries: list[Any]) -> None:
        self.entries = [*entries]

    def hasNext(self) -> bool:
        return bool(self.entries)

    def next(self) -> Any:
        return self.entries.pop(0)


def generated(entries: list[Any]) -> Iterator[Any]:
    yield from entries


def store_of(kind: type, answer: Callable[[], Any]) -> Any:
    """Return a store that answers everything so."""
    names = ("all", "fetch", "fetchAll", "findSessions")
    methods: dict[str, Any] = {name: lambda self, *_: answer() for name in names}
    own = cast("Any", type("Own", (kind,), {**methods, "name": lambda self: "own"}))
    own.__abstractmethods__ = frozenset()
    return own()


@pytest.mark.parametrize("form", [list, tuple, generated, iter, JavaStyle])
@pytest.mark.parametrize(
    ("kind", "read", "arguments"),
    [
        (WindowStore, "all", ()),
        (WindowStore, "fetchAll", (0, 9)),
        (WindowStore, "fetch", ("k", 0, 9)),
        (SessionStore, "fetch", ("a", "z")),
        (SessionStore, "findSessions", ("k", 0, 9)),
    ],
)
def test_every_partition_is_read_whatever_a_store_answers_with(
    form: Any, kind: type, read: str, arguments: tuple[Any, ...]
) -> None:
    parts: list[list[Any]] = [[], [KeyValue("a", 1), KeyValue("b", 2)], [KeyValue("c", 3)]]
    stores = [store_of(kind, partial(form, part)) for part in parts]
    view = CompositeStore(lambda: stores)
    assert list(getattr(view, read)(*arguments)) == [KeyValue("a", 1), *parts[1][1:], *parts[2]]


def test_a_window_is_a_value_and_may_be_a_list() -> None:
    stores = [store_of(WindowStore, lambda: None), store_of(WindowStore, lambda: [1, 2])]
    assert CompositeStore(lambda: stores).fetch("k", 5) == [1, 2]


@pytest.mark.parametrize("answer", [5, "ab", {"ab": 1}, ["ab"], [KeyValue("a", 1), 5]])
def test_what_is_no_entries_is_refused(answer: Any) -> None:
    store = store_of(WindowStore, lambda: answer)
    with pytest.raises(ClassCastException, match=r'all\(\) of store "own" returned an? '):
        CompositeStore(lambda: [store]).all()
    with pytest.raises(ClassCastException, match="another iterator of KeyValue"):
        entries_of(answer, "all", store)
