"""What a timestamp extractor is given, as Kafka Streams 4.3.1 gives it."""

from __future__ import annotations

from typing import Any

from millstream import Consumed, Produced, Serdes, StreamsBuilder
from millstream.core.kafka import ConsumerRecord
from millstream.testing import TestRecord, TopologyTestDriver

TEXT = Serdes.String()


def test_an_extractor_is_told_the_sizes_of_key_and_value() -> None:
    seen: list[Any] = []

    def extract(record: ConsumerRecord[Any, Any], partition_time: int) -> int:
        sizes = record.serializedKeySize(), record.serializedValueSize()
        seen.append((record.key(), record.value(), sizes, record.offset(), partition_time))
        return record.timestamp() + 100

    builder = StreamsBuilder()
    read = Consumed.with_(TEXT, TEXT).withTimestampExtractor(extract)
    builder.stream("in", read).to("out", Produced.with_(TEXT, TEXT))
    with TopologyTestDriver(builder.build()) as driver:
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        for key, value, time in (("k", "é", 10), (None, None, 5), ("k", "longer", 50)):
            topic.pipeInput(TestRecord(key, value, None, time))
    assert seen == [
        ("k", "é", (1, 2), 0, -1),
        (None, None, (-1, -1), 1, 110),
        ("k", "longer", (1, 6), 2, 110),
    ]
