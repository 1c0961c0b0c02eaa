"""A transaction whose end the broker has lost ends again, and holds nobody up."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from confluent_kafka import TopicPartition

from compat_tests.kafka.lost_ends import lose_end
from compat_tests.spark.support import Playground
from millstream import StreamsConfig
from millstream.topology.spark.admission.group import Group
from millstream.topology.spark.clients.lost_ends import ended_transactions
from millstream.topology.spark.job import Job
from millstream.topology.spark.ownership import Mark
from millstream.topology.spark.wire import binary_column, encode_chunk
from millstream.topology.spark.worker import writers

pytestmark = [
    pytest.mark.broker,
    pytest.mark.parametrize("job", [True], indirect=True, ids=["exactly_once_v2"]),
]


def chunk(value: bytes) -> bytes:
    return encode_chunk(
        keys=binary_column([b"k"]),
        values=binary_column([value]),
        timestamps=pa.array([1], pa.int64()),
    )


@pytest.mark.parametrize("commit", [True, False], ids=["committed", "aborted"])
def test_a_writer_ends_it_with_its_outcome(
    job: Job,
    play: Playground,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    *,
    commit: bool,
) -> None:
    monkeypatch.setattr(writers, "_FOUND_S", 1.0)
    target = play.topic("out", 1)
    writer = writers.SinkWriter(job, 0)
    assert writer.write(0, [(target, chunk(b"a"))], []) is True

    # Batch 1 was written by another worker, which was killed.
    mark, id_ = Mark("c1", "w").text(), f"{play.name}-0"
    token = TopicPartition(job.progress_topic, 0, 2, mark)
    lose_end(play.servers, id_, play.name, token, commit=commit, record=(target, b"b"))
    (ended,) = ended_transactions(job.client, [id_, "never used"])
    assert ended.outcome.name == ("COMMITTED" if commit else "ABORTED")
    is_new = writer.write(1, [(target, chunk(b"b"))], [])

    assert is_new is not commit
    # Once, whether the lost transaction has written it or this one.
    assert [value for _, value in play.pairs(target, 2, more=0.5)] == [b"a", b"b"]
    assert play.committed(play.name, job.progress_topic) == {0: 2}
    assert "the broker had lost the end of a transaction" in caplog.text
    writer.close()


@pytest.mark.parametrize("commit", [True, False], ids=["committed", "aborted"])
def test_a_start_ends_it_with_its_outcome(job: Job, play: Playground, *, commit: bool) -> None:
    token = TopicPartition(job.progress_topic, 1, 2, "c1 w ")
    lose_end(play.servers, f"{play.name}-1", play.name, token, commit=commit)
    group = Group(StreamsConfig(play.config(processing_guarantee="exactly_once_v2")))
    tokens = group.state((), 2).tokens
    assert {number: token.offset for number, token in tokens.items()} == ({1: 2} if commit else {})


def test_nothing_is_asked_where_offsets_are_decided(
    job: Job, play: Playground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("millstream.topology.spark.clients.lost_ends.ended_transactions", None)
    target = play.topic("out", 1)
    for worker in range(2):
        writer = writers.SinkWriter(replace(job, checkpoint_id=f"c{worker}"), 0)
        assert writer.write(0, [(target, chunk(b"a"))], []) is True
        writer.close()
