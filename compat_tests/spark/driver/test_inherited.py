"""Properties that the thread of a start takes from its caller, and a JVM that ends just then."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from py4j.clientserver import ClientServer
from py4j.protocol import Py4JNetworkError
from pyspark import SparkContext

from compat_tests.spark.driver.test_lifecycle import App
from millstream.topology.spark.driver import inherited


class Scala:
    """The JVM's context: properties by thread."""

    def __init__(self) -> None:
        self.given: list[tuple[str, Any]] = []
        self.asked_error: Exception | None = None
        self.given_error: Exception | None = None

    def sc(self) -> Scala:
        return self

    def getLocalProperties(self) -> Scala:
        if self.asked_error is not None:
            raise self.asked_error
        return self

    def clone(self) -> dict[str, str]:
        return {"spark.scheduler.pool": "mine"}

    def setLocalProperties(self, properties: Any) -> None:
        if self.given_error is not None:
            raise self.given_error
        self.given.append((threading.current_thread().name, properties))


class Context:
    def __init__(self, jsc: Scala) -> None:
        self._jsc = jsc


class Gateway(ClientServer):  # type: ignore[misc]  # Py4J has no types
    proc = None

    def __init__(self) -> None:
        pass


@pytest.fixture
def jvm(monkeypatch: pytest.MonkeyPatch) -> Scala:
    found = Scala()
    monkeypatch.setattr(SparkContext, "_active_spark_context", Context(found))
    monkeypatch.setattr(SparkContext, "_gateway", Gateway())
    return found


@pytest.fixture
def app(tmp_path: Path, jvm: Scala) -> App:
    del jvm
    return App(tmp_path)


def test_the_start_runs_with_the_callers_properties(app: App, jvm: Scala) -> None:
    app.start()
    assert jvm.given == [("app-starter", {"spark.scheduler.pool": "mine"})]
    app.close()


@pytest.mark.parametrize("ended", [None, "was killed by SIGKILL"])
def test_a_jvm_that_ends_before_the_start_is_left_to_the_start(
    app: App, jvm: Scala, monkeypatch: pytest.MonkeyPatch, ended: str | None
) -> None:
    forgotten: list[str] = []
    monkeypatch.setattr(inherited, "ended_jvm", lambda: ended)
    monkeypatch.setattr(inherited, "forget_ended_jvm", lambda: forgotten.append("JVM"))
    jvm.asked_error = Py4JNetworkError("no answer")
    app.start()
    assert app.state().name == "RUNNING"
    assert bool(forgotten) is (ended is not None)
    app.close()


def test_a_jvm_that_ends_in_the_new_thread_is_left_to_the_start(app: App, jvm: Scala) -> None:
    jvm.given_error = Py4JNetworkError("no answer")
    app.start()
    assert app.state().name == "RUNNING"
    app.close()
