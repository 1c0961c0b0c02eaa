"""Operators whose work shows elsewhere than in a topic."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from pyspark import cloudpickle

from compat_tests.topology.running import Event, new_task, raw_chunk
from millstream import (
    Consumed,
    Grouped,
    KeyValue,
    Materialized,
    NullPointerException,
    Printed,
    Produced,
    Serdes,
    StreamsBuilder,
    StreamsException,
    TimeWindow,
    TimeWindowedSerializer,
    TimeWindows,
    Windowed,
)
from millstream.core.partitioning import default_partition
from millstream.testing import TopologyTestDriver
from millstream.topology.graph.windowed_partitioner import WindowedPartitioner

TEXT = Serdes.String()
READ = Consumed.with_(TEXT, TEXT)


def test_windows_of_a_key_go_to_the_keys_partition() -> None:
    partitioner = WindowedPartitioner(TimeWindowedSerializer(TEXT.serializer()))
    keys = [Windowed(key, TimeWindow(start, start + 5)) for key in "abc" for start in (0, 5)]
    expected = [default_partition(key.key().encode(), 7) for key in keys]
    assert partitioner.partition_column("t", keys, keys, 7) == expected
    assert [partitioner.partitions("t", key, 1, 7) for key in keys] == [{n} for n in expected]
    assert partitioner.partitions("t", None, 1, 7) is None


def test_print_writes_a_line_a_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    builder = StreamsBuilder()
    stream = builder.stream("in", READ)
    stream.print(Printed.toSysOut())
    shown = Printed.toFile(tmp_path / "lines").withLabel("seen")
    stream.print(shown.withKeyValueMapper(lambda key, value: f"{key} is {value}"))
    with TopologyTestDriver(builder.build()) as driver:
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        topic.pipeInput("a", "x")
        topic.pipeInput(None, "y")
    assert capsys.readouterr().out == (
        "[KSTREAM-SOURCE-0000000000]: a, x\n[KSTREAM-SOURCE-0000000000]: null, y\n"
    )
    assert (tmp_path / "lines").read_text() == "[seen]: a is x\n[seen]: None is y\n"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_print_goes_on_where_standard_output_has_another_encoding(
    encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
    builder = StreamsBuilder()
    stream = builder.stream("in", READ).mapValues(lambda value: value + "\ud800")
    stream.print(Printed.toSysOut().withLabel("l"))
    stream.print(Printed.toFile(tmp_path / "lines").withLabel("l"))
    with TopologyTestDriver(builder.build()) as driver:
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        topic.pipeInput("a", "\u20ac\u2713")
    euro = {"ascii": b"\\u20ac", "cp1252": b"\x80"}[encoding]
    assert written.getvalue().split() == [b"[l]:", b"a,", euro + rb"\u2713\ud800"]
    # As Java's writer, which has one mark for what is no character.
    assert (tmp_path / "lines").read_bytes().split() == [b"[l]:", b"a,", "\u20ac\u2713?".encode()]


def test_a_mapper_that_returns_none_instead_of_a_pair_is_named() -> None:
    builder = StreamsBuilder()
    builder.stream("in", READ).map(lambda key, value: None).foreach(print)  # type: ignore[arg-type, return-value]
    with TopologyTestDriver(builder.build()) as driver:
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        with pytest.raises(StreamsException, match="KeyValueMapper returned None") as failure:
            topic.pipeInput("a", "x")
    assert isinstance(failure.value.__cause__, NullPointerException)


def test_a_windowed_count_knows_what_is_late_after_a_restart() -> None:
    builder = StreamsBuilder()
    windows = TimeWindows.ofSizeWithNoGrace(10)
    counts = builder.stream("in", READ).groupByKey().windowedBy(windows).count()
    counts.toStream(lambda key, count: str(key)).to("out", Produced.with_(TEXT, Serdes.Long()))
    config = {"default.key.serde": TEXT, "default.value.serde": TEXT}
    before, host = new_task(builder.build().plan(), config)
    before.add(raw_chunk([Event("a", "x", 25)], 0))
    before.run()
    after, later_host = new_task(builder.build().plan(), config)
    after.restore(before.snapshot())
    after.add(raw_chunk([Event("a", "x", 3), Event("a", "x", 21)], 1))
    after.run()
    before.commit()
    after.commit()
    keys = [[sent.key for sent in each.sent] for each in (host, later_host)]
    assert keys == [[b"[a@20/30]"], [b"[a@20/30]"]]


def test_a_plan_travels_to_workers() -> None:
    builder = StreamsBuilder()
    grouped = builder.stream("in", READ).groupBy(lambda k, v: v, Grouped.with_(TEXT, TEXT))
    grouped.count(Materialized.as_("counts")).filter(lambda k, n: n > 1).toStream().map(
        lambda k, n: KeyValue(k, str(n))
    ).to("out", Produced.with_(TEXT, TEXT))
    plan = cloudpickle.loads(cloudpickle.dumps(builder.build().plan()))  # type: ignore[no-untyped-call]
    assert [store.name for part in plan.subtopologies for store in part.stores] == ["counts"]
