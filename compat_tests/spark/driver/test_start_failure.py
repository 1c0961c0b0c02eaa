"""Errors that end a start: the caller gets those of this API, with Spark's own as the cause."""

from __future__ import annotations

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import SparkRuntimeException

from millstream import StreamsException
from millstream.core.errors import ConfigException
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
