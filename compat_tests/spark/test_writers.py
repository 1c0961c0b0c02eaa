"""The sink's writer on a real broker: a batch is written once, whoever tries again."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from compat_tests.kafka.topics import create_topic
from compat_tests.spark.support import Playground
from millstream import StreamsConfig, StreamsException
from millstream.topology.spark.clients import (
    client_settings,
    consumer_settings,
    producer_settings,
)
from millstream.topology.spark.compile import Layout
from millstream.topology.spark.job import Job
from millstream.topology.spark.wire import binary_column, encode_chunk
from millstream.topology.spark.writers import SinkWriter


@pytest.fixture(params=[True, False], ids=["exactly_once_v2", "at_least_once"])
def job(request: pytest.FixtureRequest, play: Playground) -> Job:
    config = StreamsConfig(play.config())
    job = Job(
        application_id=play.name,
        checkpoint_id="c1",
        run_id="r1",
        topology=b"",
        layout=Layout(stages=(), routes={}, keys=(0,)),
        sink_partitions={},
        exactly_once=request.param,
        state_dir="",
        client=client_settings(config),
        producer=producer_settings(config),
        consumer=consumer_settings(config, play.name),
    )
    create_topic(play.servers, job.progress_topic, partitions=2)
    return job


def chunk(*values: bytes) -> bytes:
    return encode_chunk(
        keys=binary_column([b"k"] * len(values)),
        values=binary_column(values),
        timestamps=pa.array([1] * len(values), pa.int64()),
    )


def values(play: Playground, topic: str, count: int, **more: float) -> list[bytes | None]:
    return [value for _, value in play.pairs(topic, count, **more)]


def test_a_batch_is_written_once_whichever_worker_repeats_it(job: Job, play: Playground) -> None:
    source, target = play.topic("in", 1), play.topic("out", 1)
    one, other = SinkWriter(job, 0), SinkWriter(job, 0)

    assert one.write(0, [(target, chunk(b"a", b"b"))], [(source, 0, 2)]) is True
    assert one.write(0, [(target, chunk(b"a", b"b"))], [(source, 0, 2)]) is False
    assert other.write(0, [(target, chunk(b"a", b"b"))], [(source, 0, 2)]) is False
    assert other.write(1, [(target, chunk(b"c"))], [(source, 0, 3)]) is True
    assert one.write(2, [(target, chunk(b"d"))], [(source, 0, 4)]) is True
    assert other.write(2, [(target, chunk(b"d"))], [(source, 0, 4)]) is False

    assert values(play, target, 4, more=0.5) == [b"a", b"b", b"c", b"d"]
    assert play.committed(play.name, source) == {0: 4}
    assert play.committed(play.name, job.progress_topic) == {0: 3}
    one.close()
    other.close()


def test_what_another_checkpoint_has_written_does_not_count(job: Job, play: Playground) -> None:
    target = play.topic("out", 1)
    before, after = SinkWriter(job, 1), SinkWriter(replace(job, checkpoint_id="c2"), 1)

    assert before.write(7, [(target, chunk(b"a"))], []) is True
    assert after.write(0, [(target, chunk(b"b"))], []) is True

    assert values(play, target, 2) == [b"a", b"b"]
    before.close()
    after.close()


def test_a_partition_that_does_not_exist_is_a_typed_error(job: Job, play: Playground) -> None:
    target = play.topic("out", 1)
    blob = encode_chunk(
        keys=binary_column([b"k"]),
        values=binary_column([b"v"]),
        timestamps=pa.array([1], pa.int64()),
        partitions=pa.array([5], pa.int32()),
    )
    writer = SinkWriter(job, 0)
    with pytest.raises(StreamsException, match="sink partition 0"):
        writer.write(0, [(target, blob)], [])
    assert writer.write(0, [(target, chunk(b"good"))], []) is True

    assert values(play, target, 1, more=0.5) == [b"good"]
    writer.close()
