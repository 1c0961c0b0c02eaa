"""A sink partition's writer connects while the batch's records are still on their way."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError
from confluent_kafka import KafkaException as ClientException

from compat_tests.spark.clients.test_deadlines import writer as unconnected
from compat_tests.spark.support import Playground
from compat_tests.spark.worker.test_writers import chunk, values
from millstream.topology.spark.job import Job
from millstream.topology.spark.worker import early_writers, worker_cache, writers
from millstream.topology.spark.worker.writers import SinkWriter


def test_a_writer_that_has_connected_ahead_writes_a_batch_once(job: Job, play: Playground) -> None:
    source, target = play.topic("in", 1), play.topic("out", 1)
    former, heir, late = (SinkWriter(job, 0) for _ in range(3))
    assert former.write(0, [(target, chunk(b"a"))], [(source, 0, 1)])
    heir.connect()
    assert heir.write(1, [(target, chunk(b"b"))], [(source, 0, 2)])
    assert not former.write(1, [(target, chunk(b"b"))], [(source, 0, 2)])
    late.connect()
    assert heir.write(2, [(target, chunk(b"c"))], [(source, 0, 3)])
    assert not late.write(2, [(target, chunk(b"c"))], [(source, 0, 3)])
    assert late.write(3, [(target, chunk(b"d"))], [(source, 0, 4)])
    assert values(play, target, 4, more=0.5) == [b"a", b"b", b"c", b"d"]
    for each in (former, heir, late):
        each.close()


def test_a_writer_without_anything_to_write_is_given_up_once(
    job: Job, play: Playground, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = play.topic("out", 1)
    entries: dict[Any, Any] = {}
    mine: Any = SimpleNamespace(run_id="r1", entries=entries)
    monkeypatch.setattr(worker_cache, "_applications", {job.application_id: mine})
    for _ in range(2):
        early_writers.connect_ahead(job, 1)
        early_writers.leave_idle(job, 1)
        assert not [each for each in entries.values() if isinstance(each, SinkWriter)]
    kept = early_writers.sink_writer(job, 1)
    assert kept.write(0, [(target, chunk(b"a"))], [])
    early_writers.connect_ahead(job, 1)
    early_writers.leave_idle(job, 1)
    assert early_writers.sink_writer(job, 1) is kept
    kept.close()


def test_what_fails_while_it_connects_fails_the_first_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A failure that waiting mends is tried again, with a new producer."""
    monkeypatch.setattr(writers, "Consumer", lambda settings: None)
    writer = unconnected()
    made: list[str] = []
    connected = threading.Event()

    def new_producer(self: SinkWriter) -> Any:
        made.append(threading.current_thread().name)
        if len(made) == 1:
            connected.set()
            raise ClientException(KafkaError(KafkaError._TRANSPORT))
        raise ValueError("the second attempt")

    monkeypatch.setattr(SinkWriter, "_new_producer", new_producer)
    writer.connect()
    assert connected.wait(10)
    with pytest.raises(ValueError, match="the second attempt"):
        writer.write(0, [], [])
    assert made == ["millstream-connect", threading.main_thread().name]
