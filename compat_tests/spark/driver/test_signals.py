"""Signals while a program waits for the end of its application."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from compat_tests.spark.driver.test_lifecycle import PATIENCE_S, App, soon, when
from millstream.testing.broker import wait_for
from millstream.topology.spark.driver import lifecycle

CAUGHT = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    before = [signal.getsignal(each) for each in CAUGHT]
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield App(tmp_path)
    for number, handler in zip(CAUGHT, before, strict=True):
        signal.signal(number, handler)


def sent(*numbers: int) -> Callable[[], None]:
    def send() -> None:
        for number in numbers:
            os.kill(os.getpid(), number)

    return send


def at_closing(app: App) -> threading.Event:
    closing = threading.Event()
    app.setStateListener(lambda new, _: closing.set() if new.name == "PENDING_SHUTDOWN" else None)
    return closing


def test_two_signals_at_once_close_after_the_current_batch(app: App) -> None:
    when(app.runner.started, sent(signal.SIGINT, signal.SIGTERM))
    app.run()
    assert not app.runner.hurried
    assert app.states[-1] == "NOT_RUNNING"


def test_signals_count_over_several_calls_of_wait(app: App) -> None:
    app.runner.may_stop.clear()
    app.start()
    for _ in range(2):
        timer = threading.Timer(0.05, sent(signal.SIGINT))
        timer.start()
        app.wait(500)
        timer.join()
    assert app.runner.hurried
    assert app.wait() is True


def test_the_end_of_a_terminal_closes_the_application(app: App) -> None:
    when(app.runner.started, sent(signal.SIGHUP))
    app.run()
    assert app.states[-1] == "NOT_RUNNING"
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_DFL


def test_the_end_of_a_terminal_means_what_the_program_wants(app: App) -> None:
    told: list[int] = []
    signal.signal(signal.SIGHUP, lambda number, _: told.append(number))
    seen: list[str] = []

    def sends() -> None:
        sent(signal.SIGHUP)()
        assert wait_for(lambda: told, PATIENCE_S)
        seen.append(app.state().name)
        app.close()

    when(app.runner.started, sends)
    app.run()
    assert (told, seen) == ([signal.SIGHUP], ["RUNNING"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_handler_of_the_program_is_called_when_the_application_closes(
    app: App, number: int
) -> None:
    told: list[Any] = []

    def handler(came: int, frame: Any) -> None:
        told.append((came, app.state().hasStartedOrFinishedShuttingDown(), frame is not None))

    signal.signal(number, handler)
    when(app.runner.started, sent(number))
    app.run()
    assert told == [(number, True, True)]
    assert signal.getsignal(number) is handler


def test_a_handler_that_closes_the_application_does_not_keep_later_signals_waiting(
    app: App,
) -> None:
    app.runner.may_stop.clear()
    answers: list[bool] = []
    signal.signal(signal.SIGTERM, lambda *_: answers.append(app.close()))
    closing = at_closing(app)
    when(app.runner.started, sent(signal.SIGTERM))
    when(closing, sent(signal.SIGTERM))
    app.run()
    assert app.runner.hurried
    assert answers == [False, False] or answers == [False, True]


def test_a_handler_that_ends_the_program_ends_it_after_the_current_batch(app: App) -> None:
    def handler(*_: Any) -> None:
        called.set()
        raise SystemExit(3)

    called = threading.Event()
    app.runner.may_stop.clear()
    signal.signal(signal.SIGTERM, handler)
    when(app.runner.started, sent(signal.SIGTERM))
    when(called, app.runner.may_stop.set)
    with pytest.raises(SystemExit) as ended:
        app.run()
    assert ended.value.code == 3
    assert not app.runner.hurried
    assert app.states[-1] == "NOT_RUNNING"


def test_handlers_that_only_raise_keyboard_interrupt_are_not_called(app: App) -> None:
    when(app.runner.started, sent(signal.SIGINT))

    async def main() -> str:
        app.run()
        await asyncio.sleep(0)
        return app.state().name

    # asyncio.run has its own handler of SIGINT from Python 3.11 on.
    assert asyncio.run(main()) == "NOT_RUNNING"


@pytest.mark.parametrize("how", ["stopped session", "ended JVM"])
def test_a_signal_that_ends_spark_as_well_is_no_failure(
    app: App, how: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(timeout_s: float | None) -> None:
        raise ConnectionRefusedError("no JVM")

    def signalled() -> None:
        sent(signal.SIGTERM)()
        assert wait_for(lambda: app._signals.last, PATIENCE_S)
        app.runner.look = lambda: "SparkContext was shut down"
        app.runner.may_stop.set()

    app.runner.may_stop.clear()
    if how == "stopped session":
        app.runner.is_stopped = True
    else:
        monkeypatch.setattr(lifecycle, "ended_jvm", lambda: "exited with status 143")
        monkeypatch.setattr(app.runner, "stop", refuse)
    when(app.runner.started, signalled)
    app.run()
    assert app.states[-1] == "NOT_RUNNING"
    assert "SIGTERM has ended Spark as well; closing without the end" in caplog.text
    assert "failed" not in caplog.text


def test_a_batch_that_fails_while_the_application_closes_is_told(
    app: App, caplog: pytest.LogCaptureFixture
) -> None:
    app.runner.may_stop.clear()
    closing = at_closing(app)
    app.start()
    soon(app.close)
    assert closing.wait(PATIENCE_S)
    app.runner.look = lambda: "org.example.Boom: of the last batch"
    app.runner.may_stop.set()
    assert app.close() is True
    assert "the last batch failed while closing; the next start repeats it" in caplog.text
    assert "of the last batch" in caplog.text


def test_a_thread_of_asyncio_is_told_that_no_signal_closes_the_application(
    app: App, caplog: pytest.LogCaptureFixture
) -> None:
    when(app.runner.started, app.close)
    asyncio.run(asyncio.to_thread(app.run))
    assert "signals do not close what waits in a thread of asyncio" in caplog.text
    assert app.states[-1] == "NOT_RUNNING"
