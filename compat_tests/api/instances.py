"""The object that each class's methods are called on, and what is looked at afterwards."""

from __future__ import annotations

from compat_tests.api.arguments import ARGUMENTS, PAIR
from compat_tests.api.expressions import (
    Expression,
    at,
    call,
    constant,
    deserializer,
    gives,
    ms,
    serializer,
    use,
)
from compat_tests.api.variables import CONFIG, HEADERS, STORE_BUILDERS, WINDOWS, windowed

TEXT = "java.lang.String"
UNBOUNDED = call("kstream.Suppressed.BufferConfig#unbounded()")
ASSIGNMENT = "processor.assignment.KafkaStreamsAssignment"


def _usual(kind: str) -> Expression:
    return ARGUMENTS[kind][0]


def _query(form: str, *args: Expression) -> Expression:
    return call(f"query.{form}", *args)


_LAST = gives(None, "processor.Punctuator")
INSTANCES: dict[str, list[Expression]] = {
    "AutoOffsetReset": [call("AutoOffsetReset#latest()")],
    "CloseOptions": [call("CloseOptions#timeout(Duration)", ms(5))],
    "KeyQueryMetadata": [
        call(
            "KeyQueryMetadata#<init>(HostInfo, Set, int)",
            *(_usual("HostInfo"), {"set": []}, 3),
        )
    ],
    "KeyValue": [PAIR, call("KeyValue#pair(Object, Object)", None, None)],
    "StoreQueryParameters": [
        call(
            "StoreQueryParameters#fromNameAndType(String, QueryableStoreType)",
            *("x", _usual("QueryableStoreType")),
        )
    ],
    "StreamsBuilder": [use("builder")],
    "KafkaStreams": [use("streams")],
    "StreamsConfig": [call("StreamsConfig#<init>(Map)", CONFIG)],
    "Topology": [use("stored")],
    "TopologyConfig": [call("TopologyConfig#<init>(StreamsConfig)", use("config"))],
    "TopologyTestDriver": [use("driver")],
    "TestInputTopic": [use("input")],
    "TestOutputTopic": [use("output")],
    "DslStoreFormat": [constant("DslStoreFormat.PLAIN")],
    # DSL.
    "kstream.KStream": [use("stream")],
    "kstream.KTable": [use("table")],
    "kstream.GlobalKTable": [use("global")],
    "kstream.KGroupedStream": [use("grouped")],
    "kstream.KGroupedTable": [use("groupedTable")],
    "kstream.TimeWindowedKStream": [use("windowed")],
    "kstream.SessionWindowedKStream": [use("sessions")],
    "kstream.CogroupedKStream": [use("cogrouped")],
    "kstream.TimeWindowedCogroupedKStream": [use("windowedCogrouped")],
    "kstream.SessionWindowedCogroupedKStream": [use("sessionsCogrouped")],
    "kstream.BranchedKStream": [use("branches")],
    "kstream.Branched": [_usual("Branched")],
    "kstream.Consumed": [_usual("Consumed")],
    "kstream.Produced": [_usual("Produced")],
    "kstream.Grouped": [_usual("Grouped")],
    "kstream.Joined": [_usual("Joined")],
    "kstream.StreamJoined": [_usual("StreamJoined")],
    "kstream.TableJoined": [_usual("TableJoined")],
    "kstream.Repartitioned": [_usual("Repartitioned")],
    "kstream.Materialized": [_usual("Materialized")],
    "kstream.Named": [_usual("Named")],
    "kstream.Printed": [_usual("Printed")],
    "kstream.Suppressed": [_usual("Suppressed")],
    "kstream.Suppressed.BufferConfig": [_usual("Suppressed.BufferConfig"), UNBOUNDED],
    "kstream.EmitStrategy": [_usual("EmitStrategy")],
    "kstream.TimeWindows": [
        call("kstream.TimeWindows#ofSizeWithNoGrace(Duration)", ms(100)),
        WINDOWS,
    ],
    "kstream.JoinWindows": [
        _usual("JoinWindows"),
        call("kstream.JoinWindows#ofTimeDifferenceAndGrace(Duration, Duration)", ms(7), ms(3)),
    ],
    "kstream.SlidingWindows": [_usual("SlidingWindows")],
    "kstream.SessionWindows": [_usual("SessionWindows")],
    "kstream.UnlimitedWindows": [call("kstream.UnlimitedWindows#of()")],
    "kstream.Windows": [WINDOWS],
    "kstream.Window": [_usual("Window"), ARGUMENTS["Window"][1]],
    "kstream.Windowed": [windowed("a", 100, 110)],
    # Processor API.
    "processor.TaskId": [call("processor.TaskId#<init>(int, int)", 1, 2)],
    "processor.To": [call("processor.To#child(String)", "c"), call("processor.To#all()")],
    "processor.api.Record": [use("record")],
    "processor.api.FixedKeyRecord": [
        call("processor.api.InternalFixedKeyRecordFactory#create(Record)", use("record"))
    ],
    "processor.api.MockProcessorContext": [use("mock"), use("timedMock")],
    "processor.api.ProcessingContext": [use("mock"), use("timedMock")],
    "processor.api.ProcessorContext": [use("mock")],
    "processor.StateStoreContext": [
        call("processor.api.MockProcessorContext#getStateStoreContext()", on=use("mock"))
    ],
    "processor.Cancellable": [use("scheduled")],
    "processor.FailOnInvalidTimestamp": [call("processor.FailOnInvalidTimestamp#<init>()")],
    "processor.LogAndSkipOnInvalidTimestamp": [
        call("processor.LogAndSkipOnInvalidTimestamp#<init>()")
    ],
    "processor.UsePartitionTimeOnInvalidTimestamp": [
        call("processor.UsePartitionTimeOnInvalidTimestamp#<init>()")
    ],
    "test.TestRecord": [
        call(
            "test.TestRecord#<init>(Object, Object, Headers, Long)",
            *("k", "v", HEADERS, {"long": 5}),
        ),
        call("test.TestRecord#<init>(Object)", "v"),
    ],
    # Assignment.
    "processor.assignment.ProcessId": [_usual("ProcessId")],
    ASSIGNMENT: [
        call(
            f"{ASSIGNMENT}#of(ProcessId, Set)",
            *(_usual("ProcessId"), {"set": [_usual("KafkaStreamsAssignment.AssignedTask")]}),
        )
    ],
    f"{ASSIGNMENT}.AssignedTask": [_usual("KafkaStreamsAssignment.AssignedTask")],
    "processor.assignment.AssignmentConfigs": [
        call(
            "processor.assignment.AssignmentConfigs#of(StreamsConfig)",
            use("config"),
        )
    ],
    # Queries.
    "query.KeyQuery": [_query("KeyQuery#withKey(Object)", "k")],
    "query.TimestampedKeyQuery": [_query("TimestampedKeyQuery#withKey(Object)", "k")],
    "query.VersionedKeyQuery": [_query("VersionedKeyQuery#withKey(Object)", "k")],
    "query.MultiVersionedKeyQuery": [_query("MultiVersionedKeyQuery#withKey(Object)", "k")],
    "query.RangeQuery": [_query("RangeQuery#withRange(Object, Object)", "a", "b")],
    "query.TimestampedRangeQuery": [
        _query("TimestampedRangeQuery#withRange(Object, Object)", "a", "b")
    ],
    "query.WindowKeyQuery": [
        _query(
            "WindowKeyQuery#withKeyAndWindowStartRange(Object, Instant, Instant)",
            *("k", at(0), at(9)),
        )
    ],
    "query.WindowRangeQuery": [
        _query("WindowRangeQuery#withKey(Object)", "k"),
        _query("WindowRangeQuery#withWindowStartRange(Instant, Instant)", at(0), at(9)),
    ],
    "query.Position": [_usual("Position"), ARGUMENTS["Position"][1]],
    "query.PositionBound": [ARGUMENTS["PositionBound"][1], ARGUMENTS["PositionBound"][0]],
    "query.QueryConfig": [_usual("QueryConfig")],
    "query.QueryResult": [
        _usual("QueryResult"),
        _query(
            "QueryResult#forFailure(FailureReason, String)", _usual("FailureReason"), "none here"
        ),
    ],
    "query.StateQueryResult": [_query("StateQueryResult#<init>()")],
    "query.StateQueryRequest.InStore": [_query("StateQueryRequest#inStore(String)", "x")],
    "query.StateQueryRequest": [
        call(
            "query.StateQueryRequest.InStore#withQuery(Query)",
            _usual("Query"),
            on=_query("StateQueryRequest#inStore(String)", "x"),
        )
    ],
    # Stores.
    "state.HostInfo": [_usual("HostInfo")],
    "state.ValueAndTimestamp": [_usual("ValueAndTimestamp")],
    "state.ValueTimestampHeaders": [_usual("ValueTimestampHeaders")],
    "state.AggregationWithHeaders": [_usual("AggregationWithHeaders")],
    "state.VersionedRecord": [call("state.VersionedRecord#<init>(Object, long)", "v", 5)],
    "state.DslKeyValueParams": [_usual("DslKeyValueParams")],
    "state.DslWindowParams": [
        call(
            "state.DslWindowParams#<init>(String, Duration, Duration, boolean, EmitStrategy, "
            "boolean, DslStoreFormat)",
            *("w", ms(100), ms(10), False, _usual("EmitStrategy"), False),
            constant("DslStoreFormat.TIMESTAMPED"),
        )
    ],
    "state.DslSessionParams": [
        call(
            "state.DslSessionParams#<init>(String, Duration, EmitStrategy, DslStoreFormat)",
            *("s", ms(100), _usual("EmitStrategy"), constant("DslStoreFormat.HEADERS")),
        )
    ],
    "state.StateSerdes": [
        call(
            "state.StateSerdes#withBuiltinTypes(String, Class, Class)",
            *("topic", {"class": TEXT}, {"class": "java.lang.Long"}),
        )
    ],
    "state.StoreBuilder": [STORE_BUILDERS["kv"]],
    "state.StoreSupplier": [_usual("KeyValueBytesStoreSupplier")],
    "state.WindowBytesStoreSupplier": [_usual("WindowBytesStoreSupplier")],
    "state.SessionBytesStoreSupplier": [_usual("SessionBytesStoreSupplier")],
    "state.VersionedBytesStoreSupplier": [_usual("VersionedBytesStoreSupplier")],
    "state.KeyValueStore": [use("kvStore")],
    "state.ReadOnlyKeyValueStore": [use("kvStore"), use("timedStore")],
    "state.WindowStore": [use("windowStore")],
    "state.ReadOnlyWindowStore": [use("windowStore")],
    "state.SessionStore": [use("sessionStore")],
    "state.ReadOnlySessionStore": [use("sessionStore")],
    "state.VersionedKeyValueStore": [use("versionedStore")],
    "processor.StateStore": [use("kvStore"), use("windowStore"), use("sessionStore")],
}
ARGUMENTS["DslWindowParams"] = [INSTANCES["state.DslWindowParams"][0], None]
ARGUMENTS["DslSessionParams"] = [INSTANCES["state.DslSessionParams"][0], None]
for _kind in ("InMemoryDslStoreSuppliers", "RocksDBDslStoreSuppliers"):
    _name = f"state.BuiltInDslStoreSuppliers.{_kind}"
    INSTANCES[_name] = [call(f"{_name}#<init>()")]
INSTANCES["state.DslStoreSuppliers"] = INSTANCES[
    "state.BuiltInDslStoreSuppliers.InMemoryDslStoreSuppliers"
]
INSTANCES["KafkaStreams.State"] = [
    constant(f"KafkaStreams.State.{each}")
    for each in (
        *("CREATED", "REBALANCING", "RUNNING", "PENDING_SHUTDOWN", "PENDING_ERROR", "ERROR"),
        "NOT_RUNNING",
    )
]
ARGUMENTS["KafkaStreams.State"] = INSTANCES["KafkaStreams.State"]
INSTANCES["kstream.Materialized.StoreType"] = [
    constant("kstream.Materialized.StoreType.IN_MEMORY"),
    constant("kstream.Materialized.StoreType.ROCKS_DB"),
]
_WINDOWED = "kstream.TimeWindowed"
INSTANCES["kstream.TimeWindowedSerializer"] = [
    call("kstream.TimeWindowedSerializer#<init>(Serializer)", serializer("String"))
]
INSTANCES["kstream.TimeWindowedDeserializer"] = [
    call("kstream.TimeWindowedDeserializer#<init>(Deserializer, Long)", deserializer("String"), 10)
]
INSTANCES["kstream.SessionWindowedSerializer"] = [
    call("kstream.SessionWindowedSerializer#<init>(Serializer)", serializer("String"))
]
INSTANCES["kstream.SessionWindowedDeserializer"] = [
    call("kstream.SessionWindowedDeserializer#<init>(Deserializer)", deserializer("String"))
]
INSTANCES["processor.api.MockProcessorContext.CapturedForward"] = [
    call("processor.api.MockProcessorContext.CapturedForward#<init>(Record)", use("record")),
    call(
        "processor.api.MockProcessorContext.CapturedForward#<init>(Record, Optional)",
        *(use("record"), {"optional": "child"}),
    ),
]
for _kind in ("Deserialization", "Processing", "Production"):
    _name = f"errors.{_kind}ExceptionHandler.Response"
    INSTANCES[_name] = [call(f"{_name}#resume()"), call(f"{_name}#fail()")]
for _error in ("StreamsException", "TaskCorruptedException", "MissingInternalTopicsException"):
    _forms = {
        "StreamsException": call("errors.StreamsException#<init>(String)", "broken"),
        "TaskCorruptedException": call(
            "errors.TaskCorruptedException#<init>(Set)", {"set": [_usual("TaskId")]}
        ),
        "MissingInternalTopicsException": call(
            "errors.MissingInternalTopicsException#<init>(String, List)", "m", {"list": ["t"]}
        ),
    }
    INSTANCES[f"errors.{_error}"] = [_forms[_error]]

# What a call on a builder of topologies did is in the description of the topology.
DESCRIBED = call("Topology#describe()", on=call("StreamsBuilder#build()", on=use("builder")))
AFTER: dict[str, list[tuple[str, Expression]]] = {
    "StreamsBuilder": [("described", DESCRIBED)],
    "Topology": [("described", call("Topology#describe()", on=use("stored")))],
    "kstream.BranchedKStream": [("described", DESCRIBED)],
    "TestInputTopic": [
        ("out", call("TestOutputTopic#readRecordsToList()", on=use("output"))),
    ],
    "processor.api.MockProcessorContext": [
        ("forwarded", call("processor.api.MockProcessorContext#forwarded()", on=use("mock"))),
        (
            "schedules",
            call("processor.api.MockProcessorContext#scheduledPunctuators()", on=use("mock")),
        ),
    ],
    "state.KeyValueStore": [
        ("all", call("state.ReadOnlyKeyValueStore#all()", on=use("kvStore"))),
    ],
    "state.WindowStore": [
        ("all", call("state.ReadOnlyWindowStore#all()", on=use("windowStore"))),
    ],
    "state.SessionStore": [
        (
            "all",
            call("state.SessionStore#findSessions(long, long)", 0, 1000, on=use("sessionStore")),
        ),
    ],
    "state.VersionedKeyValueStore": [
        ("a", call("state.VersionedKeyValueStore#get(Object)", "a", on=use("versionedStore"))),
    ],
}
for _each in (
    *("KStream", "KTable", "KGroupedStream", "KGroupedTable", "TimeWindowedKStream"),
    *("SessionWindowedKStream", "CogroupedKStream", "TimeWindowedCogroupedKStream"),
    "SessionWindowedCogroupedKStream",
):
    AFTER[f"kstream.{_each}"] = [("described", DESCRIBED)]
