"""What calls are given for each type of parameter: a usual value first, then odd ones."""

from __future__ import annotations

from compat_tests.api.expressions import (
    COMMON,
    Expression,
    at,
    call,
    constant,
    deserializer,
    gives,
    ms,
    serde,
    serializer,
    use,
)
from compat_tests.api.variables import (
    CONFIG,
    HEADERS,
    PROCESSOR,
    PROPERTIES,
    STORE_BUILDERS,
    WINDOWS,
    windowed,
)

LONG_MAX = 2**63 - 1


LONG_MIN = -(2**63)


PAIR = call("KeyValue#pair(Object, Object)", "k", "v")


def _function(name: str, value: Expression = "x") -> list[Expression]:
    return [gives(value, f"kstream.{name}"), None]


def _supplier(method: str, kind: str, *rest: Expression) -> list[Expression]:
    return [call(f"state.Stores#{method}({kind})", *rest), None]


def _fixed() -> Expression:
    return gives(None, "processor.api.FixedKeyProcessor")


ARGUMENTS: dict[str, list[Expression]] = {
    "String": ["x", None, "", "a b"],
    "Object": ["k", None],
    "long": [10, 0, -1, LONG_MAX, LONG_MIN],
    "Long": [10, 0, -1, None],
    "int": [1, 0, -1],
    "Integer": [1, 0, -1, None],
    "boolean": [True, False],
    "byte[]": [{"bytes": "6b"}, None, {"bytes": ""}],
    "Duration": [ms(50), ms(0), ms(-1), ms(1), ms(LONG_MAX), None],
    "Instant": [at(50), at(0), at(-1), None],
    "Pattern": [{"pattern": "in-.*"}, None],
    "Map": [{"map": []}, None],
    "Set": [{"set": []}, None],
    "SortedSet": [None],
    "List": [{"list": []}, None],
    "Collection": [{"list": ["in", "more"]}, {"list": []}, None],
    "UUID": [{"uuid": "00000000-0000-0000-0000-000000000001"}, None],
    "OptionalInt": [{"optionalInt": 1}, {"optionalInt": None}],
    "Headers": [HEADERS, {"headers": []}, None],
    "Properties": [PROPERTIES, {"properties": []}, None],
    "StreamsConfig": [call("StreamsConfig#<init>(Map)", CONFIG), None],
    "Class": [{"class": "java.lang.String"}, {"class": "java.lang.Object"}, None],
    "Exception": [{"throwable": "broken"}, None],
    "Throwable": [{"throwable": "broken"}, None],
    "Serde": [serde("String"), None],
    "Serializer": [serializer("String"), None],
    "Deserializer": [deserializer("String"), None],
    "TaskId": [call("processor.TaskId#<init>(int, int)", 1, 2), None],
    "TopicPartition": [call(f"{COMMON}TopicPartition#<init>(String, int)", "in", 0), None],
    # Functions.
    "Predicate": _function("Predicate", True),
    "KeyValueMapper": _function("KeyValueMapper", PAIR),
    "ValueMapper": _function("ValueMapper"),
    "ValueMapperWithKey": _function("ValueMapperWithKey"),
    "ForeachAction": _function("ForeachAction", None),
    "Initializer": _function("Initializer"),
    "Aggregator": _function("Aggregator"),
    "Merger": _function("Merger"),
    "Reducer": _function("Reducer"),
    "ValueJoiner": _function("ValueJoiner"),
    "ValueJoinerWithKey": _function("ValueJoinerWithKey"),
    "Function": [gives("x", "java.util.function.Function"), None],
    "BiFunction": [gives("x", "java.util.function.BiFunction"), None],
    "Consumer": [gives(None, "java.util.function.Consumer"), None],
    "TopicNameExtractor": [gives("out", "processor.TopicNameExtractor"), None],
    "StreamPartitioner": [gives({"optional": None}, "processor.StreamPartitioner"), None],
    "TimestampExtractor": [gives(5, "processor.TimestampExtractor"), None],
    "Punctuator": [gives(None, "processor.Punctuator"), None],
    "ProcessorSupplier": [gives(PROCESSOR, "processor.api.ProcessorSupplier"), None],
    "FixedKeyProcessorSupplier": [gives(_fixed(), "processor.api.FixedKeyProcessorSupplier"), None],
    "ValueTransformerWithKeySupplier": [
        gives(
            gives("x", "kstream.ValueTransformerWithKey"), "kstream.ValueTransformerWithKeySupplier"
        ),
        None,
    ],
    # Streams and tables.
    "KStream": [use("other"), None],
    "KTable": [use("second"), None],
    "GlobalKTable": [use("global"), None],
    "KGroupedStream": [
        call("kstream.KStream#groupByKey()", on=use("other")),
        None,
    ],
    # Options.
    "Named": [call("kstream.Named#as(String)", "named"), None],
    "Consumed": [call("kstream.Consumed#as(String)", "consumed"), None],
    "Produced": [call("kstream.Produced#as(String)", "produced"), None],
    "Grouped": [call("kstream.Grouped#as(String)", "grouped"), None],
    "Joined": [call("kstream.Joined#as(String)", "joined"), None],
    "TableJoined": [call("kstream.TableJoined#as(String)", "tableJoined"), None],
    "StreamJoined": [call("kstream.StreamJoined#as(String)", "streamJoined"), None],
    "Repartitioned": [call("kstream.Repartitioned#as(String)", "repartitioned"), None],
    "Branched": [call("kstream.Branched#as(String)", "branched"), None],
    "Printed": [call("kstream.Printed#toSysOut()"), None],
    "Materialized": [call("kstream.Materialized#as(String)", "store"), None],
    "Suppressed": [
        call(
            "kstream.Suppressed#untilTimeLimit(Duration, Suppressed.BufferConfig)",
            *(ms(10), call("kstream.Suppressed.BufferConfig#unbounded()")),
        ),
        call(
            "kstream.Suppressed#untilWindowCloses(Suppressed.StrictBufferConfig)",
            call("kstream.Suppressed.BufferConfig#unbounded()"),
        ),
        None,
    ],
    "Suppressed.BufferConfig": [
        call("kstream.Suppressed.BufferConfig#maxRecords(long)", 5),
        call("kstream.Suppressed.BufferConfig#unbounded()"),
        None,
    ],
    "Suppressed.StrictBufferConfig": [
        call("kstream.Suppressed.BufferConfig#unbounded()"),
        None,
    ],
    "EmitStrategy": [
        call("kstream.EmitStrategy#onWindowClose()"),
        call("kstream.EmitStrategy#onWindowUpdate()"),
        None,
    ],
    "EmitStrategy.StrategyType": [
        constant("kstream.EmitStrategy.StrategyType.ON_WINDOW_CLOSE"),
        constant("kstream.EmitStrategy.StrategyType.ON_WINDOW_UPDATE"),
        None,
    ],
    "AutoOffsetReset": [call("AutoOffsetReset#latest()"), None],
    "Topology.AutoOffsetReset": [constant("Topology.AutoOffsetReset.LATEST"), None],
    "JoinWindows": [
        call("kstream.JoinWindows#ofTimeDifferenceWithNoGrace(Duration)", ms(10)),
        None,
    ],
    "Windows": [WINDOWS, None],
    "SlidingWindows": [
        call("kstream.SlidingWindows#ofTimeDifferenceWithNoGrace(Duration)", ms(10)),
        None,
    ],
    "SessionWindows": [
        call("kstream.SessionWindows#ofInactivityGapWithNoGrace(Duration)", ms(10)),
        None,
    ],
    "Window": [
        call("kstream.internals.TimeWindow#<init>(long, long)", 0, 10),
        call("kstream.internals.SessionWindow#<init>(long, long)", 5, 5),
        None,
    ],
    "Windowed": [windowed("a", 100, 110), windowed(None, 1, 2), None],
    "PunctuationType": [
        constant("processor.PunctuationType.STREAM_TIME"),
        constant("processor.PunctuationType.WALL_CLOCK_TIME"),
        None,
    ],
    "DslStoreFormat": [
        constant("DslStoreFormat.PLAIN"),
        constant("DslStoreFormat.HEADERS"),
        None,
    ],
    "CloseOptions.GroupMembershipOperation": [
        constant("CloseOptions.GroupMembershipOperation.LEAVE_GROUP"),
        None,
    ],
    # Stores.
    "KeyValueBytesStoreSupplier": _supplier("inMemoryKeyValueStore", "String", "kv"),
    "WindowBytesStoreSupplier": _supplier(
        "inMemoryWindowStore", "String, Duration, Duration, boolean", "w", ms(100), ms(10), False
    ),
    "SessionBytesStoreSupplier": _supplier(
        "inMemorySessionStore", "String, Duration", "s", ms(100)
    ),
    "VersionedBytesStoreSupplier": _supplier(
        "persistentVersionedKeyValueStore", "String, Duration", "v", ms(100)
    ),
    "DslStoreSuppliers": [
        call("state.BuiltInDslStoreSuppliers.InMemoryDslStoreSuppliers#<init>()"),
        None,
    ],
    "DslKeyValueParams": [
        call(
            "state.DslKeyValueParams#<init>(String, DslStoreFormat)",
            "kv",
            constant("DslStoreFormat.TIMESTAMPED"),
        ),
        None,
    ],
    "StoreBuilder": [STORE_BUILDERS["kv"], None],
    "StateStore": [call("state.StoreBuilder#build()", on=STORE_BUILDERS["kv"]), None],
    "HostInfo": [call("state.HostInfo#<init>(String, int)", "host", 1), None],
    "ValueAndTimestamp": [call("state.ValueAndTimestamp#make(Object, long)", "v", 5), None],
    "ValueTimestampHeaders": [
        call("state.ValueTimestampHeaders#make(Object, long, Headers)", "v", 5, HEADERS),
        None,
    ],
    "AggregationWithHeaders": [
        call("state.AggregationWithHeaders#make(Object, Headers)", "v", HEADERS),
        None,
    ],
    "QueryableStoreType": [call("state.QueryableStoreTypes#keyValueStore()"), None],
    # Queries.
    "Position": [
        call(
            "query.Position#withComponent(String, int, long)",
            *("in", 0, 5),
            on=call("query.Position#emptyPosition()"),
        ),
        call("query.Position#emptyPosition()"),
        None,
    ],
    "PositionBound": [
        call("query.PositionBound#unbounded()"),
        call(
            "query.PositionBound#at(Position)",
            call(
                "query.Position#withComponent(String, int, long)",
                *("in", 0, 5),
                on=call("query.Position#emptyPosition()"),
            ),
        ),
        None,
    ],
    "Query": [
        call("query.KeyQuery#withKey(Object)", "a"),
        call("query.RangeQuery#withNoBounds()"),
        None,
    ],
    "QueryConfig": [call("query.QueryConfig#<init>(boolean)", False), None],
    "QueryResult": [call("query.QueryResult#forResult(Object)", "found"), None],
    "FailureReason": [constant("query.FailureReason.NOT_PRESENT"), None],
    # Records.
    "Record": [use("record"), None],
    "TestRecord": [call("test.TestRecord#<init>(Object, Object)", "k", "v"), None],
    "ProducerRecord": [
        call(
            "org.apache.kafka.clients.producer.ProducerRecord#<init>(String, Object, Object)",
            *("in", "k", "v"),
        ),
        None,
    ],
    "ConsumerRecord": [
        call(
            "org.apache.kafka.clients.consumer.ConsumerRecord"
            "#<init>(String, int, long, Object, Object)",
            *("in", 0, 5, "k", "v"),
        ),
        None,
    ],
    "Topology": [call("Topology#<init>()"), None],
    "TopologyConfig": [call("TopologyConfig#<init>(StreamsConfig)", use("config")), None],
    "File": [None],
    "Optional": [{"optional": "child"}, {"optional": None}],
    "ProcessorStateException": [
        call("errors.ProcessorStateException#<init>(String)", "broken"),
        None,
    ],
    # The application.
    "CloseOptions": [call("CloseOptions#timeout(Duration)", ms(5)), None],
    "StoreQueryParameters": [
        call(
            "StoreQueryParameters#fromNameAndType(String, QueryableStoreType)",
            *("kv", call("state.QueryableStoreTypes#keyValueStore()")),
        ),
        None,
    ],
    "StateQueryRequest": [
        call(
            "query.StateQueryRequest.InStore#withQuery(Query)",
            call("query.KeyQuery#withKey(Object)", "a"),
            on=call("query.StateQueryRequest#inStore(String)", "kv"),
        ),
        None,
    ],
    "KafkaStreams.StateListener": [gives(None, "KafkaStreams.StateListener"), None],
    "StreamsUncaughtExceptionHandler": [
        gives(
            constant(
                "errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse"
                ".SHUTDOWN_CLIENT"
            ),
            "errors.StreamsUncaughtExceptionHandler",
        ),
        None,
    ],
    "StateRestoreListener": [gives(None, "processor.StateRestoreListener"), None],
    "StandbyUpdateListener": [gives(None, "processor.StandbyUpdateListener"), None],
    # Assignment.
    "ProcessId": [
        call(
            "processor.assignment.ProcessId#<init>(UUID)",
            {"uuid": "00000000-0000-0000-0000-000000000001"},
        ),
        None,
    ],
    "KafkaStreamsAssignment.AssignedTask.Type": [
        constant("processor.assignment.KafkaStreamsAssignment.AssignedTask.Type.ACTIVE"),
        None,
    ],
    "KafkaStreamsAssignment.AssignedTask": [
        call(
            "processor.assignment.KafkaStreamsAssignment.AssignedTask"
            "#<init>(TaskId, KafkaStreamsAssignment.AssignedTask.Type)",
            call("processor.TaskId#<init>(int, int)", 1, 2),
            constant("processor.assignment.KafkaStreamsAssignment.AssignedTask.Type.ACTIVE"),
        ),
        None,
    ],
}
