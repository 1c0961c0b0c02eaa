"""The buffer of a stream that waits for a versioned table: what it releases, and from where."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from compat_tests.properties.effort import examples
from compat_tests.topology.driving import TEXT, Piping, Row, outputs
from millstream import Consumed, Joined, Materialized, Stores, StreamsBuilder, Topology
from millstream.topology.operators import time_buffer
from millstream.topology.operators.time_buffer import TimeBuffer

READ = Consumed.with_(TEXT, TEXT)
GRACE_MS = 5


def joined(grace_ms: int = GRACE_MS) -> Topology:
    history = Stores.persistentVersionedKeyValueStore("rows", 1000)
    kept: Materialized[str, str, Any] = Materialized.as_(history)
    builder = StreamsBuilder()
    table = builder.table("table", READ, kept.withKeySerde(TEXT).withValueSerde(TEXT))
    waits = Joined.with_(TEXT, TEXT, TEXT).withGracePeriod(grace_ms)
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


@given(st.lists(rows, max_size=30), st.integers(0, 5), st.integers(1, 4))
@examples(100)
def test_it_makes_no_difference_which_records_are_only_in_the_store(
    given_rows: list[Row], most: int, ahead: int
) -> None:
    found = outputs(joined(), given_rows)

    with (
        patch.object(time_buffer, "_MOST_FRESH", most),
        patch.object(time_buffer, "_READ_AHEAD", ahead),
    ):
        assert outputs(joined(), given_rows) == found


@contextmanager
def scans_noted() -> Iterator[tuple[list[TimeBuffer], list[bytes]]]:
    """The buffers that are opened meanwhile, and where scans of their stores begin."""
    buffers: list[TimeBuffer] = []
    begins: list[bytes] = []
    init = TimeBuffer.init

    def watched(buffer: TimeBuffer, *arguments: Any) -> None:
        init(buffer, *arguments)
        buffers.append(buffer)
        scan = buffer._store.range

        def noted(first: bytes, last: bytes) -> Any:
            begins.append(first)
            return scan(first, last)

        buffer._store.range = noted

    with patch.object(TimeBuffer, "init", watched):
        yield buffers, begins


def test_what_has_been_released_is_not_looked_at_again() -> None:
    with scans_noted() as (_, begins), patch.object(time_buffer, "_MOST_FRESH", 0):
        outputs(joined(), [("stream", "a", "x", time) for time in range(0, 60, GRACE_MS + 1)])

    assert begins[0] == b"\0"
    assert begins[1:] == sorted(set(begins[1:]))
    assert all(begin > b"\0" for begin in begins[1:])


def test_what_a_former_batch_has_left_is_read_many_records_at_a_time() -> None:
    left, ahead = 40, 10
    with (
        scans_noted() as (buffers, begins),
        patch.object(time_buffer, "_READ_AHEAD", ahead),
        Piping(joined(left)) as driver,
    ):
        driver.pipe("table", "a", "z", 0)
        for time in range(left):
            driver.pipe("stream", "a", "x", time)
        (buffer,) = buffers
        buffer.save()
        begins.clear()
        sent = [driver.pipe("stream", "a", "y", left + time) for time in range(left)]

    assert [len(each) for each in sent] == [1] * left
    # One of each ten, and one that finds no more.
    assert len(begins) <= left // ahead + 1
