"""Topics and offsets as an application of Kafka Streams leaves them: counts by key."""

from __future__ import annotations

import struct

from confluent_kafka import KafkaException, Producer, TopicPartition

from millstream import Consumed, Grouped, Materialized, Produced, Serdes, StreamsBuilder, Topology
from millstream.core.config import StreamsConfig
from millstream.testing.broker import EmbeddedBroker
from millstream.topology.spark.clients.settings import producer_settings
from millstream.topology.spark.migration.offset_metadata import OffsetMetadata
from millstream.topology.spark.worker.zero_time import ZeroTimeProducer

STORE, SOURCE, TARGET = "counts", "adopt-in", "adopt-out"
FIRST_TIME = 1_700_000_000_000
_LONG = struct.Struct(">q")


def counts() -> Topology:
    """Return the program: how often each key came."""
    text, number = Serdes.String(), Serdes.Long()
    builder = StreamsBuilder()
    stream = builder.stream(SOURCE, Consumed.with_(text, text))
    grouped = stream.groupByKey(Grouped.with_(text, text))
    table = grouped.count(Materialized.as_(STORE).withValueSerde(number))
    table.toStream().to(TARGET, Produced.with_(text, number))
    return builder.build()


def prepare(
    broker: EmbeddedBroker, config: StreamsConfig, keys: int, updates: int, partitions: int
) -> None:
    """Write the changelog topic and commit offsets.

    Args:
        broker: Where to.
        config: The application's configuration.
        keys: How many keys the store has.
        updates: How many records the changelog has of each key.
        partitions: Of the source topic, and so the number of tasks.
    """
    application = config.getString("application.id")
    changelog = f"{application}-{STORE}-changelog"
    broker.create_topics(SOURCE, TARGET, partitions=partitions)
    broker.create_topics(changelog, partitions=partitions, config={"cleanup.policy": "compact"})
    producer = Producer(
        {
            "bootstrap.servers": broker.bootstrap_servers,
            "partitioner": "murmur2",
            "linger.ms": 20,
            "batch.size": 1_000_000,
            "queue.buffering.max.messages": 10_000_000,
            "queue.buffering.max.kbytes": 2_000_000,
        }
    )
    for update in range(1, updates + 1):
        value = _LONG.pack(update)
        for key in range(keys):
            producer.produce(changelog, value, b"customer-%012d" % key, timestamp=FIRST_TIME + key)
        producer.poll(0)
    for number in range(partitions):
        producer.produce(SOURCE, b"seen", b"customer-%012d" % 0, number, timestamp=FIRST_TIME)
    if producer.flush(300):
        raise KafkaException("the changelog was not acknowledged within 300 s")
    text = OffsetMetadata(FIRST_TIME + keys, {}).text()
    offsets = [TopicPartition(SOURCE, number, 1, text) for number in range(partitions)]
    client = ZeroTimeProducer(producer_settings(config), f"{application}-prepare")
    try:
        client.write_transaction([], offsets, application)
    finally:
        client.close()
