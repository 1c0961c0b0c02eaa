"""A query that is stopped without a broker does not wait for the answers of its admin clients."""

from __future__ import annotations

import logging
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

from millstream.topology.spark.driver import source_clients
from millstream.topology.spark.driver.source_clients import hastened

ZERO = object()
PATIENCE_S = 30


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


def query(*sources: Any) -> Any:
    execution = SimpleNamespace(sources=lambda: Sources(sources))
    return SimpleNamespace(_jsq=SimpleNamespace(streamingQuery=lambda: execution))


@pytest.fixture(autouse=True)
def jvm(monkeypatch: pytest.MonkeyPatch) -> None:
    duration = SimpleNamespace(ZERO=ZERO)
    found = SimpleNamespace(java=SimpleNamespace(time=SimpleNamespace(Duration=duration)))
    monkeypatch.setattr(source_clients, "_jvm", lambda: found)


def test_the_clients_of_kafka_sources_are_closed_while_the_query_does_not_end() -> None:
    closed, done = [], threading.Event()

    def close(limit: Any) -> None:
        closed.append(limit)
        done.set()

    stopping = query(
        source("RatePerMicroBatchStream", None),
        source("KafkaMicroBatchStream", None),
        source("ChunkStream", SimpleNamespace(close=close)),
    )
    with hastened(stopping, 0.01):
        assert done.wait(PATIENCE_S)
    assert closed == [ZERO]


def test_a_query_that_ends_in_time_is_left_alone() -> None:
    with hastened(query(None), 0.05):
        pass
    time.sleep(0.1)


def test_another_spark_is_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), hastened(SimpleNamespace(), 0.0):  # type: ignore[arg-type]
        give_up = time.monotonic() + PATIENCE_S
        while "out of time" not in caplog.text and time.monotonic() < give_up:
            time.sleep(0.01)
    assert "the query ends when its requests to Kafka are out of time" in caplog.text
