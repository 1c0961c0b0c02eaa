"""Predicates whose result has no truth, such as a NumPy array: an error of their record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from compat_tests.topology.running import Event, run, shown
from millstream import (
    KStream,
    LogAndContinueProcessingExceptionHandler,
    Serdes,
    StreamsBuilder,
    StreamsException,
)

TEXT = Serdes.String()
CONFIG: dict[str, Any] = {"default.key.serde": TEXT, "default.value.serde": TEXT}
EVENTS = [Event("k", value, time) for time, value in enumerate("abcd")]
Operation = Callable[[KStream[str, str], Any], KStream[str, str]]
FILTERS = pytest.mark.parametrize("operation", [KStream.filter, KStream.filterNot])


def verdict(_key: str, value: str) -> Any:
    """Return what NumPy does for a comparison, of which it takes one item for a truth."""
    return np.array([1, 2] if value == "b" else [1]) > int(value == "c")


def sent(operation: Any, *, by_chunks: bool, **config: Any) -> list[Any]:
    builder = StreamsBuilder()
    operation(builder.stream("in"), verdict).to("out")
    found = run(builder.build().plan(), CONFIG | config, EVENTS, by_chunks=by_chunks)
    return [shown(each) for each in found if each.topic != "metrics"]


@FILTERS
def test_the_handler_is_asked_however_records_are_taken(operation: Operation) -> None:
    config = {
        "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
        "errors.dead.letter.queue.topic.name": "dead",
    }
    alone = sent(operation, by_chunks=False, **config)
    assert sent(operation, by_chunks=True, **config) == alone
    assert [each[2] for each in alone if each[0] == "dead"] == [b"b"]


@FILTERS
def test_the_error_names_the_record(operation: Operation) -> None:
    # Of records that were taken together, as on Spark, it named the task alone.
    with pytest.raises(StreamsException, match=r"operator .KSTREAM-FILTER") as e:
        sent(operation, by_chunks=True)
    assert "in-0 at offset 1" in str(e.value)
    assert "truth value of an array" in str(e.value)
