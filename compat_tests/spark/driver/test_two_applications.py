"""Two applications in one program whose ends cross, and starts and closes at the same moment."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from compat_tests.spark.driver.test_lifecycle import PATIENCE_S, App, soon
from millstream import IllegalStateException
from millstream.topology.spark.driver import lifecycle
from millstream.topology.spark.driver.query import StartCancelled


@pytest.fixture
def pair(tmp_path: Path) -> tuple[App, App]:
    return App(tmp_path / "one"), App(tmp_path / "two")


def closes(app: App, other: App) -> None:
    """Let one application close the other one when it has ended."""

    def ended(new: Any, _: Any) -> None:
        app.states.append(new.name)
        if new.hasCompletedShutdown():
            assert other.close() is True

    app.setStateListener(ended)


def test_applications_that_close_each_other_at_their_ends_do_not_wait_for_ever(
    pair: tuple[App, App],
) -> None:
    """As in Kafka Streams, where close() of an ended application returns at once."""
    one, two = pair
    closes(one, two)
    closes(two, one)
    one.start()
    two.start()
    closing = soon(one.close)
    closing.join(PATIENCE_S)
    assert not closing.is_alive()
    assert one.states[-1] == two.states[-1] == "NOT_RUNNING"


def test_a_failed_application_and_the_one_that_it_closes_end(pair: tuple[App, App]) -> None:
    one, two = pair
    closes(one, two)
    closes(two, one)
    two.start()
    one.runner.look = lambda: "boom"
    one.start()
    assert two._machine.wait_until_over(PATIENCE_S)
    assert one._machine.wait_until_over(PATIENCE_S)
    assert (one.states[-1], two.states[-1]) == ("ERROR", "NOT_RUNNING")


def test_a_handler_may_close_an_application_that_closes_its_own(pair: tuple[App, App]) -> None:
    one, two = pair
    closes(two, one)
    one.setUncaughtExceptionHandler(lambda _: two.close())
    two.start()
    one.runner.look = lambda: "boom"
    one.start()
    assert two._machine.wait_until_over(PATIENCE_S)
    assert one._machine.wait_until_over(PATIENCE_S)


def test_close_in_a_listener_tells_whether_the_application_has_ended(
    pair: tuple[App, App],
) -> None:
    app, answers = pair[0], dict[str, bool]()
    app.runner.may_stop.clear()

    def listener(new: Any, _: Any) -> None:
        if new.name in ("RUNNING", "NOT_RUNNING"):
            answers[new.name] = app.close()
            app.runner.may_stop.set()

    app.setStateListener(listener)
    app.start()
    assert app._machine.wait_until_over(PATIENCE_S)
    assert answers == {"RUNNING": False, "NOT_RUNNING": True}


class SeenLock:
    """A lock that tells when a second thread wants it."""

    def __init__(self) -> None:
        self.lock, self.wanted, self.second = threading.RLock(), 0, threading.Event()

    def __enter__(self) -> None:
        self.wanted += 1
        if self.wanted == 2:
            self.second.set()
        self.lock.acquire()

    def __exit__(self, *_: object) -> None:
        self.lock.release()


def test_of_two_starts_at_once_one_is_refused(
    pair: tuple[App, App], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, both went on, with two queries."""
    app, lock = pair[0], SeenLock()
    monkeypatch.setattr(app, "_launching", lock)
    checks: list[bool] = []

    def check() -> None:
        checks.append(lock.second.wait(PATIENCE_S))

    monkeypatch.setattr(lifecycle, "check_threads", check)
    refused: list[Exception] = []

    def start() -> None:
        try:
            app.start()
        except IllegalStateException as error:
            refused.append(error)

    for thread in [soon(start), soon(start)]:
        thread.join(PATIENCE_S)
    assert checks == [True]
    assert len(refused) == 1
    assert "cannot start: the application is " in str(refused[0])
    assert app.states == ["REBALANCING", "RUNNING"]
    assert app.close() is True


def test_resume_while_the_application_closes_does_nothing(pair: tuple[App, App]) -> None:
    app = pair[0]
    app.runner.hold = lambda: None  # type: ignore[attr-defined]

    def go_on() -> None:
        raise StartCancelled

    app.runner.go_on = go_on  # type: ignore[attr-defined]
    app.start()
    app.pause()
    app.resume()
    assert not app.isPaused()
    assert app.close() is True
