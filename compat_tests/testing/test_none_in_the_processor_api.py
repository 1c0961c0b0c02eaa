"""None where a processor has to give an object: a NullPointerException, as in Kafka Streams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from millstream import (
    ContextualProcessor,
    KeyValue,
    NullPointerException,
    PunctuationType,
    Record,
    Serdes,
    Stores,
    StreamsException,
    Topology,
)
from millstream.testing import MockProcessorContext, TopologyTestDriver

TEXT = Serdes.String()
STREAM_TIME: Any = PunctuationType.STREAM_TIME


def nothing(timestamp: int) -> None:
    pass


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (lambda context: context.forward(None), "forward() takes a Record, not None"),
        (lambda context: context.schedule(1, None, nothing), "type cannot be null"),
        (lambda context: context.schedule(1, STREAM_TIME, None), "callback cannot be null"),
        (
            lambda context: context.getStateStore("store").putAll([KeyValue("a", "1"), None]),
            "an entry cannot be null",
        ),
    ],
)
def test_none_is_a_null_pointer_that_names_the_parameter(
    wrong: Callable[[Any], Any], named: str
) -> None:
    class Wrong(ContextualProcessor[str, str, Any, Any]):
        def process(self, record: Record[str, str]) -> None:
            wrong(self.context())

    topology = Topology().addSource("in", TEXT.deserializer(), TEXT.deserializer(), "words")
    topology.addProcessor("wrong", Wrong, "in")
    store = Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("store"), TEXT, TEXT)
    topology.addStateStore(store, "wrong")
    with TopologyTestDriver(topology) as driver:
        words = driver.createInputTopic("words", TEXT.serializer(), TEXT.serializer())
        with pytest.raises(StreamsException) as caught:
            words.pipeInput("k", "v", 5)
    assert isinstance(caught.value.__cause__, NullPointerException)
    assert named in str(caught.value.__cause__)


def test_a_mock_context_takes_no_store_of_none() -> None:
    nothing_at_all: Any = None
    with pytest.raises(NullPointerException, match="stateStore cannot be null"):
        MockProcessorContext[Any, Any]().addStateStore(nothing_at_all)
