"""Names of ``millstream`` that are imported at their first use.

Tests do not import Spark, applications not the test driver, and not all import RocksDB or the
formats with schemas.
"""

LATER = {
    "ApplicationState": "millstream.core.assignment",
    "AssignedTask": "millstream.core.assignment",
    "AssignmentConfigs": "millstream.core.assignment",
    "AvroDeserializer": "millstream.serdes.avro",
    "AvroRecord": "millstream.serdes.avro",
    "AvroSerde": "millstream.serdes.avro",
    "AvroSerializer": "millstream.serdes.avro",
    "BlockBasedTableConfig": "millstream.stores.byte_stores.rocksdb_options",
    "GroupAssignment": "millstream.core.assignment",
    "GroupSubscription": "millstream.core.assignment",
    "KafkaStreams": "millstream.topology.spark",
    "KafkaStreamsAssignment": "millstream.core.assignment",
    "KafkaStreamsState": "millstream.core.assignment",
    "MockFixedKeyProcessorContext": "millstream.testing",
    "MockProcessorContext": "millstream.testing",
    "ProcessId": "millstream.core.assignment",
    "ProtobufDeserializer": "millstream.serdes.protobuf",
    "ProtobufSerde": "millstream.serdes.protobuf",
    "ProtobufSerializer": "millstream.serdes.protobuf",
    "RocksDBConfigSetter": "millstream.stores.byte_stores.rocksdb_options",
    "RocksDBOptions": "millstream.stores.byte_stores.rocksdb_options",
    "StickyTaskAssignor": "millstream.topology.assign.sticky_task_assignor",
    "TaskAssignmentUtils": "millstream.core.assignment",
    "TaskAssignor": "millstream.core.assignment",
    "TaskInfo": "millstream.core.assignment",
    "TaskTopicPartition": "millstream.core.assignment",
    "TestInputTopic": "millstream.testing",
    "TestOutputTopic": "millstream.testing",
    "TestRecord": "millstream.testing",
    "TopologyTestDriver": "millstream.testing",
    "avro_record_class": "millstream.serdes.avro",
}
"""Module by name."""
