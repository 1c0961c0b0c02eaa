"""What a type checker makes of the test driver's topics; checked, never run."""

from __future__ import annotations

from typing_extensions import assert_type

from millstream import (
    Instant,
    KeyValue,
    Serdes,
    StreamsBuilder,
    TestInputTopic,
    TestOutputTopic,
    TestRecord,
)
from millstream.testing import TopologyTestDriver

text, number = Serdes.String(), Serdes.Long()

with TopologyTestDriver(StreamsBuilder().build()) as driver:
    lines = driver.createInputTopic("lines", text.serializer(), number.serializer())
    assert_type(lines, TestInputTopic[str, int])
    lines.pipeInput(1)
    lines.pipeInput("k", 1)
    lines.pipeInput("k", None, 5)
    lines.pipeInput(TestRecord("k", 1, 5))
    lines.pipeInput(1, Instant.ofEpochMilli(5))
    lines.pipeInput(value=1, recordTime=5)
    lines.pipeInput("k", "1")  # type: ignore[call-overload]  # the value is a number
    lines.pipeKeyValueList([("k", 1), ("k", None), (None, 2)])
    lines.pipeKeyValueList([KeyValue("k", 1), KeyValue("k", None), ("l", 2)], Instant.now(), 5)
    lines.pipeKeyValueList({"k": 1}.items())
    lines.pipeKeyValueList([("k", "1")])  # type: ignore[list-item]  # the value is a number
    lines.pipeValueList([1, None])

    counts = driver.createOutputTopic("counts", text.deserializer(), number.deserializer())
    assert_type(counts, TestOutputTopic[str, int])
    # As in Java, what is read may be used without asking whether it is null.
    record = counts.readRecord()
    print(counts.readValue() + 1, record.key().upper(), record.value().bit_length())
    if record.value() is None:
        print("a deletion")
    if counts.readKeyValue().value is None:
        print("another one")
