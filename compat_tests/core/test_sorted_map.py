"""The lazily ordered map against a dict that is sorted at every read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st
from sortedcontainers import SortedList

from millstream.core.sorted_map import SortedMap

KEYS = st.sampled_from([b"", b"a", b"a\x00", b"b", b"c", b"\xff"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("set"), KEYS),
        st.tuples(st.just("pop"), KEYS),
        st.tuples(st.just("update"), st.sets(KEYS)),
        st.tuples(st.just("clear"), st.none()),
        st.tuples(st.just("take"), st.integers(0, 2)),
        st.tuples(st.just("drop"), st.none()),
        st.tuples(st.just("open"), st.tuples(st.none() | KEYS, st.none() | KEYS, st.booleans())),
        st.tuples(st.just("read"), st.tuples(st.none() | KEYS, st.none() | KEYS, st.booleans())),
    ),
    max_size=40,
)


@given(steps=STEPS)
def test_ranges_and_snapshots_are_those_of_a_sorted_dict(steps: list[tuple[str, Any]]) -> None:
    real: SortedMap[int] = SortedMap()
    model: dict[bytes, int] = {}
    snapshots: list[tuple[Iterator[Any], list[Any]]] = []
    for number, (verb, argument) in enumerate(steps):
        if verb == "set":
            real.set(argument, number)
            model[argument] = number
        elif verb == "pop":
            real.pop(argument)
            model.pop(argument, None)
        elif verb == "update":
            entries = dict.fromkeys(argument, number)
            real.update(entries)
            model.update(entries)
        elif verb == "clear":
            real.clear()
            model.clear()
        elif verb == "take":
            for found, expected in snapshots[argument:]:
                assert next(found, None) == (expected.pop(0) if expected else None)
        elif verb == "drop":
            snapshots = snapshots[1:]
        else:
            lower, upper, reverse = argument
            inside = [
                key
                for key in sorted(model, reverse=reverse)
                if (lower is None or lower <= key) and (upper is None or key < upper)
            ]
            if verb == "open":
                snapshot = real.snapshot(lower, upper, reverse=reverse)
                snapshots.append((snapshot, [(key, model[key]) for key in inside]))
            else:
                assert list(real.keys(lower, upper, reverse=reverse)) == inside
        assert real.values == model
        assert len(real) == len(model)
    for found, expected in snapshots:
        assert list(found) == expected


def test_the_first_key_is_found_without_passing_those_that_were_removed() -> None:
    keys, passed = SortedMap[int](), [0]
    for number in range(2_000):
        keys.set(b"%05d" % number, number)
    plain = SortedList.irange

    def counted(self: SortedList, *bounds: Any, **options: Any) -> Iterator[bytes]:
        for each in plain(self, *bounds, **options):
            passed[0] += 1
            yield each

    with patch.object(SortedList, "irange", counted):
        for number in range(900):
            first, _ = next(keys.snapshot(None, None))
            last = next(keys.keys(None, None, reverse=True))
            assert (first, last) == (b"%05d" % number, b"%05d" % (1_999 - number))
            keys.pop(first)
            keys.pop(last)
    assert passed[0] <= 4_000
