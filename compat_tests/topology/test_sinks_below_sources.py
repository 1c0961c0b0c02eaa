"""What a sink right below a source cannot send is told with its task, topic and offset."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import Consumed, Produced, Serdes, StreamsBuilder, StreamsException
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
READ, WRITE = Consumed.with_(TEXT, TEXT), Produced.with_(TEXT, TEXT)
PLACE = "Task 0_0, in-0 at offset 1, event time 7 ms"


def refuse(topic: str, data: Any) -> bytes:
    if data == "second":
        raise ValueError("not this one")
    return bytes(data, "utf-8")


def nowhere(answer: Any) -> Any:
    return lambda _key, value, _context: answer if value == "second" else "out"


UNSENT: list[tuple[Any, str]] = [
    (lambda s: s.to(nowhere(None), WRITE), "returned None"),
    (lambda s: s.to(nowhere(5), WRITE), "returned an int"),
    (lambda s: s.to(nowhere(None), WRITE), "Return the topic's name, a str."),
    (
        lambda s: s.to("out", Produced.with_(TEXT, Serdes.serdeFrom(refuse, TEXT.deserializer()))),
        "ValueError: not this one",
    ),
]


@pytest.mark.parametrize(("sink", "said"), UNSENT)
def test_what_cannot_be_sent_is_told_with_its_place(sink: Any, said: str) -> None:
    builder = StreamsBuilder()
    sink(builder.stream("in", READ))
    with TopologyTestDriver(builder.build()) as driver:
        lines = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        lines.pipeInput("a", "first", 5)
        with pytest.raises(StreamsException) as failure:
            lines.pipeInput("a", "second", 7)
    text = str(failure.value)
    assert said in text
    assert text.count(PLACE) == 1


def test_a_serde_of_another_type_is_told_with_its_place() -> None:
    builder = StreamsBuilder()
    number: Any = Serdes.Long()
    builder.stream("in", READ).to("out", Produced.with_(TEXT, number))
    with TopologyTestDriver(builder.build()) as driver:
        lines = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        with pytest.raises(StreamsException, match="LongSerializer") as failure:
            lines.pipeInput("a", "text", 7)
    assert str(failure.value).count("Task 0_0, in-0 at offset 0, event time 7 ms") == 1
