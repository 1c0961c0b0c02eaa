"""A punctuator that cannot be called with a time is refused where it is scheduled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from millstream import (
    ClassCastException,
    Processor,
    PunctuationType,
    Serdes,
    StreamsBuilder,
    StreamsException,
)
from millstream.testing import MockProcessorContext, TopologyTestDriver

WALL = PunctuationType.WALL_CLOCK_TIME


class Method:
    """A punctuator whose method takes nothing."""

    def punctuate(self) -> None:
        raise AssertionError


def two(first: int, second: int) -> None:
    raise AssertionError


@pytest.mark.parametrize(
    ("callback", "taken"),
    [(lambda: None, "()"), (two, "(first, second)"), (Method(), "()")],
)
def test_other_arguments_are_refused_at_schedule(callback: Any, taken: str) -> None:
    class Schedules(Processor[str, str, str, str]):
        def init(self, context: Any) -> None:
            context.schedule(10, WALL, callback)

        def process(self, record: Any) -> None: ...

    builder = StreamsBuilder()
    builder.stream("in").process(Schedules)
    config = {"default.key.serde": Serdes.String(), "default.value.serde": Serdes.String()}
    with pytest.raises(StreamsException) as raised:
        TopologyTestDriver(builder.build(), config)
    cause: Any = raised.value.__cause__
    assert isinstance(cause, ClassCastException)
    assert "callback cannot be called with (timestamp)" in cause.problem
    assert taken in cause.detail
    assert "Let it take 1 argument: timestamp" in cause.hint
    with pytest.raises(ClassCastException, match="callback cannot be called"):
        MockProcessorContext().schedule(10, WALL, callback)


@pytest.mark.parametrize(
    "callback",
    [lambda time: None, lambda *times: None, lambda a, b=5: None, print, [].append],
)
def test_what_takes_a_time_is_taken(callback: Callable[[int], Any]) -> None:
    context: MockProcessorContext[str, str] = MockProcessorContext()
    context.schedule(10, WALL, callback)
    context.scheduledPunctuators()[0].getPunctuator().punctuate(5)


def test_a_class_with_the_method_is_no_punctuator() -> None:
    with pytest.raises(ClassCastException, match="callback cannot be the class Method"):
        MockProcessorContext().schedule(10, WALL, Method)
