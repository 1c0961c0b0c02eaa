"""Columns on their way through Spark: partitions, chunks, order."""

from __future__ import annotations

from types import SimpleNamespace

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from millstream.core.engine.output import Sent, SentChunk
from millstream.core.headers import Header, Headers
from millstream.core.partitioning import default_partition, murmur2
from millstream.topology.spark.arrow_headers import HEADERS, headers_column, headers_list
from millstream.topology.spark.surrogate import murmur3_int, shuffle_partition, surrogate_keys
from millstream.topology.spark.wire import binary_column, decode_chunk, encode_chunk, to_list
from millstream.topology.spark.worker.feedback import TIME_MARK
from millstream.topology.spark.worker.inbox import arrived_runs, raw_chunks, source_runs
from millstream.topology.spark.worker.murmur import murmur2_column, partitions_of
from millstream.topology.spark.worker.outbox import Outbox

# What Spark's hash(cast(x as int)) says.
SPARK_HASHES = {0: 933211791, 1: -559580957, 2: 1765031574, 42: 29417773, -1: -1604776387}


@settings(deadline=None)
@given(st.lists(st.binary(max_size=40), min_size=1))
def test_a_column_of_keys_hashes_as_each_key_does(keys: list[bytes]) -> None:
    hashes = murmur2_column(pa.array(keys, pa.binary())).tolist()

    assert hashes == [murmur2(key) & 0xFFFFFFFF for key in keys]


@settings(deadline=None)
@given(st.lists(st.binary(max_size=20), min_size=3), st.integers(1, 7))
def test_a_slice_of_a_column_gets_kafkas_partitions(keys: list[bytes], count: int) -> None:
    column = pa.array(keys, pa.binary()).slice(1)

    expected = [default_partition(key, count) for key in keys[1:]]
    assert partitions_of(column, count).tolist() == expected


def test_null_keys_go_to_partition_zero() -> None:
    assert partitions_of(pa.array([None, b"k1"], pa.binary()), 4).tolist() == [
        0,
        default_partition(b"k1", 4),
    ]


def test_integers_hash_as_in_spark() -> None:
    assert {number: murmur3_int(number) for number in SPARK_HASHES} == SPARK_HASHES


@pytest.mark.parametrize("count", [1, 2, 3, 8, 50, 200])
def test_each_task_has_a_shuffle_partition_of_its_own(count: int) -> None:
    keys = surrogate_keys(count)

    assert [shuffle_partition(key, count) for key in keys] == list(range(count))


@settings(deadline=None)
@given(st.lists(st.none() | st.binary(max_size=5)))
def test_binary_columns_read_back(values: list[bytes | None]) -> None:
    assert to_list(binary_column(values)) == values


def test_headers_read_back() -> None:
    headers = [Headers([Header("a", b"1"), Header("a", None)]), None, Headers()]

    assert headers_list(headers_column(headers)) == [headers[0], None, None]
    assert headers_column([None, Headers()]) is None


def row(
    topic: str,
    sender: int,
    seq: int,
    timestamps: list[int],
    *,
    keys: list[bytes] | None = None,
    offsets: list[int] | None = None,
) -> SimpleNamespace:
    keys = keys or [b"%d" % time for time in timestamps]
    blob = encode_chunk(
        keys=binary_column(keys),
        values=binary_column(keys),
        timestamps=pa.array(timestamps, pa.int64()),
        offsets=None if offsets is None else pa.array(offsets, pa.int64()),
    )
    return SimpleNamespace(topic=topic, partition=sender, seq=seq, blob=blob)


def test_source_chunks_come_in_the_order_of_topic_partition_and_offset() -> None:
    rows = [
        row("b", 0, 5, [1], offsets=[5]),
        row("a", 1, 9, [1], offsets=[9]),
        row("a", 1, 2, [1, 1], offsets=[2, 8]),
    ]

    chunks = [(c.topic, c.partition, list(c.offsets)) for c in raw_chunks(source_runs(rows))]
    assert chunks == [("a", 1, [2, 8]), ("a", 1, [9]), ("b", 0, [5])]


def test_a_chunk_of_a_feedback_topic_gets_the_event_times_that_its_records_had() -> None:
    blob = encode_chunk(
        keys=binary_column([b"k", b"l"]),
        values=binary_column([b"v", b"w"]),
        timestamps=pa.array([99, 7], pa.int64()),
        offsets=pa.array([3, 4], pa.int64()),
        headers=pa.array([[{"key": TIME_MARK, "value": b""}], None], HEADERS),
    )
    rows = [SimpleNamespace(topic=name, partition=0, seq=3, blob=blob) for name in ("back", "in")]

    back, given = raw_chunks(source_runs(rows, {"back": 1}))
    assert (list(back.timestamps), list(given.timestamps)) == ([0, 7], [99, 7])
    assert back.headers is None or not any(back.headers)


def test_what_several_tasks_sent_is_merged_by_event_time() -> None:
    rows = [row("r", 1, 0, [2, 4]), row("r", 0, 1, [3, 9]), row("r", 0, 0, [1, 3])]
    offsets = {"r": 10}
    (chunk,) = raw_chunks(arrived_runs(rows, 3, offsets))

    assert chunk.timestamps == [1, 2, 3, 3, 4, 9]
    assert (list(chunk.offsets), chunk.partition) == ([10, 11, 12, 13, 14, 15], 3)
    assert offsets == {"r": 16}


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=8), min_size=1, max_size=4))
def test_the_merge_takes_the_smallest_head_and_keeps_each_senders_order(
    queues: list[list[int]],
) -> None:
    rows = [
        row("r", sender, 0, times, keys=[b"%d-%d" % (sender, n) for n in range(len(times))])
        for sender, times in enumerate(queues)
    ]
    (chunk,) = raw_chunks(arrived_runs(rows, 0, {}))

    heads, expected = [list(enumerate(times)) for times in queues], []
    while any(heads):
        sender = min((s for s in range(len(heads)) if heads[s]), key=lambda s: (heads[s][0][1], s))
        expected.append(b"%d-%d" % (sender, heads[sender].pop(0)[0]))
    assert chunk.keys == expected


def test_an_outbox_splits_repartition_topics_by_key_and_keeps_sink_topics_whole() -> None:
    outbox = Outbox({"app-r": (1, 2)})
    keys = [b"k%d" % n for n in range(6)]
    outbox.send(Sent("app-r", keys[0], b"v", 1, None, None))
    outbox.send_chunk(SentChunk("app-r", keys[1:], [b"v"] * 5, [2, 3, 4, 5, 6]))
    outbox.send(Sent("out", b"a", None, 7, Headers([Header("h", b"x")]), 3))
    outbox.send(Sent("out", None, b"b", 8, None, None))
    sent = [
        (topic, target, number, decode_chunk(blob))
        for topic, target, number, blob in outbox.drain()
    ]

    split: dict[int | None, list[bytes]] = {}
    for topic, target, _, columns in sent:
        if topic == "app-r":
            split.setdefault(target, []).extend(to_list(columns["keys"]))
    assert split == {
        target: [key for key in keys if default_partition(key, 2) == target] for target in split
    }
    ((_, target, number, columns),) = [each for each in sent if each[0] == "out"]
    assert (target, number) == (None, 0)
    assert to_list(columns["keys"]) == [b"a", None]
    assert columns["partitions"].to_pylist() == [3, None]
    assert headers_list(columns["headers"]) == [Headers([Header("h", b"x")]), None]


def test_an_outbox_honours_a_chosen_partition_of_a_repartition_topic() -> None:
    outbox = Outbox({"app-r": (1, 4)})
    outbox.send(Sent("app-r", b"k", b"1", 1, None, 3))
    outbox.send(Sent("app-r", b"k", b"2", 2, None, None))
    sent = {target: to_list(decode_chunk(blob)["values"]) for _, target, _, blob in outbox.drain()}

    assert sent == {3: [b"1"], default_partition(b"k", 4): [b"2"]}


def test_an_outbox_cuts_what_is_too_large_for_one_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    from millstream.topology.spark.worker import outbox as module

    monkeypatch.setattr(module, "CHUNK_BYTES", 1000)
    outbox = Outbox({})
    values = [b"%d" % n * 300 for n in range(9)] + [b"x" * 5000]
    outbox.send_chunk(SentChunk("out", [b"k"] * 10, values, list(range(10))))
    chunks = [(n, to_list(decode_chunk(blob)["values"])) for _, _, n, blob in outbox.drain()]

    assert [number for number, _ in chunks] == list(range(len(chunks)))
    assert [value for _, chunk in chunks for value in chunk] == values
    assert max(len(chunk) for _, chunk in chunks) == 3
