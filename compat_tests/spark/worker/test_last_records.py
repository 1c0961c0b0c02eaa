"""Where caches hold all updates of tables back, only the last of each key is looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.topology.running import new_task
from millstream import (
    Consumed,
    Joined,
    JoinWindows,
    Materialized,
    Produced,
    Serdes,
    StreamJoined,
    StreamsBuilder,
    Topology,
)
from millstream.core.chunk import LastOfEachKey, RawChunk
from millstream.core.engine.output import Sent
from millstream.core.engine.shortcuts.last_records import LastRecords
from millstream.core.errors import StreamsException
from millstream.core.metrics.measured import NULL_BYTES, measured
from millstream.core.serdes import StringDeserializer
from millstream.topology.spark.worker.last_records import last_of_each_key

TEXT = Serdes.String()
AMPLE, TIGHT, NONE = 1 << 20, 3_000, 0
TOPICS = ("left", "right")

Row = tuple[bytes | None, bytes | None, int]
"""Key, value and timestamp."""


def columns(first: int, rows: Sequence[Row]) -> dict[str, pa.Array]:
    keys, values, times = map(list, zip(*rows, strict=True))
    return {
        "offsets": pa.array(range(first, first + len(rows)), pa.int64()),
        "timestamps": pa.array(times, pa.int64()),
        "keys": pa.array(keys, pa.binary()),
        "values": pa.array(values, pa.binary()),
    }


def chunks(first: int, rows: Sequence[Row]) -> list[dict[str, pa.Array]]:
    """Return the rows in chunks of seven."""
    return [columns(first + at, rows[at : at + 7]) for at in range(0, len(rows), 7)]


def test_the_last_record_of_each_key_stays_in_the_order_of_offsets() -> None:
    keys = [b"a", b"b", b"c"] * 5 + [b"b"]
    rows = [(key, b"%d" % number, number) for number, key in enumerate(keys)]

    run = last_of_each_key("in", 3, chunks(100, rows))

    assert run is not None
    assert (run.last.topic, run.last.partition) == ("in", 3)
    assert run.last.keys == [b"a", b"c", b"b"]
    assert run.last.values == [b"12", b"14", b"15"]
    assert run.last.timestamps == [12, 14, 15]
    assert run.last.offsets == [112, 114, 115]
    assert (run.count, run.in_order, run.longest) == (16, True, 2)
    assert (run.least_ms, run.latest_ms, run.latest) == (0, 15, [12, 14, 15])
    assert (run.counts, run.has_nulls) == ([5, 5, 6], False)
    values, times = [row[1] for row in rows], [row[2] for row in rows]
    assert run.last.measured == measured("in", keys, values, times, None, null_bytes=NULL_BYTES)


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([(None, b"v", 1)] * 8, id="null key"),
        pytest.param([(b"%d" % n, b"v", 1) for n in range(8)], id="nothing to leave out"),
    ],
)
def test_all_records_are_kept_where_skipping_would_show_or_save_nothing(rows: list[Row]) -> None:
    assert last_of_each_key("in", 0, chunks(0, rows)) is None


def test_records_with_headers_are_all_looked_at() -> None:
    (only,) = chunks(0, [(b"k", b"v", 1)] * 7)
    headers = pa.array([[{"key": "h", "value": b"1"}]] + [None] * 6)

    assert last_of_each_key("in", 0, [only | {"headers": headers}]) is None


def test_a_run_that_goes_back_in_time_is_not_in_order() -> None:
    rows = [(b"k", b"v", time) for time in (1, 2, 1, 3, 3)]

    run = last_of_each_key("in", 0, chunks(0, rows))

    assert run is not None
    assert not run.in_order


def test_each_key_has_the_largest_time_of_its_records() -> None:
    times = [5, 9, 7, 2, 8, 1, 3, 3]
    rows = [(b"ab"[n % 2 : n % 2 + 1], b"v", time) for n, time in enumerate(times)]

    run = last_of_each_key("in", 0, chunks(0, rows))

    assert run is not None
    assert (run.last.keys, run.last.timestamps, run.latest) == ([b"a", b"b"], [3, 3], [8, 9])
    assert (run.least_ms, run.latest_ms) == (1, 9)


def tables(build: Callable[[Any, Any], Any]) -> Callable[[], Topology]:
    def topology() -> Topology:
        builder = StreamsBuilder()
        left, right = (builder.table(topic, Consumed.with_(TEXT, TEXT)) for topic in TOPICS)
        build(left, right).toStream().to("out", Produced.with_(TEXT, TEXT))
        return builder.build()

    return topology


def both(left: str | None, right: str | None) -> str:
    return f"{left}+{right}"


def streams() -> Topology:
    builder = StreamsBuilder()
    left, right = (builder.stream(topic, Consumed.with_(TEXT, TEXT)) for topic in TOPICS)
    windows = JoinWindows.ofTimeDifferenceWithNoGrace(5)
    left.join(right, both, windows, StreamJoined.with_(TEXT, TEXT, TEXT)).to(
        "out", Produced.with_(TEXT, TEXT)
    )
    return builder.build()


def with_a_table() -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("left", Consumed.with_(TEXT, TEXT))
    table = builder.table("right", Consumed.with_(TEXT, TEXT))
    stream.join(table, both, Joined.with_(TEXT, TEXT, TEXT)).to("out", Produced.with_(TEXT, TEXT))
    return builder.build()


def counts(stored: Any = None) -> Callable[[], Topology]:
    def topology() -> Topology:
        builder = StreamsBuilder()
        numbers = []
        for topic in TOPICS:
            grouped = builder.stream(topic, Consumed.with_(TEXT, TEXT)).groupByKey()
            numbers.append(grouped.count() if stored is None else grouped.count(stored))
            numbers[-1].toStream().to(f"of-{topic}", Produced.with_(TEXT, Serdes.Long()))
        both = numbers[0].join(numbers[1], lambda one, other: f"{one}+{other}")
        both.toStream().to("out", Produced.with_(TEXT, TEXT))
        return builder.build()

    return topology


TOPOLOGIES: dict[str, Callable[[], Topology]] = {
    "join": tables(lambda left, right: left.join(right, both)),
    "outerJoin": tables(lambda left, right: left.outerJoin(right, both)),
    "filtered join": tables(
        lambda left, right: left.filter(lambda key, value: value != "a1").join(right, both)
    ),
    "counts": counts(),
    "counts without logging": counts(Materialized.with_(TEXT, None).withLoggingDisabled()),
    "counts by another serde": counts(Materialized.with_(TEXT, Serdes.Integer())),
    "streams": streams,
    "stream and table": with_a_table,
}


def sent(
    topology: Topology,
    cache: int,
    batches: Sequence[dict[str, list[Row]]],
    *,
    by_chunks: bool = True,
    last: bool = True,
) -> tuple[list[Sent], bytes, int]:
    """Run batches; return what was sent, what the task knows at the end, and the records left out.

    Args:
        by_chunks: Let the task process chunks.
        last: Let it take the shortcut to the last record of each key.
    """
    config = {"statestore.cache.max.bytes": cache}
    shortcuts = [LastRecords] if last else []
    task, host = new_task(topology.plan(), config, by_chunks=by_chunks, shortcuts=shortcuts)
    shortcut = task.shortcut(LastRecords)
    offsets, left_out = dict.fromkeys(TOPICS, 0), 0
    for batch in batches:
        runs = {topic: chunks(offsets[topic], rows) for topic, rows in batch.items() if rows}
        offered = [last_of_each_key(topic, 0, each) for topic, each in runs.items()]
        good: list[LastOfEachKey] = [run for run in offered if run is not None]
        taken = (
            shortcut is not None
            and all(shortcut.covers(topic) for topic in runs)
            and len(good) == len(runs)
            and shortcut.offer(good)
        )
        left_out += sum(run.count - len(run.last) for run in good) if taken else 0
        for topic, rows in batch.items():
            first, offsets[topic] = offsets[topic], offsets[topic] + len(rows)
            if rows and not taken:
                keys, values, times = map(list, zip(*rows, strict=True))
                task.add(RawChunk(topic, 0, range(first, offsets[topic]), times, keys, values))
        task.run()
        task.commit()
    snapshot = task.snapshot()
    task.close()
    return host.sent, snapshot, left_out


rows = st.tuples(
    st.sampled_from([b"a", b"b", b"c"]),
    st.sampled_from([b"a1", b"b22", b"\xff", "ä".encode() * 40, None]),
    st.integers(0, 30),
)
runs_of_rows = st.lists(rows, max_size=40)
in_order = st.lists(rows, min_size=12, max_size=40).map(
    lambda found: sorted(found, key=lambda row: row[2])
)


@pytest.mark.parametrize("name", TOPOLOGIES)
@settings(max_examples=40, deadline=None)
@given(
    batches=st.lists(
        st.fixed_dictionaries(dict.fromkeys(TOPICS, runs_of_rows | in_order)), max_size=3
    ),
    cache=st.sampled_from([AMPLE, TIGHT, NONE]),
)
def test_the_results_are_those_without_the_shortcut_and_of_single_records(
    name: str, batches: list[dict[str, list[Row]]], cache: int
) -> None:
    topology = TOPOLOGIES[name]()

    outputs, snapshot, _ = sent(topology, cache, batches)

    assert (outputs, snapshot) == sent(topology, cache, batches, last=False)[:2]
    assert (outputs, snapshot) == sent(topology, cache, batches, last=False, by_chunks=False)[:2]


@pytest.mark.parametrize(
    ("name", "cache", "times", "left_out"),
    [
        ("join", AMPLE, range(40), 72),
        ("join", NONE, range(40), 0),
        ("counts", AMPLE, range(40), 72),
        ("counts", NONE, range(40), 0),
        pytest.param("counts", 200, range(40), 0, id="no room for counts"),
        pytest.param("counts", AMPLE, range(40, 0, -1), 72, id="counts out of order"),
        pytest.param("join", 500, range(40), 0, id="no room"),
        pytest.param("join", AMPLE, range(40, 0, -1), 0, id="out of order"),
        ("streams", AMPLE, range(40), 0),
        ("stream and table", AMPLE, range(40), 0),
    ],
)
def test_records_are_skipped_where_results_stay_the_same(
    name: str, cache: int, times: Sequence[int], left_out: int
) -> None:
    of_a_topic: list[Row] = [(b"%d" % (n % 4), b"v", time) for n, time in enumerate(times)]
    batch = dict.fromkeys(TOPICS, of_a_topic)

    assert sent(TOPOLOGIES[name](), cache, [batch])[2] == left_out


def test_a_negative_time_is_refused_as_ever() -> None:
    rows: list[Row] = [(b"k", b"v", n) for n in range(-1, 10)]

    with pytest.raises(StreamsException, match="invalid"):
        sent(TOPOLOGIES["join"](), AMPLE, [{"left": rows}])


def test_what_comes_late_to_a_partition_is_looked_at() -> None:
    early: list[Row] = [(b"k", b"v", 10)] * 8
    late: list[Row] = [(b"k", b"v", 9)] * 8
    batches = [{"left": early}, {"left": late}]

    assert sent(TOPOLOGIES["join"](), AMPLE, batches)[2] == 7


@pytest.mark.parametrize(
    ("value", "left_out"),
    [
        pytest.param(b"v", 7, id="short"),
        pytest.param(b"v" * 2_000, 0, id="long"),
        pytest.param(b"\xff" * 600, 0, id="long once it has become text"),
    ],
)
def test_a_long_value_in_between_counts_in_the_cache(value: bytes, left_out: int) -> None:
    rows: list[Row] = [(b"k", value if n == 3 else b"v", n) for n in range(8)]

    assert sent(TOPOLOGIES["join"](), 1_500, [{"left": rows}])[2] == left_out


def test_a_null_value_does_not_count() -> None:
    rows: list[Row] = [(b"k", None if n == 3 else b"v", n) for n in range(8)]

    outputs, _, left_out = sent(TOPOLOGIES["counts"](), AMPLE, [{"left": rows}])

    assert left_out == 0
    assert [each.value for each in outputs if each.topic == "of-left"] == [b"\0" * 7 + b"\7"]


def test_keys_that_are_equal_as_text_are_counted_together() -> None:
    rows: list[Row] = [(b"\xff" if n % 2 else b"\xfe", b"v", n) for n in range(8)]

    outputs, _, left_out = sent(TOPOLOGIES["counts"](), AMPLE, [{"left": rows}])

    assert left_out == 0
    assert [each.value for each in outputs if each.topic == "of-left"] == [b"\0" * 7 + b"\10"]


def test_a_deserializer_of_ones_own_sees_every_record() -> None:
    class Own(StringDeserializer):
        pass

    own = Serdes.serdeFrom(TEXT.serializer(), Own())
    builder = StreamsBuilder()
    left, right = (builder.table(topic, Consumed.with_(TEXT, own)) for topic in TOPICS)
    left.join(right, both).toStream().to("out", Produced.with_(TEXT, TEXT))
    rows: list[Row] = [(b"k", b"v", n) for n in range(8)]

    assert sent(builder.build(), AMPLE, [{"left": rows}])[2] == 0
