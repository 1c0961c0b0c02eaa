"""What a program can still ask when Spark's JVM has ended."""

from __future__ import annotations

import os
import resource
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JNetworkError
from pyspark import SparkContext
from pyspark.errors import PySparkRuntimeError

from compat_tests.spark.driver.test_lifecycle import App, app
from millstream import StreamsConfig, StreamsException
from millstream.topology.spark.driver import jvm, query, unexpected
from millstream.topology.spark.driver.query import QueryControl
from millstream.topology.spark.logs import LogOptions

__all__ = ["app"]

ENTRIES = {"application.id": "app", "bootstrap.servers": "127.0.0.1:9"}
REPORT = '{"batchId": 3, "numInputRows": 7, "sources": []}'


class Progress:
    json = REPORT


class Query:
    """A query whose JVM may end."""

    error: Exception | None = None

    @property
    def lastProgress(self) -> Any:
        if self.error is not None:
            raise self.error
        return Progress


@pytest.mark.parametrize(
    ("most", "told"), [(160, "may open 160 files only"), (1024, "It ended"), (-1, "It ended")]
)
def test_a_jvm_that_may_open_too_few_files_does_not_start_and_that_is_told(
    most: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def launch_gateway(*_: Any) -> Any:
        raise PySparkRuntimeError("Java gateway process exited")

    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setattr(SparkContext, "_gateway", None)
    monkeypatch.setattr(jvm, "launch_gateway", launch_gateway)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (most, most))
    with pytest.raises(StreamsException, match="cannot start Spark's JVM") as caught:
        jvm.launched_jvm({}, None)
    assert told in caught.value.detail
    assert ("ulimit -n" in caught.value.detail) == (most == 160)


def test_a_machine_whose_name_nobody_knows_is_told_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def launch_gateway(_: Any, options: Any) -> Any:
        os.write(options["stderr"], b"Caused by: java.net.UnknownHostException: here: unknown\n")
        raise PySparkRuntimeError("Java gateway process exited")

    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setattr(SparkContext, "_gateway", None)
    monkeypatch.setattr(jvm, "launch_gateway", launch_gateway)
    monkeypatch.setattr(jvm, "gethostname", lambda: "here")
    with pytest.raises(StreamsException) as caught:
        jvm.launched_jvm({}, LogOptions("quiet", tmp_path / "app.log"))
    assert caught.value.detail == 'The network does not know the name of this machine, "here".'
    assert "SPARK_LOCAL_IP" in caught.value.hint


@pytest.fixture
def control() -> QueryControl:
    control: Any = QueryControl(StreamsConfig(ENTRIES))
    control._query = Query()
    return control  # type: ignore[no-any-return]


@pytest.mark.parametrize("error", [ConnectionRefusedError(), Py4JNetworkError("no answer")])
def test_the_last_known_progress_stays(
    control: Any, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = control.last_progress()
    assert known["batchId"] == 3
    control._query.error = error
    monkeypatch.setattr(query, "ended_jvm", lambda: "was killed by SIGKILL")

    assert control.last_progress() == known


def test_an_error_of_a_jvm_that_runs_is_raised(
    control: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    control._query.error = Py4JNetworkError("no answer")
    monkeypatch.setattr(query, "ended_jvm", lambda: None)

    with pytest.raises(Py4JNetworkError):
        control.last_progress()


class GoneQueries:
    """Queries that Spark does not answer any more."""

    def lags(self) -> None:
        raise Py4JNetworkError("no answer")

    def close(self) -> None: ...


def test_after_the_end_no_store_has_a_position(app: App) -> None:
    queries: Any = GoneQueries()
    app.start()
    app._queries = queries
    with pytest.raises(Py4JNetworkError):
        app.allLocalStorePartitionLags()
    app.close()

    assert app.allLocalStorePartitionLags() == {}


def test_copies_of_stores_are_closed_although_nobody_answers(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the next application of the process finds them in use."""

    def refuse(*_: Any) -> None:
        raise Py4JNetworkError("no answer")

    closed: list[str] = []
    app.start()
    monkeypatch.setattr(app, "_notify", refuse)
    monkeypatch.setattr(app, "_close_queries", lambda: closed.append(app.state().name))
    monkeypatch.setattr(app.runner, "stop", refuse)

    assert app.close() is True
    assert closed == ["PENDING_SHUTDOWN"]


def test_what_needs_the_jvm_raises_that_it_has_ended(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> Any:
        raise ConnectionRefusedError

    runner: Any = app.runner
    runner.hold = runner.go_on = runner.savepoint = refuse
    monkeypatch.setattr(unexpected, "ended_jvm", lambda: "was killed by SIGKILL")
    app._paused = True

    for call in (app.pause, app.resume, lambda: app.savepoint("there")):
        with pytest.raises(StreamsException, match="Spark's JVM has ended"):
            call()
