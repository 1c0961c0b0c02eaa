"""Map from Kafka's Java class names to millstream's classes, for configurations."""

from __future__ import annotations

SERIALIZATION = "org.apache.kafka.common.serialization"
STREAMS = "org.apache.kafka.streams"

SERDES = (
    *("String", "Long", "Integer", "Short", "Float", "Double", "Boolean"),
    *("Bytes", "ByteArray", "ByteBuffer", "UUID", "Void", "List"),
)
HANDLERS = (
    "LogAndContinueExceptionHandler",
    "LogAndFailExceptionHandler",
    "LogAndContinueProcessingExceptionHandler",
    "LogAndFailProcessingExceptionHandler",
    "DefaultProductionExceptionHandler",
)
EXTRACTORS = (
    "FailOnInvalidTimestamp",
    "LogAndSkipOnInvalidTimestamp",
    "UsePartitionTimeOnInvalidTimestamp",
    "WallclockTimestampExtractor",
)
WINDOWED = (
    *("TimeWindowedSerializer", "TimeWindowedDeserializer"),
    *("SessionWindowedSerializer", "SessionWindowedDeserializer"),
)
STORE_SUPPLIERS = ("RocksDBDslStoreSuppliers", "InMemoryDslStoreSuppliers")
CONFLUENT = "io.confluent.kafka"
CONFLUENT_CLASSES = {
    "streams.serdes.avro": (
        *("SpecificAvroSerde", "SpecificAvroSerializer", "SpecificAvroDeserializer"),
        *("GenericAvroSerde", "GenericAvroSerializer", "GenericAvroDeserializer"),
        *("PrimitiveAvroSerde", "ReflectionAvroSerde"),
    ),
    "streams.serdes.json": ("KafkaJsonSchemaSerde",),
    "streams.serdes.protobuf": ("KafkaProtobufSerde",),
    "serializers": ("KafkaAvroSerializer", "KafkaAvroDeserializer"),
    "serializers.json": ("KafkaJsonSchemaSerializer", "KafkaJsonSchemaDeserializer"),
    "serializers.protobuf": ("KafkaProtobufSerializer", "KafkaProtobufDeserializer"),
    "serializers.subject": (
        *("TopicNameStrategy", "RecordNameStrategy", "TopicRecordNameStrategy"),
    ),
    "serializers.schema.id": ("PrefixSchemaIdSerializer", "HeaderSchemaIdSerializer"),
}
"""Serdes with a schema registry, and what their configuration names."""
LISTS = {"java.util.ArrayList": "builtins:list", "java.util.LinkedList": "collections:deque"}

# Java nests with "$" where people also write "."; the keys here have only dots.
JAVA_NAMES: dict[str, str] = {
    **{
        f"{SERIALIZATION}.Serdes.{name}Serde": f"millstream.core.serdes:{name}Serde"
        for name in SERDES
    },
    **{
        f"{SERIALIZATION}.{name}{half}": f"millstream.core.serdes:{name}{half}"
        for name in SERDES
        for half in ("Serializer", "Deserializer")
    },
    **{f"{STREAMS}.errors.{name}": f"millstream.core.handlers:{name}" for name in HANDLERS},
    **{f"{STREAMS}.processor.{name}": f"millstream.core.timestamps:{name}" for name in EXTRACTORS},
    **{f"{STREAMS}.kstream.{name}": f"millstream.core.serdes:{name}" for name in WINDOWED},
    **{
        f"{STREAMS}.kstream.WindowedSerdes.{name}": f"millstream.core.serdes:{name}"
        for name in ("TimeWindowedSerde", "SessionWindowedSerde")
    },
    **{
        f"{STREAMS}.state.{name}": f"millstream:{name}"
        for name in (f"BuiltInDslStoreSuppliers.{kind}" for kind in STORE_SUPPLIERS)
    },
    f"{STREAMS}.processor.assignment.assignors.StickyTaskAssignor": "millstream:StickyTaskAssignor",
    f"{STREAMS}.processor.internals.NoOpProcessorWrapper": (
        "millstream.core.wrapper:NoOpProcessorWrapper"
    ),
    **{
        f"{CONFLUENT}.{package}.{name}": f"millstream:{name}"
        for package, names in CONFLUENT_CLASSES.items()
        for name in names
    },
    **LISTS,
}
