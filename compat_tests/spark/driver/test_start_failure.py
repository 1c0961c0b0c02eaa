"""Errors that end a start: the caller gets those of this API, with Spark's own as the cause."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import SparkRuntimeException

from compat_tests.spark.java_errors import JavaError
from millstream import StreamsException
from millstream.core.errors import ConfigException, ProcessorStateException
from millstream.topology.spark.driver import unexpected
from millstream.topology.spark.driver.session import _started
from millstream.topology.spark.driver.unexpected import start_failure


@pytest.mark.parametrize("error", [SparkRuntimeException("no such thing"), Py4JError("gone")])
def test_an_error_of_spark_becomes_one_of_this_api(error: Exception) -> None:
    failure = start_failure(error)
    assert isinstance(failure, StreamsException)
    assert str(error) in failure.detail
    assert failure.__cause__ is error


@pytest.mark.parametrize(
    "error", [ConfigException("odd"), ValueError("of a listener"), FileNotFoundError(2, "no", "f")]
)
def test_any_other_error_stays(error: Exception) -> None:
    assert start_failure(error) is error


def test_an_interruption_becomes_an_error() -> None:
    failure = start_failure(KeyboardInterrupt())
    assert isinstance(failure, StreamsException)
    assert "interrupted" in failure.problem


class Builder:
    """Builder of a session that Spark refuses to start."""

    def __init__(self, text: str) -> None:
        self._text = text

    def getOrCreate(self) -> Any:
        raise JavaError(self._text)


@pytest.mark.parametrize(
    "text",
    [
        "org.apache.spark.SparkException: 2 cores, 4 cpus per task\n\tat org.apache.Frame",
        "2 cores, 4 cpus per task",
    ],
)
def test_what_spark_says_to_a_setting_that_it_refuses_is_told_without_its_frames(text: str) -> None:
    with pytest.raises(StreamsException, match="Spark does not start") as caught:
        _started(Builder(text))
    assert caught.value.detail == "Spark says: 2 cores, 4 cpus per task"
    assert "spark-defaults.conf" in caught.value.hint


def test_a_socket_that_the_jvm_has_left_tells_of_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unexpected, "ended_jvm", lambda: "was killed by SIGKILL")
    failure = start_failure(ConnectionRefusedError())
    assert isinstance(failure, StreamsException)
    assert failure.problem == "Spark's JVM has ended"


def test_a_full_disk_is_told_with_the_file_and_what_to_do(tmp_path: Path) -> None:
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(tmp_path / "millstream.json"))
    failure = start_failure(error)
    assert isinstance(failure, ProcessorStateException)
    assert str(tmp_path) in failure.problem
    assert "Free space" in failure.hint
    assert failure.__cause__ is error


@pytest.mark.parametrize("code", [errno.EIO, errno.EROFS])
def test_a_disk_that_fails_is_told_with_the_file_and_what_to_do(code: int, tmp_path: Path) -> None:
    error = OSError(code, os.strerror(code), str(tmp_path / "millstream.json"))
    failure = start_failure(error)
    assert isinstance(failure, ProcessorStateException)
    assert str(tmp_path) in failure.problem
    assert "Check the disk" in failure.hint
    assert failure.__cause__ is error
