"""Objects that calls are made on, or that they get: each made anew for each call."""

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

TEXT = serde("String")
PROPERTIES = {
    "properties": [
        ["application.id", "app"],
        ["bootstrap.servers", "localhost:9"],
        ["default.key.serde", {"class": f"{COMMON}serialization.Serdes.StringSerde"}],
        ["default.value.serde", {"class": f"{COMMON}serialization.Serdes.StringSerde"}],
    ]
}
CONFIG = {"map": PROPERTIES["properties"]}
PROCESSOR = gives(None, "processor.api.Processor")
WINDOWS = call("kstream.TimeWindows#ofSizeWithNoGrace(Duration)", ms(10))


def store(builder: str, supplier: Expression, kind: str) -> Expression:
    """A builder of a store of texts by texts, without a log."""
    form = f"state.Stores#{builder}({kind}, Serde, Serde)"
    built = call(form, supplier, TEXT, TEXT)
    return call("state.StoreBuilder#withLoggingDisabled()", on=built)


STORE_BUILDERS: dict[str, Expression] = {
    "kv": store(
        "keyValueStoreBuilder",
        call("state.Stores#inMemoryKeyValueStore(String)", "kv"),
        "KeyValueBytesStoreSupplier",
    ),
    "timed": store(
        "timestampedKeyValueStoreBuilder",
        call("state.Stores#inMemoryKeyValueStore(String)", "timed"),
        "KeyValueBytesStoreSupplier",
    ),
    "window": store(
        "windowStoreBuilder",
        call(
            "state.Stores#inMemoryWindowStore(String, Duration, Duration, boolean)",
            *("window", ms(1000), ms(10), False),
        ),
        "WindowBytesStoreSupplier",
    ),
    "session": store(
        "sessionStoreBuilder",
        call("state.Stores#inMemorySessionStore(String, Duration)", "session", ms(1000)),
        "SessionBytesStoreSupplier",
    ),
    "versioned": store(
        "versionedKeyValueStoreBuilder",
        call("state.Stores#persistentVersionedKeyValueStore(String, Duration)", "ver", ms(1000)),
        "VersionedBytesStoreSupplier",
    ),
}

ON_STREAMS: dict[str, Expression] = {
    "builder": call("StreamsBuilder#<init>()"),
    "stream": call("StreamsBuilder#stream(String)", "in", on=use("builder")),
    "other": call("StreamsBuilder#stream(String)", "other", on=use("builder")),
    "table": call("StreamsBuilder#table(String)", "rows", on=use("builder")),
    "second": call("StreamsBuilder#table(String)", "second", on=use("builder")),
    "global": call("StreamsBuilder#globalTable(String)", "global", on=use("builder")),
    "grouped": call("kstream.KStream#groupByKey()", on=use("stream")),
    "groupedTable": call(
        "kstream.KTable#groupBy(KeyValueMapper)",
        gives(call("KeyValue#pair(Object, Object)", "k", "v"), "kstream.KeyValueMapper"),
        on=use("table"),
    ),
    "windowed": call("kstream.KGroupedStream#windowedBy(Windows)", WINDOWS, on=use("grouped")),
    "sliding": call(
        "kstream.KGroupedStream#windowedBy(SlidingWindows)",
        call("kstream.SlidingWindows#ofTimeDifferenceWithNoGrace(Duration)", ms(10)),
        on=use("grouped"),
    ),
    "sessions": call(
        "kstream.KGroupedStream#windowedBy(SessionWindows)",
        call("kstream.SessionWindows#ofInactivityGapWithNoGrace(Duration)", ms(10)),
        on=use("grouped"),
    ),
    "cogrouped": call(
        "kstream.KGroupedStream#cogroup(Aggregator)",
        gives("a", "kstream.Aggregator"),
        on=use("grouped"),
    ),
    "windowedCogrouped": call(
        "kstream.CogroupedKStream#windowedBy(Windows)", WINDOWS, on=use("cogrouped")
    ),
    "sessionsCogrouped": call(
        "kstream.CogroupedKStream#windowedBy(SessionWindows)",
        call("kstream.SessionWindows#ofInactivityGapWithNoGrace(Duration)", ms(10)),
        on=use("cogrouped"),
    ),
    "branches": call("kstream.KStream#split()", on=use("stream")),
    "topology": call("Topology#<init>()"),
    "source": call(
        "Topology#addSource(String, String...)", "source", {"list": ["in"]}, on=use("topology")
    ),
    "processor": call(
        "Topology#addProcessor(String, ProcessorSupplier, String...)",
        *("processor", gives(PROCESSOR, "processor.api.ProcessorSupplier"), {"list": ["source"]}),
        on=use("source"),
    ),
    "stored": call(
        "Topology#addStateStore(StoreBuilder, String...)",
        *(STORE_BUILDERS["kv"], {"list": []}),
        on=use("processor"),
    ),
}

ON_DRIVER: dict[str, Expression] = {
    "counts": call(
        "kstream.TimeWindowedKStream#count(Materialized)",
        call("kstream.Materialized#as(String)", "window"),
        on=use("windowed"),
    ),
    "visits": call(
        "kstream.SessionWindowedKStream#count(Materialized)",
        call("kstream.Materialized#as(String)", "session"),
        on=use("sessions"),
    ),
    "kept": call(
        "StreamsBuilder#table(String, Materialized)",
        *("rows", call("kstream.Materialized#as(String)", "kv")),
        on=use("builder"),
    ),
    "versions": call(
        "StreamsBuilder#table(String, Materialized)",
        "versions",
        call(
            "kstream.Materialized#as(KeyValueBytesStoreSupplier)",
            call(
                "state.Stores#persistentVersionedKeyValueStore(String, Duration)", "ver", ms(1000)
            ),
        ),
        on=use("builder"),
    ),
    "copied": call("kstream.KStream#to(String)", "out", on=use("stream")),
    "driver": call(
        "TopologyTestDriver#<init>(Topology, Properties, Instant)",
        *(call("StreamsBuilder#build()", on=use("builder")), PROPERTIES, at(1000)),
    ),
    "input": call(
        "TopologyTestDriver#createInputTopic(String, Serializer, Serializer, Instant, Duration)",
        *("in", serializer("String"), serializer("String"), at(100), ms(10)),
        on=use("driver"),
    ),
    "output": call(
        "TopologyTestDriver#createOutputTopic(String, Deserializer, Deserializer)",
        *("out", deserializer("String"), deserializer("String")),
        on=use("driver"),
    ),
    "piped": call(
        "TestInputTopic#pipeKeyValueList(List)",
        {
            "list": [
                call("KeyValue#pair(Object, Object)", "a", "1"),
                call("KeyValue#pair(Object, Object)", "b", "2"),
                call("KeyValue#pair(Object, Object)", "a", None),
            ]
        },
        on=use("input"),
    ),
}
# A driver wants all of the topology, and a topic what was piped: what must come before.
BEFORE: dict[str, tuple[str, ...]] = {
    "driver": ("copied", "counts", "visits", "kept", "versions"),
    "output": ("piped",),
    "timedMockSet": ("timedMock1", "timedMock2", "timedMock3"),
    "streams": ("copied", "counts", "visits", "kept", "versions"),
}

NEW = "state.StoreBuilder#build()"
STATE = "processor.StateStore#init(StateStoreContext, StateStore)"


def _opened(name: str) -> dict[str, Expression]:
    made = call(NEW, on=STORE_BUILDERS[name])
    context = call("processor.api.MockProcessorContext#getStateStoreContext()", on=use("context"))
    return {
        f"{name}Store": made,
        f"{name}Opened": call(STATE, context, use(f"{name}Store"), on=use(f"{name}Store")),
    }


def _put(name: str, form: str, *rows: tuple[Expression, ...]) -> dict[str, Expression]:
    return {
        f"{name}Put{index}": call(form, *row, on=use(f"{name}Store"))
        for index, row in enumerate(rows)
    }


def windowed(key: Expression, start: int, end: int) -> Expression:
    """A key of a session."""
    window = call("kstream.internals.SessionWindow#<init>(long, long)", start, end)
    return call("kstream.Windowed#<init>(Object, Window)", key, window)


IN_STORES: dict[str, Expression] = {
    "context": call(
        "processor.api.MockProcessorContext#<init>(Properties, TaskId, File)",
        *(PROPERTIES, call("processor.TaskId#<init>(int, int)", 0, 0), {"folder": ""}),
    ),
    **_opened("kv"),
    **_put("kv", "state.KeyValueStore#put(Object, Object)", ("a", "1"), ("b", "2"), ("bc", "3")),
    **_opened("timed"),
    **_put(
        "timed",
        "state.KeyValueStore#put(Object, Object)",
        ("a", call("state.ValueAndTimestamp#make(Object, long)", "1", 5)),
    ),
    **_opened("window"),
    **_put(
        "window",
        "state.WindowStore#put(Object, Object, long)",
        *(("a", "1", 100), ("a", "2", 110), ("b", "3", 100)),
    ),
    **_opened("session"),
    **_put(
        "session",
        "state.SessionStore#put(Windowed, Object)",
        *((windowed("a", 100, 110), "1"), (windowed("a", 150, 160), "2")),
        (windowed("b", 100, 100), "3"),
    ),
    **_opened("versioned"),
    **_put(
        "versioned",
        "state.VersionedKeyValueStore#put(Object, Object, long)",
        *(("a", "1", 100), ("a", "2", 200), ("b", "3", 150)),
    ),
}
BEFORE |= {
    f"{name}Open": (
        f"{name}Opened",
        *(key for key in IN_STORES if key.startswith(f"{name}Put")),
    )
    for name in STORE_BUILDERS
}

HEADERS = {"headers": [["h", {"bytes": "01"}]]}
OBJECTS: dict[str, Expression] = {
    "record": call(
        "processor.api.Record#<init>(Object, Object, long, Headers)", "k", "v", 5, HEADERS
    ),
    "mock": call("processor.api.MockProcessorContext#<init>(Properties)", PROPERTIES),
    "timedMock": call("processor.api.MockProcessorContext#<init>(Properties)", PROPERTIES),
    "timedMock1": call(
        "processor.api.MockProcessorContext#setCurrentStreamTimeMs(long)", 7, on=use("timedMock")
    ),
    "timedMock2": call(
        "processor.api.MockProcessorContext#setCurrentSystemTimeMs(long)", 8, on=use("timedMock")
    ),
    "timedMock3": call(
        "processor.api.MockProcessorContext#setRecordMetadata(String, int, long)",
        *("in", 1, 9),
        on=use("timedMock"),
    ),
    "scheduled": call(
        "processor.api.MockProcessorContext#schedule(Duration, PunctuationType, Punctuator)",
        *(ms(10), constant("processor.PunctuationType.STREAM_TIME")),
        gives(None, "processor.Punctuator"),
        on=use("mock"),
    ),
    "config": call("StreamsConfig#<init>(Map)", CONFIG),
    "streams": call(
        "KafkaStreams#<init>(Topology, Properties)",
        *(call("StreamsBuilder#build()", on=use("builder")), PROPERTIES),
    ),
}

VARIABLES = {**ON_STREAMS, **ON_DRIVER, **IN_STORES, **OBJECTS}
