"""Runs over history from files on Spark: in the order of time, then live from the topic."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Thread
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from compat_tests.spark.applications.test_to_end import (
    SMALL_BATCHES,
    by_key,
    counts,
    history,
    in_order,
    prices_of_orders,
)
from compat_tests.spark.support import Playground, eventually
from millstream import KafkaStreams
from millstream.core.errors import IllegalArgumentException, IllegalStateException, StreamsException


def close_after_a_batch(streams: KafkaStreams) -> None:
    """Close an application that has read something."""

    def read() -> bool:
        return any(
            m.metricName().name() == "records" and m.metricValue()
            for m in streams.metrics().values()
        )

    eventually(read, True)
    streams.close()


def test_json_lines_stand_for_a_topic_and_an_interrupted_run_goes_on(
    play: Playground, spark: Any, tmp_path: Path
) -> None:
    orders, prices, out = play.topic("orders"), play.topic("prices"), play.topic("out")
    inputs = {orders: history(1, 120, "o", 400), prices: history(2, 480, "p", 100)}
    play.produce(orders, inputs[orders])
    lines = [
        json.dumps({"key": k, "value": v, "timestamp": t, "partition": p})
        for k, v, t, p in reversed(inputs[prices])
    ]
    folder = tmp_path / "prices"
    folder.mkdir()
    (folder / "1.jsonl").write_text("\n".join(lines[:200]) + "\n")
    (folder / "2.jsonl").write_text("\n".join(lines[200:]) + "\n")
    topology = prices_of_orders(orders, prices, out)
    expected = in_order(topology, inputs, out)
    config = play.config() | SMALL_BATCHES
    files = {prices: folder}
    interrupted = KafkaStreams(topology, config, spark=spark)
    closer = Thread(target=close_after_a_batch, args=(interrupted,))
    closer.start()
    with pytest.raises(IllegalStateException, match="closed before it reached the end"):
        interrupted.runToEnd(files=files)
    closer.join()
    with pytest.raises(StreamsException, match="a run over files is not finished"):
        KafkaStreams(topology, config, spark=spark).start()
    with pytest.raises(IllegalArgumentException, match="begun with other files"):
        KafkaStreams(topology, config, spark=spark).runToEnd(files={prices: "/other"})
    done = KafkaStreams(topology, config, spark=spark).runToEnd(files=files)
    assert done.positions == {orders: play.ends(orders), prices: {0: 0, 1: 0}}
    assert KafkaStreams(topology, config, spark=spark).runToEnd(files=files).records == 0
    count = sum(map(len, expected.values()))
    with KafkaStreams(topology, config, spark=spark):
        play.produce(prices, [("0-0", "last", 1_800_000_000_000, 0)])
        pairs = play.pairs(out, count, more=0.5)
    assert by_key(pairs) == expected


def test_parquet_with_offsets_ends_in_the_middle_and_the_topic_goes_on_behind_it(
    play: Playground, spark: Any, tmp_path: Path
) -> None:
    numbers, out = play.topic("numbers"), play.topic("out")
    late = [("a", 10), ("b", 50), ("a", 20), ("a", 60), ("b", 70), ("a", 80)]
    play.produce(numbers, [(k, "x", 1000 + t, 0, [("h", b"1")]) for k, t in late])
    table = pa.table(
        {
            "key": [k.encode() for k, _ in late],
            "value": ["x"] * len(late),
            "timestamp": pa.array([1000 + t for _, t in late], pa.timestamp("ms", "UTC")),
            "offset": range(len(late)),
            "partition": [0] * len(late),
            "topic": [numbers] * len(late),
        }
    )
    pq.write_table(table, tmp_path / "numbers.parquet")
    topology = counts(numbers, out)
    files = {numbers: [tmp_path / "numbers.parquet"]}
    done = KafkaStreams(topology, play.config(), spark=spark).runToEnd(end=1070, files=files)
    assert done.positions == {numbers: {0: 4, 1: 0}}
    with KafkaStreams(topology, play.config(), spark=spark):
        found = by_key(play.pairs(out, 3, more=1))
    assert (found[b"a"][-1], found[b"b"][-1]) == (b"4", b"2")
    wrong = {numbers: tmp_path / "wrong.jsonl"}
    (tmp_path / "wrong.jsonl").write_text('{"value": "x", "timestamp": "never"}\n')
    other = play.config() | {"application.id": f"{play.name}-other"}
    with pytest.raises(StreamsException, match="no valid timestamp"):
        KafkaStreams(topology, other, spark=spark).runToEnd(files=wrong)


def test_records_without_a_partition_get_that_of_their_key(
    play: Playground, spark: Any, tmp_path: Path
) -> None:
    numbers, out = play.topic("numbers"), play.topic("out")
    rows: list[dict[str, Any]] = [
        {"key": f"k{n}", "value": {"n": n}, "timestamp": 1000 + n} for n in range(20)
    ]
    rows.append({"key_base64": "azA=", "value_base64": "eA==", "timestamp": "1970-01-01T00:00:02Z"})
    (tmp_path / "numbers.ndjson").write_text("\n".join(map(json.dumps, rows)))
    topology = counts(numbers, out)
    files = {numbers: tmp_path / "numbers.ndjson"}
    done = KafkaStreams(topology, play.config(), spark=spark).runToEnd(files=files)
    assert (done.records, done.positions) == (21, {numbers: {0: 0, 1: 0}})
    with KafkaStreams(topology, play.config(), spark=spark):
        play.produce(numbers, [(f"k{n}", "x", 3000 + n) for n in range(20)])
        found = by_key(play.pairs(out, 40, more=0.5))
    assert {key: own[-1] for key, own in found.items()} == {
        f"k{n}".encode(): b"3" if n == 0 else b"2" for n in range(20)
    }
