"""Restarts that an uncaught exception handler asks for: pauses, and when they end."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compat_tests.spark.driver.test_lifecycle import CLOSED, RUNNING, App
from compat_tests.spark.support import eventually
from millstream import (
    LockException,
    StreamsConfig,
    StreamsException,
    StreamsUncaughtExceptionHandler,
    TaskMigratedException,
)
from millstream.topology.spark.driver.restarts import Restarts

FAILED = ["PENDING_ERROR", "ERROR"]
REPLACE = StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse.REPLACE_THREAD


def config(**entries: Any) -> StreamsConfig:
    plain = {"application.id": "app", "bootstrap.servers": "127.0.0.1:9"}
    more = {f"millstream.retry.{key.replace('_', '.')}": value for key, value in entries.items()}
    return StreamsConfig(plain | more)


def test_the_first_restart_is_at_once_and_pauses_double_up_to_the_longest() -> None:
    restarts = Restarts(config(backoff_ms=100, backoff_max_ms=500, max_restarts=6))
    pauses = [restarts.next_pause_s(batch_ended=False) for _ in range(7)]
    assert pauses == [0, 0.1, 0.2, 0.4, 0.5, 0.5, None]


def test_a_batch_that_has_ended_begins_anew() -> None:
    restarts = Restarts(config(backoff_ms=100, max_restarts=2))
    assert [restarts.next_pause_s(batch_ended=False) for _ in range(3)] == [0, 0.1, None]
    assert [restarts.next_pause_s(batch_ended=True) for _ in range(3)] == [0, 0, 0]


def test_without_a_bound_the_pauses_stay_numbers() -> None:
    restarts = Restarts(config(max_restarts=2147483647))
    restarts.in_a_row = 2147483646
    assert restarts.next_pause_s(batch_ended=False) == 60


def replacing(asked: list[Exception]) -> Callable[[Exception], Any]:
    """Return a handler that asks for a restart, and notes the failures."""

    def handler(error: Exception) -> Any:
        asked.append(error)
        return REPLACE

    return handler


class Impatient(App):
    """An application that restarts three times in a row, at once."""

    def __init__(self, state_dir: Path) -> None:
        super().__init__(state_dir)
        self._restarts = Restarts(config(backoff_ms=0, max_restarts=3))


@pytest.fixture
def app(tmp_path: Path) -> Impatient:
    return Impatient(tmp_path)


def test_a_record_that_always_fails_ends_the_application_after_some_restarts(app: App) -> None:
    asked: list[Exception] = []
    app.runner.look = lambda: "boom"
    app.setUncaughtExceptionHandler(replacing(asked))
    with pytest.raises(StreamsException, match="the Spark query failed") as failure:
        app.run()
    assert app.runner.stopped.count("restarted") == 3
    assert len(asked) == 4
    assert app.states[-2:] == FAILED
    assert "Started again 3 times without a batch that ended" in str(failure.value)


SLOW = "org.apache.spark.SparkException: Python worker failed to connect back.\n\tat org..."


def test_a_session_that_was_stopped_is_not_waited_for(app: App) -> None:
    asked: list[Exception] = []
    app.runner.look = lambda: "Job 0 cancelled because SparkContext was shut down"
    app.runner.is_stopped = True
    app.setUncaughtExceptionHandler(replacing(asked))
    with pytest.raises(StreamsException, match="the Spark query failed"):
        app.run()
    assert len(asked) == 1
    assert "restarted" not in app.runner.stopped


def test_a_busy_machine_does_not_end_an_application(app: App) -> None:
    answers = iter([SLOW, SLOW])
    app.runner.look = lambda: next(answers, None)
    app.start()
    eventually(lambda: app.runner.stopped.count("restarted"), 2)
    assert app.close() is True
    assert "PENDING_ERROR" not in app.states


def test_a_process_that_did_not_start_is_logged_with_what_to_do(
    app: App, caplog: pytest.LogCaptureFixture
) -> None:
    app.runner.look = lambda: SLOW
    with pytest.raises(StreamsException):
        app.run()
    told = [r.getMessage() for r in caplog.records if "connect back" in r.getMessage()]
    assert told
    assert all("that is in the log" in each for each in told)


def test_a_machine_that_stays_too_busy_is_told(app: App) -> None:
    app.runner.look = lambda: SLOW
    with pytest.raises(StreamsException, match="more cores") as failure:
        app.run()
    assert "printed an error at its start, that is in the log" in failure.value.hint
    assert app.runner.stopped.count("restarted") == 3
    assert "Started again 3 times" in str(failure.value)


def test_a_restart_that_fails_is_tried_again(app: App) -> None:
    answers = iter(["boom"])
    app.runner.look = lambda: next(answers, None)
    failures = iter([LockException("held"), ValueError("of Spark")])
    asked: list[Exception] = []

    def restart() -> None:
        for failure in failures:
            raise failure
        app.runner.stopped.append("restarted")

    app.runner.restart = restart  # type: ignore[method-assign]  # the stand-in's own
    app.setUncaughtExceptionHandler(replacing(asked))
    app.start()
    eventually(lambda: "restarted" in app.runner.stopped, True)
    assert app.close() is True
    kinds = [type(error).__name__ for error in asked]
    assert kinds == ["StreamsException", "LockException", "StreamsException"]
    assert app.states == RUNNING + RUNNING + CLOSED


def test_an_application_that_another_instance_has_taken_over_ends_at_once(app: App) -> None:
    def restart() -> None:
        raise TaskMigratedException("another instance")

    app.runner.look = lambda: "boom"
    app.runner.restart = restart  # type: ignore[method-assign]  # the stand-in's own
    app.setUncaughtExceptionHandler(lambda error: REPLACE)
    with pytest.raises(TaskMigratedException):
        app.run()
    assert app.states[-2:] == FAILED


def test_an_application_that_has_lost_its_lease_stops_its_query_and_ends(app: App) -> None:
    app.runner.taken = TaskMigratedException("another instance")
    with pytest.raises(TaskMigratedException):
        app.run()
    assert "halted" in app.runner.stopped
    assert app.states[-2:] == FAILED


def test_a_query_that_meets_another_one_in_its_checkpoint_starts_again_unasked(app: App) -> None:
    clash = "[CONCURRENT_STREAM_LOG_UPDATE] Concurrent update to the log."
    answers = iter([f"org.apache.spark.SparkException: {clash}"])
    app.runner.look = lambda: next(answers, None)
    asked: list[Exception] = []
    app.setUncaughtExceptionHandler(asked.append)
    app.start()
    eventually(lambda: "restarted" in app.runner.stopped, True)
    assert app.close() is True
    assert asked == []


def test_a_spare_says_that_it_is_one(app: App) -> None:
    assert not app.isHotSpare()
    app.runner.waiting_for = "instance one"
    assert app.isHotSpare()


def test_close_does_not_wait_for_the_end_of_a_pause(app: App) -> None:
    app._restarts = Restarts(config(backoff_ms=3_600_000, backoff_max_ms=3_600_000))
    app.runner.look = lambda: "boom"
    app.setUncaughtExceptionHandler(lambda error: REPLACE)
    app.start()
    eventually(lambda: app._restarts.in_a_row, 2)
    assert app.close() is True
    assert app.states[-2:] == CLOSED


@pytest.mark.parametrize("answer", [None, "REPLACE", True, ("nonsense", None), [REPLACE]])
def test_an_answer_that_is_none_of_kafkas_is_told(
    answer: Any, app: App, caplog: pytest.LogCaptureFixture
) -> None:
    app.runner.look = lambda: "boom"
    app.setUncaughtExceptionHandler(lambda error: answer)
    with caplog.at_level(logging.ERROR), pytest.raises(StreamsException):
        app.run()
    assert f"REPLACE_THREAD, SHUTDOWN_CLIENT, SHUTDOWN_APPLICATION, and returned {answer!r}" in (
        caplog.text
    )
