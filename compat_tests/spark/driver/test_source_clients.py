"""A query that is stopped without a broker does not wait for the answers of its admin clients."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from millstream.topology.spark.driver import source_clients
from millstream.topology.spark.driver.source_clients import hastened

ZERO = object()
PATIENCE_S = 30
KAFKA = "KafkaMicroBatchStream"


class Sources(list[Any]):
    def size(self) -> int:
        return len(self)

    def apply(self, number: int) -> Any:
        return self[number]


def source(kind: str, client: Any) -> Any:
    reader = SimpleNamespace(_admin=lambda: client)
    kind_of = SimpleNamespace(getSimpleName=lambda: kind)
    own = SimpleNamespace(kafkaOffsetReader=lambda: reader)
    if kind == "ChunkStream":
        return SimpleNamespace(getClass=lambda: kind_of, kafka=lambda: own)
    own.getClass = lambda: kind_of
    return own


def hastening() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name == "millstream-hastened-stop"]


def query(*sources: Any) -> Any:
    execution = SimpleNamespace(sources=lambda: Sources(sources))
    return SimpleNamespace(_jsq=SimpleNamespace(streamingQuery=lambda: execution))


@pytest.fixture(autouse=True)
def jvm(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    duration = SimpleNamespace(ZERO=ZERO)
    found = SimpleNamespace(java=SimpleNamespace(time=SimpleNamespace(Duration=duration)))
    monkeypatch.setattr(source_clients, "_jvm", lambda: found)
    yield
    for each in hastening():
        each.join(PATIENCE_S)


def test_the_clients_of_kafka_sources_are_closed_while_the_query_does_not_end() -> None:
    closed, done = [], threading.Event()

    def close(limit: Any) -> None:
        closed.append(limit)
        done.set()

    stopping = query(
        source("RatePerMicroBatchStream", None),
        source(KAFKA, None),
        source("ChunkStream", SimpleNamespace(close=close)),
    )
    with hastened(stopping, 0.01):
        assert done.wait(PATIENCE_S)
    assert closed == [ZERO]


def test_a_query_that_ends_in_time_is_left_alone() -> None:
    closed: list[Any] = []
    with hastened(query(source(KAFKA, SimpleNamespace(close=closed.append))), PATIENCE_S):
        (waiting,) = hastening()
    waiting.join(PATIENCE_S / 2)
    assert not waiting.is_alive()
    assert closed == []


def test_another_spark_is_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    asked, answer = threading.Event(), threading.Event()

    class Other:
        """A query of another version of Spark."""

        @property
        def _jsq(self) -> Any:
            asked.set()
            assert answer.wait(PATIENCE_S)
            raise AttributeError("_jsq")

    other: Any = Other()
    with caplog.at_level(logging.INFO):
        with hastened(other, 0.0):
            assert asked.wait(PATIENCE_S)
            (waiting,) = hastening()
            answer.set()
        waiting.join(PATIENCE_S)
    assert "the query ends when its requests to Kafka are out of time" in caplog.text
