"""Users' listeners and handlers that call sys.exit(), or are none: the application ends as told."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.spark.driver.test_lifecycle import (
    CLOSED,
    FAILED,
    PATIENCE_S,
    RUNNING,
    App,
    app,
    soon,
)
from compat_tests.spark.support import eventually
from millstream import (
    ClassCastException,
    KafkaStreams,
    StandbyUpdateListener,
    StateRestoreListener,
    StreamsException,
    StreamsUncaughtExceptionHandler,
    StreamThreadExceptionResponse,
)
from millstream.plugins.observers import Observer, Observers
from millstream.topology.spark.driver import observing
from millstream.topology.spark.driver.observing import ObserversApart
from millstream.topology.spark.driver.query import STOPPED

__all__ = ["app"]


def raising(error: BaseException) -> Callable[..., Any]:
    def refuse(*_: Any) -> Any:
        raise error

    return refuse


STOPS = [SystemExit(1), KeyboardInterrupt(), GeneratorExit()]


@pytest.mark.parametrize("stop", STOPS, ids=repr)
def test_a_handler_that_calls_exit_ends_the_application(
    app: App, stop: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    app.runner.look = lambda: "boom"
    app.setUncaughtExceptionHandler(raising(stop))
    with pytest.raises(StreamsException, match="the Spark query failed"):
        app.run()
    assert app.states == RUNNING + FAILED
    assert "an uncaught exception handler" in caplog.text
    assert ("called sys.exit(), which ends no program" in caplog.text) is (stop is STOPS[0])


class Touchy:
    @property
    def name(self) -> str:
        raise ValueError("do not ask")


def test_an_answer_that_raises_when_it_is_looked_at_ends_the_application(
    app: App, caplog: pytest.LogCaptureFixture
) -> None:
    app.runner.look = lambda: "boom"
    app.setUncaughtExceptionHandler(lambda error: Touchy())
    with pytest.raises(StreamsException, match="the Spark query failed"):
        app.run()
    assert app.states == RUNNING + FAILED
    assert "an uncaught exception handler failed" in caplog.text
    assert "do not ask" in caplog.text


@pytest.mark.parametrize("state", [*RUNNING, *FAILED, *CLOSED])
def test_a_listener_that_calls_exit_holds_up_nothing(
    app: App, state: str, caplog: pytest.LogCaptureFixture
) -> None:
    leave = raising(SystemExit(1))
    app.setStateListener(lambda new, old: leave(new) if new.name == state else None)
    if state in CLOSED:
        app.start()
        assert app.close() is True
    else:
        app.runner.look = lambda: "boom"
        with pytest.raises(StreamsException, match="the Spark query failed"):
            app.run()
    assert "called sys.exit(), which ends no program" in caplog.text
    assert app.state().hasCompletedShutdown()


@pytest.mark.parametrize("state", ["REBALANCING", "PENDING_SHUTDOWN"])
def test_an_interrupt_that_a_listener_gets_reaches_the_main_program(app: App, state: str) -> None:
    interrupt = raising(KeyboardInterrupt())
    app.setStateListener(lambda new, old: interrupt(new) if new.name == state else None)
    with pytest.raises(KeyboardInterrupt), app:
        pass
    assert app._machine.wait_until_over(PATIENCE_S)
    assert app.state().name == "NOT_RUNNING"


def test_nothing_ends_the_watching_thread_in_silence(app: App) -> None:
    app.runner.look = raising(SystemExit(3))
    with pytest.raises(StreamsException, match="cannot follow the Spark query any more"):
        app.run()
    assert app.states == RUNNING + FAILED
    assert app.runner.stopped == ["halted"]


def test_a_query_that_was_closed_has_not_failed(app: App, caplog: pytest.LogCaptureFixture) -> None:
    looks, closing = threading.Event(), threading.Event()

    def ended() -> str:
        looks.set()
        assert closing.wait(PATIENCE_S)
        return STOPPED

    app.runner.look = ended
    app.start()
    assert looks.wait(PATIENCE_S)
    closer = soon(app.close)
    assert app._stopping.wait(PATIENCE_S)
    closing.set()
    closer.join(PATIENCE_S)
    assert app.states == RUNNING + CLOSED
    assert not [each for each in caplog.records if each.levelname == "ERROR"]


def test_a_query_that_somebody_else_stopped_has_failed(app: App) -> None:
    app.runner.look = lambda: STOPPED
    with pytest.raises(StreamsException, match="the Spark query failed") as caught:
        app.run()
    assert STOPPED in str(caught.value)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("REPLACE_THREAD", "cannot be a str"),
        (StreamThreadExceptionResponse.REPLACE_THREAD, "cannot be a StreamThreadExceptionResponse"),
        (StreamsUncaughtExceptionHandler, "cannot be the class StreamsUncaughtExceptionHandler"),
        (lambda thread, error: None, r"cannot be called with \(exception\)"),
    ],
)
def test_what_is_no_handler_is_refused_at_once(app: App, given: Any, problem: str) -> None:
    with pytest.raises(ClassCastException, match=problem):
        app.setUncaughtExceptionHandler(given)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("RUNNING", "cannot be a str"),
        (KafkaStreams.StateListener, "cannot be the class StateListener"),
        (lambda state: None, r"cannot be called with \(newState, oldState\)"),
    ],
)
def test_what_is_no_listener_is_refused_at_once(app: App, given: Any, problem: str) -> None:
    with pytest.raises(ClassCastException, match=problem):
        app.setStateListener(given)


class Restored:
    """A restore listener that lacks a method."""

    def onRestoreStart(self, *_: Any) -> None: ...

    def onRestoreEnd(self, *_: Any) -> None: ...


class NeverRuns(Restored):
    """A restore listener one of whose methods nobody awaits."""

    async def onBatchRestored(self, *_: Any) -> None: ...


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (NeverRuns(), r"onBatchRestored\(\) of .* cannot be an async function"),
        (print, "cannot be a builtin_function_or_method"),
        (Restored(), r"(?s)cannot be a Restored.*with the method onBatchRestored\(\)"),
        (StateRestoreListener, "cannot be the class StateRestoreListener"),
    ],
)
def test_what_is_no_restore_listener_is_refused_at_once(app: App, given: Any, problem: str) -> None:
    with pytest.raises(ClassCastException, match=problem):
        app.setGlobalStateRestoreListener(given)
    app.setGlobalStateRestoreListener(None)


def test_what_is_no_standby_update_listener_is_refused_at_once(app: App) -> None:
    with pytest.raises(ClassCastException, match="standbyListener cannot be a Restored"):
        app.setStandbyUpdateListener(Restored())  # type: ignore[arg-type]
    with pytest.raises(ClassCastException, match="cannot be the class StandbyUpdateListener"):
        app.setStandbyUpdateListener(StandbyUpdateListener)  # type: ignore[arg-type]


class Leaving(Observer):
    """Ends the program in a change of state, or so it means."""

    name = "leaving"
    state = ""

    def state_changed(self, new: str, old: str) -> None:
        if new == self.state:
            raise SystemExit(1)

    def failed(self, error: Exception) -> None:
        raise SystemExit(1)

    def close(self) -> None:
        raise SystemExit(1)


@pytest.mark.parametrize("state", [*RUNNING, *FAILED, *CLOSED])
def test_an_observer_that_calls_exit_has_no_effect(
    app: App, state: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Leaving, "state", state)
    app._observers = Observers([Leaving("app", {})])
    monkeypatch.setattr(app.runner, "last_report", lambda: None)
    app.start()
    if state in FAILED:
        app.runner.look = lambda: "boom"
        with pytest.raises(StreamsException, match="the Spark query failed"):
            app.wait()
    else:
        assert app.close() is True
    assert app.states == RUNNING + (FAILED if state in FAILED else CLOSED)
    assert "an observer failed observer=leaving" in caplog.text


class Hanging(Observer):
    """An exporter whose server does not answer."""

    name = "hanging"

    def __init__(self) -> None:
        super().__init__("app", {})
        self.answers, self.closed = threading.Event(), threading.Event()
        self.heard: list[str] = []

    def state_changed(self, new: str, old: str) -> None:
        self.heard.append(new)

    def batch_done(self, metrics: Any) -> None:
        self.heard.append("batch")
        assert self.answers.wait(PATIENCE_S)

    def close(self) -> None:
        self.closed.set()


@pytest.mark.parametrize("fails", [True, False])
def test_an_observer_that_hangs_keeps_nobody_from_the_end(
    app: App, fails: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The watcher waited for it: the failure was not seen, and the lease was renewed."""
    hanging, reports = Hanging(), iter(range(PATIENCE_S * 100))
    monkeypatch.setattr(observing, "PATIENCE_S", 0.01)
    app._observers = ObserversApart([hanging])
    monkeypatch.setattr(app.runner, "last_report", lambda: (next(reports), "", True))
    app.runner.look = lambda: "boom" if fails and hanging.heard[-1] == "batch" else None
    app.start()
    if fails:
        with pytest.raises(StreamsException, match="the Spark query failed"):
            app.wait()
    else:
        eventually(lambda: hanging.heard[-1], "batch")
        assert app.close() is True
    assert app.runner.released
    assert not hanging.closed.is_set()
    assert "observer hanging has not come back" in caplog.text
    hanging.answers.set()
    assert hanging.closed.wait(PATIENCE_S)
    assert hanging.heard == [*RUNNING, "batch", *(FAILED if fails else CLOSED)]


def test_an_observer_may_close_the_application(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    class Closing(Hanging):
        def batch_done(self, metrics: Any) -> None:
            assert app.close() is False
            super().state_changed("told", "")

    closing = Closing()
    app._observers = ObserversApart([closing])
    monkeypatch.setattr(app.runner, "last_report", lambda: (1, "", True))
    app.start()
    assert app.wait(PATIENCE_S * 1000)
    assert closing.heard == [*RUNNING, "PENDING_SHUTDOWN", "told", "NOT_RUNNING"]
