"""The lazily ordered map against a dict that is sorted at every read."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from millstream.core.sorted_map import SortedMap

KEYS = st.sampled_from([b"", b"a", b"a\x00", b"b", b"c", b"\xff"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("set"), KEYS),
        st.tuples(st.just("pop"), KEYS),
        st.tuples(st.just("update"), st.sets(KEYS)),
        st.tuples(st.just("read"), st.tuples(st.none() | KEYS, st.none() | KEYS, st.booleans())),
    ),
    max_size=40,
)


@given(steps=STEPS)
def test_ranges_are_those_of_a_sorted_dict(steps: list[tuple[str, Any]]) -> None:
    real: SortedMap[int] = SortedMap()
    model: dict[bytes, int] = {}
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
        else:
            lower, upper, reverse = argument
            inside = [
                key
                for key in sorted(model, reverse=reverse)
                if (lower is None or lower <= key) and (upper is None or key < upper)
            ]
            assert list(real.keys(lower, upper, reverse=reverse)) == inside
        assert real.values == model
        assert len(real) == len(model)
