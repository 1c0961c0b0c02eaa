"""Errors that end a start: the caller gets those of this API, with Spark's own as the cause."""

from __future__ import annotations

from typing import Any

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import SparkRuntimeException

from compat_tests.spark.java_errors import JavaError
from millstream import StreamsException
from millstream.core.errors import ConfigException
from millstream.topology.spark.driver.session import _started
from millstream.topology.spark.driver.unexpected import start_failure


@pytest.mark.parametrize("error", [SparkRuntimeException("no such thing"), Py4JError("gone")])
def test_an_error_of_spark_becomes_one_of_this_api(error: Exception) -> None:
    failure = start_failure(error)
    assert isinstance(failure, StreamsException)
    assert str(error) in failure.detail
    assert failure.__cause__ is error


@pytest.mark.parametrize("error", [ConfigException("odd"), ValueError("of a listener")])
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
