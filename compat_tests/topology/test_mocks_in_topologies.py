"""Mocks of unittest without a specification, which have any attribute that they are asked for."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock, Mock, patch

import pytest

from compat_tests.topology.driving import TEXT, Piping
from millstream import (
    Consumed,
    ContextualProcessor,
    Produced,
    PunctuationType,
    Record,
    Serdes,
    StreamsBuilder,
)

MOCKS = pytest.mark.parametrize("mock", [Mock, MagicMock])


class Forwards(ContextualProcessor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context().forward(record)


def piped(supply: Any, *stores: Any) -> list[Any]:
    builder = StreamsBuilder()
    for store in stores:
        builder.addStateStore(store)
    builder.stream("in").process(supply, *(store.name() for store in stores)).to("out")
    with Piping(builder.build()) as driver:
        return driver.pipe("in", "k", "v", 1) + driver.wait(1_000)


@MOCKS
def test_a_processor_whose_process_returns_another_mock_is_called(mock: Any) -> None:
    made: list[Any] = []

    def supply() -> Any:
        made.append(mock())
        return made[-1]

    # A MagicMock can be iterated, and was refused as an iterator of records that go nowhere.
    assert piped(supply) == []
    assert sum(each.process.call_count for each in made) == 1


def test_a_method_that_patch_replaces_is_called() -> None:
    with patch.object(Forwards, "process", autospec=True) as process:
        assert piped(Forwards) == []
    process.assert_called_once()


@MOCKS
def test_a_punctuator_is_called(mock: Any) -> None:
    punctuator = mock()

    class Schedules(ContextualProcessor[str, str, str, str]):
        def init(self, context: Any) -> None:
            context.schedule(1_000, PunctuationType.WALL_CLOCK_TIME, punctuator)

        def process(self, record: Record[str, str]) -> None: ...

    assert piped(Schedules) == []
    punctuator.assert_called_once_with(1_000)


@MOCKS
def test_a_serde_is_the_one_that_is_called(mock: Any) -> None:
    # Each was asked for a copy with the default serdes, as windowed serdes are: another mock.
    writes, reads = mock(), mock()
    writes.serialize.return_value, reads.deserialize.return_value = b"written", "read"
    serde: Any = Serdes.serdeFrom(writes, reads)
    builder = StreamsBuilder()
    builder.stream("in", Consumed.with_(TEXT, serde)).to("out", Produced.with_(TEXT, serde))
    with Piping(builder.build()) as driver:
        assert driver.pipe("in", "k", "v", 1) == [("k", "written", 1)]
    assert writes.serialize.call_args.args[-1] == "read"
    assert reads.deserialize.call_args.args[-1] == b"v"


@MOCKS
def test_a_store_is_the_one_that_its_builder_builds(mock: Any) -> None:
    store, builder = mock(), mock()
    store.name.return_value = builder.name.return_value = "seen"
    builder.loggingEnabled.return_value = False
    builder.build.return_value = store

    class Puts(ContextualProcessor[str, str, str, str]):
        def process(self, record: Record[str, str]) -> None:
            seen: Any = self.context().getStateStore("seen")
            seen.put(record.key(), record.value())

    assert piped(Puts, builder) == []
    store.put.assert_called_once_with("k", "v")
