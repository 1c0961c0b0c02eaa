"""Sessions that their owner stops."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JNetworkError

from compat_tests.spark.applications.test_checks_before_start import pass_through
from millstream import StreamsConfig, StreamsException
from millstream.topology.spark.driver.runner import Runner
from millstream.topology.spark.driver.stopped_session import is_stopped

ENTRIES = {"application.id": "app", "bootstrap.servers": "127.0.0.1:9"}


def session(jsc: Any) -> Any:
    return SimpleNamespace(sparkContext=SimpleNamespace(_jsc=jsc))


def ended() -> bool:
    raise Py4JNetworkError("no answer")


def context(is_stopped: Any) -> Any:
    return SimpleNamespace(sc=lambda: SimpleNamespace(isStopped=is_stopped))


@pytest.mark.parametrize(
    ("jsc", "stopped"),
    [
        (None, True),
        (context(lambda: True), True),
        (context(lambda: False), False),
        (context(ended), False),
    ],
)
def test_a_session_is_stopped_by_python_or_by_the_jvm(jsc: Any, stopped: bool) -> None:
    assert is_stopped(session(jsc)) is stopped


def test_a_start_in_a_stopped_session_is_refused() -> None:
    runner = Runner(pass_through("in", "out"), StreamsConfig(ENTRIES), session(None))

    with pytest.raises(StreamsException, match='session of application "app" was stopped'):
        runner._session()


@pytest.mark.parametrize("error", [ConnectionRefusedError(), Py4JNetworkError("no answer")])
def test_a_start_in_a_session_without_its_jvm_is_refused(error: Exception) -> None:
    def refused() -> bool:
        raise error

    runner = Runner(pass_through("in", "out"), StreamsConfig(ENTRIES), session(context(refused)))

    with pytest.raises(StreamsException, match='given to application "app" has no JVM') as caught:
        runner._session()
    assert "a new session" in caught.value.hint


def test_a_query_that_ended_with_its_session_has_that_reason() -> None:
    runner = Runner(pass_through("in", "out"), StreamsConfig(ENTRIES), session(None))
    failure = StreamsException("the Spark query failed")

    found = runner.explained(failure)

    assert "was stopped" in found.problem
    assert "Close the application before" in found.hint
    assert found.__cause__ is failure


def test_another_failure_stays() -> None:
    runner = Runner(
        pass_through("in", "out"), StreamsConfig(ENTRIES), session(context(lambda: False))
    )
    failure = StreamsException("the Spark query failed")

    assert runner.explained(failure) is failure


def test_a_query_that_waits_for_records_is_told_that_its_session_is_stopped() -> None:
    running: Any = session(context(lambda: False))
    runner = Runner(pass_through("in", "out"), StreamsConfig(ENTRIES), running)
    assert runner.lost() is None
    running.sparkContext._jsc = None
    assert runner.lost() is None, "it asks the JVM at most once a second"
    runner._look_at = 0.0
    lost = runner.lost()
    assert lost is not None
    assert 'session of application "app" was stopped' in lost.problem


class GoneQuery:
    """A query that cannot be stopped any more."""

    isActive = False

    def stop(self) -> None:
        raise Py4JNetworkError("Cannot call methods on a stopped SparkContext.")


@pytest.mark.parametrize("stopped", [True, False])
def test_a_query_whose_session_is_stopped_needs_no_stop(*, stopped: bool) -> None:
    owner: Any = session(context(lambda: stopped))
    runner: Any = Runner(pass_through("in", "out"), StreamsConfig(ENTRIES), owner)
    runner._query, runner._again = GoneQuery(), (owner, None, None)
    if stopped:
        runner.halt()
        return
    with pytest.raises(Py4JNetworkError):
        runner.halt()


@pytest.mark.parametrize("error", [ConnectionRefusedError(), Py4JNetworkError("no answer")])
def test_without_a_query_the_end_of_the_jvm_is_noticed(error: Exception) -> None:
    """As of a paused application, and of a hot spare: each stayed as it was, for ever."""

    def refused() -> bool:
        raise error

    runner = Runner(pass_through("in", "out"), StreamsConfig(ENTRIES), session(context(refused)))

    for look in (runner.lost, runner._check_waiting):
        runner._look_at = 0.0
        with pytest.raises(type(error)):
            look()


def test_a_spare_whose_session_is_stopped_waits_no_longer() -> None:
    runner = Runner(pass_through("in", "out"), StreamsConfig(ENTRIES), session(None))

    with pytest.raises(StreamsException, match="was stopped"):
        runner._check_waiting()


def test_a_paused_query_without_its_jvm_does_not_seem_to_start_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runner = Runner(pass_through("in", "out"), StreamsConfig(ENTRIES), session(context(ended)))
    monkeypatch.setattr(runner._instance, "check", lambda: None)
    runner.hold()

    with pytest.raises(Py4JNetworkError):
        runner.restart()
