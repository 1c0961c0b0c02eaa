"""Failures of workers whose text or arguments cannot go to the driver as they are."""

from __future__ import annotations

import traceback

import pytest

from compat_tests.spark.test_failures import Plain, as_a_task
from millstream.topology.spark.failures import WorkerFailure, failure_from, reported


@pytest.mark.parametrize(
    "text", ["half of a pair: \ud83d", "of a file name: \udcff"], ids=["half", "file name"]
)
def test_an_error_that_utf_8_cannot_write_is_told_with_its_place(text: str) -> None:
    with pytest.raises(WorkerFailure) as caught, reported(), as_a_task():
        raise Plain(text)
    # Spark's worker writes the whole trace after it has told the JVM that one comes.
    failure = failure_from("".join(traceback.format_exception(caught.value)).encode().decode())
    assert failure.getMessage() == "cannot process a record"
    assert type(failure.__cause__) is Plain
    assert str(failure.__cause__) == text.encode("utf-8", "backslashreplace").decode()


def test_an_error_with_a_value_that_utf_8_cannot_write_keeps_its_parts() -> None:
    with pytest.raises(WorkerFailure) as caught, reported(), as_a_task():
        "half of a pair: \ud83d".encode()
    failure = failure_from(str(caught.value))
    assert failure.getMessage() == "cannot process a record"
    assert "can't encode character '\\ud83d'" in str(failure.__cause__)


@pytest.mark.parametrize(
    "error",
    [
        KeyError(float("nan")),
        ValueError("a price", float("-inf")),
        ValueError(10**5000),
        ValueError("x" * (20 << 20)),
    ],
    ids=["not a number", "infinity", "a long number", "a long text"],
)
def test_an_error_with_any_argument_keeps_its_parts(error: Exception) -> None:
    with pytest.raises(WorkerFailure) as caught, reported(), as_a_task():
        raise error
    failure = failure_from(str(caught.value))
    assert failure.getMessage() == "cannot process a record"
    assert type(error).__name__ in repr(failure.__cause__)
