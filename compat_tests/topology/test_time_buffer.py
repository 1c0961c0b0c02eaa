"""The buffer of a stream that waits for a versioned table: what it releases, and from where."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from compat_tests.properties.effort import examples
from compat_tests.topology.driving import TEXT, Row, outputs
from millstream import Consumed, Joined, Materialized, Stores, StreamsBuilder, Topology
from millstream.topology.operators import time_buffer
from millstream.topology.operators.time_buffer import TimeBuffer

READ = Consumed.with_(TEXT, TEXT)
GRACE_MS = 5


def joined() -> Topology:
    history = Stores.persistentVersionedKeyValueStore("rows", 1000)
    kept: Materialized[str, str, Any] = Materialized.as_(history)
    builder = StreamsBuilder()
    table = builder.table("table", READ, kept.withKeySerde(TEXT).withValueSerde(TEXT))
    waits = Joined.with_(TEXT, TEXT, TEXT).withGracePeriod(GRACE_MS)
    stream = builder.stream("stream", READ)
    stream.join(table, lambda left, right: f"{left}{right}", waits).to("out")
    return builder.build()


rows = st.tuples(
    st.sampled_from(["stream", "stream", "table"]),
    st.sampled_from("ab"),
    st.sampled_from("xyz"),
    st.integers(0, 30),
)


@given(st.lists(rows, max_size=30))
@examples(60)
def test_a_release_that_begins_at_the_earliest_record_finds_all(given_rows: list[Row]) -> None:
    found = outputs(joined(), given_rows)

    with patch.object(
        TimeBuffer, "_released", property(lambda _: False, lambda _, value: None), create=True
    ):
        assert outputs(joined(), given_rows) == found


@given(st.lists(rows, max_size=30), st.integers(0, 5))
@examples(100)
def test_it_makes_no_difference_which_records_are_only_in_the_store(
    given_rows: list[Row], most: int
) -> None:
    found = outputs(joined(), given_rows)

    with patch.object(time_buffer, "_MOST_FRESH", most):
        assert outputs(joined(), given_rows) == found


def test_what_has_been_released_is_not_looked_at_again() -> None:
    begins: list[bytes] = []
    init = TimeBuffer.init

    def watched(buffer: TimeBuffer, *arguments: Any) -> None:
        init(buffer, *arguments)
        scan = buffer._store.range

        def noted(first: bytes, last: bytes) -> Any:
            begins.append(first)
            return scan(first, last)

        buffer._store.range = noted

    with patch.object(TimeBuffer, "init", watched), patch.object(time_buffer, "_MOST_FRESH", 0):
        outputs(joined(), [("stream", "a", "x", time) for time in range(0, 60, GRACE_MS + 1)])

    assert begins[0] == b"\0"
    assert begins[1:] == sorted(set(begins[1:]))
    assert all(begin > b"\0" for begin in begins[1:])
