"""A broker that goes away does not end an application: it waits, and goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from compat_tests.spark.driver.test_lifecycle import CLOSED, FAILED, RUNNING, App
from millstream import StreamsConfig, StreamsException, StreamThreadExceptionResponse
from millstream.core.errors import BrokerNotFoundException, TimeoutException
from millstream.topology.spark.clients.outages import is_outage
from millstream.topology.spark.clients.settings import kafka_error
from millstream.topology.spark.driver import watched
from millstream.topology.spark.driver.broker_wait import BrokerWait
from millstream.topology.spark.driver.restarts import Restarts
from millstream.topology.spark.failures import WorkerFailure, failure_from

AWAY = "Caused by: org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node"
PATIENCE_S = 30


def app_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failures: Iterable[str], **entries: Any
) -> App:
    """An application whose query ends with these failures, one after the other."""
    answers = iter(failures)
    app = App(tmp_path)
    given = {"backoff.ms": 0, **{key.replace("_", "."): value for key, value in entries.items()}}
    config = app._config.originals() | {f"millstream.retry.{k}": v for k, v in given.items()}
    app._restarts = Restarts(StreamsConfig(config))
    app._broker_wait = BrokerWait(StreamsConfig(config))
    app.runner.look = lambda: next(answers, None)
    monkeypatch.setattr(watched, "POLL_S", 0)
    return app


def until(condition: Callable[[], Any]) -> None:
    """Wait for what happens in another thread."""
    over = threading.Event()
    for _ in range(PATIENCE_S * 200):
        if condition():
            return
        over.wait(0.005)
    pytest.fail("it did not happen")


def test_a_query_that_ends_by_an_outage_waits_for_the_broker_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    looks = iter([False, False, True])
    monkeypatch.setattr(watched, "answers", lambda _: next(looks))
    app = app_of(tmp_path, monkeypatch, [AWAY])
    app.setUncaughtExceptionHandler(lambda _: pytest.fail("an outage is no failure"))
    app.start()
    until(lambda: "restarted" in app.runner.stopped)
    until(lambda: app.states[-1] == "RUNNING")
    assert app.close() is True
    assert app.states == RUNNING + RUNNING + CLOSED
    said = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert (
        len([text for text in said if "Kafka does not answer; waiting until it does" in text]) == 1
    )


def test_a_handler_that_answers_when_the_application_closes_starts_nothing_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked = threading.Event()
    app = app_of(tmp_path, monkeypatch, ["a failure"])

    def handler(_: Exception) -> StreamThreadExceptionResponse:
        asked.set()
        assert app._stopping.wait(PATIENCE_S)
        return StreamThreadExceptionResponse.REPLACE_THREAD

    app.setUncaughtExceptionHandler(handler)
    app.start()
    assert asked.wait(PATIENCE_S)
    assert app.close() is True
    assert app.states == RUNNING + CLOSED
    assert "starts again" not in caplog.text


def test_what_the_batch_waited_for_is_told_with_the_outage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(watched, "answers", lambda _: True)
    app = app_of(tmp_path, monkeypatch, [AWAY])
    app._overdue.reason = 'partition 1 of topic "in" to read has no leader'
    app.start()
    until(lambda: "restarted" in app.runner.stopped)
    app.close()
    assert 'until it does: partition 1 of topic "in" to read has no leader' in caplog.text


def test_an_application_that_waits_for_a_broker_can_be_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = threading.Event()
    monkeypatch.setattr(watched, "answers", lambda _: asked.set())
    app = app_of(tmp_path, monkeypatch, [AWAY], backoff_ms=3_600_000, backoff_max_ms=3_600_000)
    app.start()
    assert asked.wait(PATIENCE_S)
    assert app.state().name == "REBALANCING"
    assert app.close() is True
    assert app.states == [*RUNNING, "REBALANCING", *CLOSED]


def test_a_broker_that_stays_away_ends_the_application_when_the_configured_time_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watched, "answers", lambda _: False)
    app = app_of(tmp_path, monkeypatch, [AWAY], timeout_ms=1)
    with pytest.raises(StreamsException) as caught:
        app.run()
    assert "millstream.retry.timeout.ms" in caught.value.hint
    assert app.states == [*RUNNING, "REBALANCING", *FAILED]


def test_a_restart_that_meets_the_next_outage_waits_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[str] = []

    def restart() -> None:
        tries.append("restart")
        if len(tries) < 3:
            raise BrokerNotFoundException("no broker answers")

    monkeypatch.setattr(watched, "answers", lambda _: True)
    app = app_of(tmp_path, monkeypatch, [AWAY])
    monkeypatch.setattr(app.runner, "restart", restart)
    app.start()
    until(lambda: len(tries) == 3 and app.state().name == "RUNNING")
    assert app.close() is True
    assert app.states == RUNNING + RUNNING + CLOSED


def test_pauses_double_up_to_the_longest_and_begin_anew_after_a_batch() -> None:
    entries = {"backoff.ms": 1000, "backoff.max.ms": 5000, "timeout.ms": 10_000}
    config = {"application.id": "app", "bootstrap.servers": "127.0.0.1:9"}
    config |= {f"millstream.retry.{key}": str(value) for key, value in entries.items()}
    now = [100.0]
    wait = BrokerWait(StreamsConfig(config), lambda: now[0])
    assert wait.failed(batch_ended=False)
    assert [wait.next_pause_s() for _ in range(6)] == [0, 1, 2, 4, 5, 5]
    assert not wait.failed(batch_ended=False)
    now[0] = 109.9
    assert not wait.is_over()
    now[0] = 110
    assert wait.is_over()

    assert wait.failed(batch_ended=True)
    assert wait.next_pause_s() == 0
    assert not wait.is_over()


def test_timeouts_of_kafkas_clients_are_outages_and_those_of_users_are_not() -> None:
    fetch = "java.util.concurrent.TimeoutException: Cannot fetch record for offset 7 in 120000 ms"
    assert is_outage(failure_from(f"Job aborted.\nCaused by: {fetch}"))
    assert is_outage(failure_from(AWAY))
    assert not is_outage(failure_from("java.lang.OutOfMemoryError: Java heap space"))

    refused = StreamsException("sink partition 0 cannot write its output")
    assert not is_outage(failure_from(str(WorkerFailure(refused))))
    refused.__cause__ = TimeoutException("timed out")
    assert is_outage(failure_from(str(WorkerFailure(refused))))
    refused.more = (("at", "app.py:3 in my_function: requests.get(url)"),)
    assert not is_outage(refused)


@pytest.mark.parametrize(
    ("code", "java"),
    [
        (KafkaError.UNKNOWN_LEADER_EPOCH, "UnknownLeaderEpoch"),
        (KafkaError.FENCED_LEADER_EPOCH, "FencedLeaderEpoch"),
        (KafkaError.KAFKA_STORAGE_ERROR, "KafkaStorage"),
        (KafkaError.LISTENER_NOT_FOUND, "ListenerNotFound"),
        (KafkaError.OFFSET_NOT_AVAILABLE, "OffsetNotAvailable"),
        (KafkaError.REPLICA_NOT_AVAILABLE, "ReplicaNotAvailable"),
        (KafkaError.PREFERRED_LEADER_NOT_AVAILABLE, "PreferredLeaderNotAvailable"),
        (KafkaError.ELIGIBLE_LEADERS_NOT_AVAILABLE, "EligibleLeadersNotAvailable"),
    ],
)
def test_what_a_new_leader_answers_for_a_moment_is_an_outage(code: int, java: str) -> None:
    """A broker that has paused says so of an epoch that a client has from another one."""
    assert is_outage(kafka_error("cannot read the offsets", KafkaException(KafkaError(code))))
    text = f"Caused by: org.apache.kafka.common.errors.{java}Exception: The leader"
    assert is_outage(failure_from(text))
