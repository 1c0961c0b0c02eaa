"""Names of Java programs that are not here, and what to write instead."""

from __future__ import annotations

from collections.abc import Mapping

_CLIENT = "a client of Kafka for Python, such as confluent-kafka, or TopologyTestDriver in a test"
_JVM = "nothing: the clients are not a JVM's; settings of clients go by their prefixes"

INSTEAD: Mapping[str, str] = {
    "AbstractProcessor": "ContextualProcessor",
    "Admin": _CLIENT,
    "AdminClient": _CLIENT,
    "Bytes": "bytes",
    "ClientInstanceIds": "nothing: the clients are not a JVM's",
    "ConsumerRecordFactory": "TopologyTestDriver.createInputTopic()",
    "DefaultKafkaClientSupplier": _JVM,
    "GroupProtocol": "nothing: there is no consumer group",
    "KafkaClientSupplier": _JVM,
    "KafkaConsumer": _CLIENT,
    "KafkaProducer": _CLIENT,
    "KStreamBuilder": "StreamsBuilder",
    "OutputVerifier": "TopologyTestDriver.createOutputTopic() and assert",
    "Properties": "a dict",
    "RecordHeader": "Header",
    "RecordHeaders": "Headers",
    "Serialized": "Grouped",
    "TopologyBuilder": "Topology",
    "Transformer": "Processor, which forwards what transform() returned, and KStream.process()",
    "TransformerSupplier": "ProcessorSupplier and KStream.process()",
    "UsePreviousTimeOnInvalidTimestamp": "UsePartitionTimeOnInvalidTimestamp",
    "ValueTransformer": "FixedKeyProcessor and KStream.processValues()",
    "ValueTransformerSupplier": "FixedKeyProcessorSupplier and KStream.processValues()",
}
"""Of each name of Kafka, which a program that is ported may import, its counterpart."""
