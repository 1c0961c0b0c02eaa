"""Records of global tables and stores: no timestamp extractor is asked for them."""

from __future__ import annotations

from typing import Any

from millstream import (
    Consumed,
    ConsumerRecord,
    Materialized,
    Serdes,
    StreamsBuilder,
    StringSerializer,
    TimestampExtractor,
    TopologyTestDriver,
)


class Refused(TimestampExtractor):
    def extract(self, record: ConsumerRecord[Any, Any], partitionTime: int) -> int:
        raise AssertionError(f"{record} is of a global table")


def test_neither_that_of_the_table_nor_that_of_the_configuration_is_asked() -> None:
    builder = StreamsBuilder()
    text = Consumed.with_(Serdes.String(), Serdes.String())
    own = text.withTimestampExtractor(Refused())
    builder.globalTable("owned", own, Materialized.as_("owned"))
    builder.globalTable("plain", text, Materialized.as_("plain"))
    builder.stream("in", text).foreach(lambda key, value: None)
    config = {"default.timestamp.extractor": Refused}
    with TopologyTestDriver(builder.build(), config) as driver:
        for name in ("owned", "plain"):
            topic = driver.createInputTopic(name, StringSerializer(), StringSerializer())
            topic.pipeInput("k", "v", 7)
            row = driver.getTimestampedKeyValueStore(name).get("k")
            assert (row.value(), row.timestamp()) == ("v", 7)
