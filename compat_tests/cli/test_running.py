"""A run under the command's eyes: what ends it, and what is told."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from millstream import StreamsException
from millstream.cli.progress import RunProgress
from millstream.cli.running import Ending, PreparedApplication, run_to_end
from millstream.topology.spark.driver.state_machine import State


class Running:
    """Stands for ``KafkaStreams``: runs until it is closed, or fails."""

    def __init__(self, failure: Exception | None = None) -> None:
        self._closed = threading.Event()
        self._failure = failure

    def run(self) -> None:
        if self._failure is not None:
            raise self._failure
        assert self._closed.wait(60)

    def close(self) -> bool:
        self._closed.set()
        return True

    def state(self) -> State:
        return State.NOT_RUNNING if self._closed.is_set() else State.RUNNING

    def metrics(self) -> dict[Any, Any]:
        return {}


class Seen:
    interval_s = 0.0

    def __init__(self, error: Exception | None = None) -> None:
        self.shown: list[RunProgress] = []
        self.end: Mapping[str, Any] = {}
        self._error = error

    def show(self, progress: RunProgress) -> None:
        self.shown.append(progress)
        if self._error is not None:
            raise self._error

    def close(self, facts: Mapping[str, Any]) -> None:
        self.end = facts


def run(running: Any, seen: Seen, **ending: float) -> Exception | None:
    return run_to_end(PreparedApplication("app", running, None, 0.0), seen, Ending(**ending))


def test_a_time_limit_closes_the_application() -> None:
    seen = Seen()
    assert run(Running(), seen, for_s=0.0) is None
    assert seen.shown[-1].state == "NOT_RUNNING"
    assert seen.end == {"event": "closed"}


def test_a_failure_is_the_end_that_is_told() -> None:
    seen, failure = Seen(), StreamsException("cannot go on", detail="It broke.", hint="Mend it.")
    assert run(Running(failure), seen) is failure
    assert seen.end == {
        "event": "error",
        "problem": "cannot go on",
        "detail": "It broke.",
        "hint": "Mend it.",
    }


def test_a_display_that_fails_closes_the_application() -> None:
    seen = Seen(BrokenPipeError("gone"))
    failure = run(Running(), seen)
    assert isinstance(failure, BrokenPipeError)
    assert seen.end["event"] == "error"
