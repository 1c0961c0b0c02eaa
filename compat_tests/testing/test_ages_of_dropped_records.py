"""`record-e2e-latency` of a sink counts what the sink drops: the record has come to its end there.

Kafka Streams records it after the call of a node without children, whatever that has done; random
programs with partitioners that choose no partition have shown it.
"""

from __future__ import annotations

from typing import Any

from millstream import (
    Produced,
    ProductionExceptionHandler,
    Serdes,
    StreamsBuilder,
)
from millstream.core.serdes.halves import WrapperSerde
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
VALUES = {"default.value.serde": TEXT}


class Skips(ProductionExceptionHandler):
    def handleSerializationError(self, context: Any, record: Any, error: Any, origin: Any) -> Any:
        return ProductionExceptionHandler.Response.resume()


def oldest(produced: Produced[Any, Any], **config: Any) -> float:
    """Return the largest age that the sink of one record of time 3 has measured at time 10."""
    builder = StreamsBuilder()
    builder.stream("in").to("out", produced)
    entries = {"default.key.serde": TEXT, "default.value.serde": TEXT, **config}
    with TopologyTestDriver(builder.build(), entries, 10) as driver:
        write = TEXT.serializer()
        driver.createInputTopic("in", write, write).pipeInput("k", "v", 3)
        assert driver.producedTopicNames() == set()
        (found,) = (
            metric.metricValue()
            for name, metric in driver.metrics().items()
            if name.name() == "record-e2e-latency-max"
            and "SINK" in name.tags()["processor-node-id"]
        )
        return float(found)


def test_a_partitioner_that_chooses_no_partition_drops_the_record_at_its_end() -> None:
    nowhere = Produced.streamPartitioner(lambda topic, key, value, count: set())
    assert oldest(nowhere) == 7


def test_so_does_a_serializer_whose_error_the_handler_lets_pass() -> None:
    def refuse(topic: str, data: Any) -> bytes:
        raise ValueError(data)

    serde: Any = WrapperSerde(refuse, TEXT.deserializer())
    passing = {"production.exception.handler": Skips}
    assert oldest(Produced.valueSerde(serde), **passing) == 7


def test_a_topic_of_an_extractor_that_nothing_was_sent_to_has_no_metrics() -> None:
    nowhere = Produced.streamPartitioner(lambda topic, key, value, count: set())
    builder = StreamsBuilder()
    builder.stream("in").to(lambda key, value, context: f"out-{key}", nowhere)
    with TopologyTestDriver(builder.build(), {"default.key.serde": TEXT, **VALUES}) as driver:
        write = TEXT.serializer()
        driver.createInputTopic("in", write, write).pipeInput("k", "v")
        assert not any(name.tags().get("topic") == "out-k" for name in driver.metrics())
