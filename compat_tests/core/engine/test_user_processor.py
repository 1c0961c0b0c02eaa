"""A user's object as a processor, whatever it inherits from."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import Serdes, StreamsBuilder, StreamsException
from millstream.testing import TopologyTestDriver

CONFIG = {
    "application.id": "own",
    "default.key.serde": Serdes.String(),
    "default.value.serde": Serdes.String(),
}


class MakesProcessInInit:
    """Its ``process`` is an attribute that it sets when it is initialised."""

    def init(self, context: Any) -> None:
        self.process = context.forward


class HasNoProcess:
    """Lacks the one method that a processor needs."""


def results(processor: Any) -> list[Any]:
    builder = StreamsBuilder()
    builder.stream("in").process(processor).to("out")
    text = Serdes.String()
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        driver.createInputTopic("in", text.serializer(), text.serializer()).pipeInput("k", "v")
        out = driver.createOutputTopic("out", text.deserializer(), text.deserializer())
        return out.readValuesToList()


def test_a_processor_may_make_its_process_in_init() -> None:
    assert results(MakesProcessInInit) == ["v"]


def test_an_object_without_process_is_refused_with_what_to_write() -> None:
    with pytest.raises(StreamsException) as raised:
        results(HasNoProcess)
    assert "HasNoProcess cannot be a processor: it has no method process" in str(raised.value)
    assert "Define process(self, record)" in str(raised.value)
