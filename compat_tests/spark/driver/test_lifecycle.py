"""Start, wait, close and failure of an application whose query is a stand-in."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from millstream import (
    IllegalArgumentException,
    IllegalStateException,
    KafkaStreams,
    StreamsConfig,
    StreamsException,
    Topology,
)
from millstream.topology.spark.driver.deleted_records import DeletedRecords
from millstream.topology.spark.driver.hidden_modules import (
    of_local_workers,
    of_the_standard_library,
)
from millstream.topology.spark.driver.query import StartCancelled
from millstream.topology.spark.driver.signals import Signals

PATIENCE_S = 30


class StandInRunner:
    """A query that starts and stops at a word."""

    def __init__(self) -> None:
        self.application_id = "app"
        self.may_start = threading.Event()
        self.may_start.set()
        self.may_stop = threading.Event()
        self.may_stop.set()
        self.started = threading.Event()
        self.stopped: list[str] = []
        self.start_error: BaseException | None = None
        self.taken: Exception | None = None
        self.waiting_for = ""
        self.look: Callable[[], str | None] = lambda: None
        self.over = self.hurried = self.released = self.is_stopped = False
        self.rebuilt = None
        self.progress: dict[str, Any] | None = None
        config = {"application.id": "app", "bootstrap.servers": "127.0.0.1:9"}
        self.deleted = DeletedRecords(StreamsConfig(config))
        self.plan = Topology().addSource("source", "in").addSink("sink", "out", "source").plan()
        self.log: Any = None
        self.state_dir: Any = None

    def start(self) -> None:
        self.started.set()
        assert self.may_start.wait(PATIENCE_S)
        if self.over:
            raise StartCancelled
        if self.start_error is not None:
            raise self.start_error

    def local_places(self) -> list[Path]:
        return []

    def temporary_places(self) -> list[Path]:
        return []

    def hiding_files(self) -> dict[str, str]:
        return of_the_standard_library(of_local_workers("local[2]"))

    def restart(self) -> None:
        self.stopped.append("restarted")

    def no_more(self) -> None:
        self.over = True

    def hurry(self) -> None:
        self.hurried = True
        self.may_stop.set()

    def release(self) -> None:
        self.released = True

    def halt(self) -> None:
        self.stopped.append("halted")

    def stop(self, timeout_s: float | None) -> None:
        del timeout_s
        self.over = True
        assert self.may_stop.wait(PATIENCE_S)
        self.stopped.append("stopped")

    def lost(self) -> Exception | None:
        return self.taken

    def explained(self, failure: StreamsException) -> StreamsException:
        return failure

    def session_stopped(self) -> bool:
        return self.is_stopped

    def failure(self) -> str | None:
        return self.look()

    def batch_ended(self) -> bool:
        return False

    def missing_topics(self) -> list[str]:
        return []

    def busy_with(self) -> object:
        return None if self.progress is None else "a batch"

    def last_report(self) -> object:
        return id(self.progress)

    def last_progress(self) -> dict[str, Any] | None:
        return self.progress

    def recent_progress(self) -> list[Any]:
        return []

    def tasks(self) -> int:
        return 2


class App(KafkaStreams):
    """An application on a stand-in."""

    def __init__(self, state_dir: Path) -> None:
        entries = {
            "application.id": "app",
            "bootstrap.servers": "127.0.0.1:9",
            "state.dir": str(state_dir),
        }
        topology = Topology().addSource("source", "in").addSink("sink", "out", "source")
        super().__init__(topology, entries)
        self.runner = StandInRunner()
        self.runner.log, self.runner.state_dir = self._runner.log, self._runner.state_dir
        self._runner: Any = self.runner
        self.states: list[str] = []
        self.setStateListener(lambda new, _: self.states.append(new.name))

    def _prepare_queries(self) -> None:
        pass

    def _close_queries(self) -> None:
        pass


@pytest.fixture
def app(tmp_path: Path) -> App:
    return App(tmp_path)


def soon(call: Callable[[], Any]) -> threading.Thread:
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    return thread


def when(event: threading.Event, call: Callable[[], Any]) -> threading.Thread:
    return soon(lambda: (event.wait(PATIENCE_S), call()))


def start_until_it_has_failed(app: App, then: Exception | None = None) -> None:
    app.start()
    app._machine.wait_until_over(PATIENCE_S)
    if then is not None:
        raise then


RUNNING = ["REBALANCING", "RUNNING"]
CLOSED = ["PENDING_SHUTDOWN", "NOT_RUNNING"]
FAILED = ["PENDING_ERROR", "ERROR"]


def test_run_raises_what_ended_the_application(app: App) -> None:
    app.runner.look = lambda: "boom"
    with pytest.raises(StreamsException, match="the Spark query failed"):
        app.run()
    assert app.states == RUNNING + FAILED
    assert app.close() is True
    assert app.runner.released


def test_wait_raises_it_too_and_with_does_not_repeat_it(app: App) -> None:
    app.runner.look = lambda: "boom"
    with app:
        app.start()
        with pytest.raises(StreamsException):
            app.wait()
        assert app.state().name == "ERROR"


def test_leaving_with_raises_a_failure_that_nothing_else_has_raised(app: App) -> None:
    app.runner.look = lambda: "boom"
    with pytest.raises(StreamsException, match="the Spark query failed"), app:
        start_until_it_has_failed(app)


def test_leaving_with_keeps_an_error_of_its_block(app: App) -> None:
    app.runner.look = lambda: "boom"
    with pytest.raises(KeyError), app:
        start_until_it_has_failed(app, KeyError("of the block"))


def test_with_starts_and_one_start_in_its_block_does_nothing_more(app: App) -> None:
    with app as entered:
        assert entered is app
        assert not app.state().hasNotStarted()
        app.start()
        with pytest.raises(IllegalStateException, match="cannot start"):
            app.start()
    assert app.state().name == "NOT_RUNNING"


def test_run_returns_when_the_application_is_closed(app: App) -> None:
    when(app.runner.started, app.close)
    app.run()
    assert app.states[-2:] == CLOSED
    assert app.runner.stopped == ["stopped"]


def test_an_error_at_the_start_comes_out_of_start_and_of_run(tmp_path: Path) -> None:
    for how in (App.start, App.run):
        app = App(tmp_path)
        app.runner.start_error = StreamsException("no such thing")
        with pytest.raises(StreamsException, match="no such thing"):
            how(app)
        assert app.states == ["REBALANCING", *FAILED]
        assert app.close() is True


def test_waiting_needs_a_start_and_a_sensible_timeout(app: App) -> None:
    with pytest.raises(IllegalStateException, match="cannot wait: the application is CREATED"):
        app.wait()
    with app:
        app.start()
        assert app.wait(0) is False
        with pytest.raises(IllegalArgumentException):
            app.wait(-1)
    assert app.wait() is True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_closes_a_running_application(app: App, number: int) -> None:
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    when(app.runner.started, lambda: os.kill(os.getpid(), number))
    app.run()
    assert app.states[-1] == "NOT_RUNNING"
    assert not app.runner.hurried
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == before


def test_a_second_signal_does_not_wait_for_the_batch(app: App) -> None:
    app.runner.may_stop.clear()
    closing = threading.Event()
    app.setStateListener(lambda new, _: closing.set() if new.name == "PENDING_SHUTDOWN" else None)
    when(app.runner.started, lambda: os.kill(os.getpid(), signal.SIGINT))
    when(closing, lambda: os.kill(os.getpid(), signal.SIGINT))
    app.run()
    assert app.runner.hurried
    assert app.state().name == "NOT_RUNNING"


def test_a_third_signal_leaves_at_once(app: App) -> None:
    app.runner.may_stop.clear()
    app.runner.hurry = lambda: os.kill(os.getpid(), signal.SIGTERM)  # type: ignore[method-assign]
    closing = threading.Event()
    app.setStateListener(lambda new, _: closing.set() if new.name == "PENDING_SHUTDOWN" else None)
    when(app.runner.started, lambda: os.kill(os.getpid(), signal.SIGTERM))
    when(closing, lambda: os.kill(os.getpid(), signal.SIGTERM))
    with pytest.raises(KeyboardInterrupt):
        app.run()
    app.runner.may_stop.set()
    assert app.close() is True


def test_a_signal_during_the_start_ends_the_start(app: App) -> None:
    app.runner.may_start.clear()
    closing = threading.Event()
    app.setStateListener(lambda new, _: closing.set() if new.name == "PENDING_SHUTDOWN" else None)
    when(app.runner.started, lambda: os.kill(os.getpid(), signal.SIGTERM))
    when(closing, app.runner.may_start.set)
    app.run()
    assert app.state().name == "NOT_RUNNING"
    assert app._watcher is None


def test_outside_the_main_thread_no_handlers_are_installed(app: App) -> None:
    before = signal.getsignal(signal.SIGTERM)
    seen: list[Any] = []
    app.setStateListener(lambda new, _: seen.append(signal.getsignal(signal.SIGTERM)))
    thread = soon(app.run)
    assert app.runner.started.wait(PATIENCE_S)
    assert app.close() is True
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    assert set(seen) == {before}


def test_a_handler_that_python_did_not_install_is_put_back_as_the_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with Signals() as signals:
        signals._before[signal.SIGTERM] = None
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    signal.signal(signal.SIGTERM, before)


def test_any_error_of_the_watcher_means_error_for_listener_and_handler(app: App) -> None:
    def refuse() -> str | None:
        raise ConnectionRefusedError("no JVM")

    app.runner.look = refuse
    seen: list[Exception] = []
    app.setUncaughtExceptionHandler(seen.append)
    with pytest.raises(StreamsException, match="cannot follow the Spark query") as caught:
        app.run()
    assert isinstance(caught.value.__cause__, ConnectionRefusedError)
    assert seen == [caught.value]
    assert app.states == RUNNING + FAILED
    assert app.runner.stopped == ["halted"]


def test_a_query_that_cannot_be_stopped_does_not_hold_up_close(app: App) -> None:
    def refuse(timeout_s: float | None) -> None:
        raise ConnectionRefusedError("no JVM")

    app.start()
    app.runner.stop = refuse  # type: ignore[method-assign]
    assert app.close() is True
    assert app.states == RUNNING + CLOSED


@pytest.mark.parametrize("state", [*RUNNING, *CLOSED])
def test_close_in_a_listener_does_not_wait_for_itself(app: App, state: str) -> None:
    answers: list[bool] = []
    app.setStateListener(lambda new, _: answers.append(app.close()) if new.name == state else None)
    when(app.runner.started, app.close)
    soon(app.runner.may_start.set)
    app.run()
    assert len(answers) == 1
    assert app.state().name == "NOT_RUNNING"


def test_close_in_a_handler_does_not_wait_for_itself(app: App) -> None:
    app.runner.look = lambda: "boom"
    app.setUncaughtExceptionHandler(lambda error: app.close())
    with pytest.raises(StreamsException, match="the Spark query failed"):
        app.run()
    assert app.states == RUNNING + CLOSED


def test_wait_in_a_handler_is_refused(app: App) -> None:
    found: list[Exception] = []

    def handler(error: Exception) -> None:
        try:
            app.wait()
        except IllegalStateException as refused:
            found.append(refused)

    app.runner.look = lambda: "boom"
    app.setUncaughtExceptionHandler(handler)
    with pytest.raises(StreamsException):
        app.run()
    assert len(found) == 1


def test_a_failing_listener_or_handler_does_not_hide_the_failure(app: App) -> None:
    def refuse(*_: Any) -> None:
        raise RuntimeError("of the user")

    app.setStateListener(refuse)
    app.setUncaughtExceptionHandler(refuse)
    app.runner.look = lambda: "boom"
    with pytest.raises(StreamsException, match="the Spark query failed"):
        app.run()


def test_a_replaced_thread_goes_on(app: App) -> None:
    answers = iter(["boom"])
    app.runner.look = lambda: next(answers, None)
    app.setUncaughtExceptionHandler(lambda error: "REPLACE_THREAD")
    app.start()
    while "restarted" not in app.runner.stopped:
        threading.Event().wait(0.01)
    assert app.close() is True
    assert app.states == RUNNING + RUNNING + CLOSED
