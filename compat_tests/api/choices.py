"""Values that a call is tried with: by method and name of a parameter, or by its type."""

from __future__ import annotations

from compat_tests.api.arguments import ARGUMENTS, PAIR
from compat_tests.api.expressions import (
    COMMON,
    Expression,
    call,
    gives,
    use,
)
from compat_tests.api.surface import Form
from compat_tests.api.variables import (
    CONFIG,
    STORE_BUILDERS,
    windowed,
)

# What a parameter of a method takes where its type alone does not say: by owner and name of the
# method, or the method's name alone, and the parameter's name.
SPECIAL: dict[tuple[str, str], list[Expression]] = {
    ("flatMap", "mapper"): [gives({"list": [PAIR]}, "kstream.KeyValueMapper"), None],
    ("pipeKeyValueList", "keyValues"): [{"list": [PAIR]}, {"list": []}, None],
    ("pipeValueList", "values"): [{"list": ["v", None]}, {"list": []}, None],
    ("pipeRecordList", "records"): [
        {"list": [call("test.TestRecord#<init>(Object, Object)", "k", "v")]},
        {"list": []},
        None,
    ],
    ("addProcessor", "parentNames"): [
        {"list": ["source"]},
        {"list": []},
        {"list": ["absent"]},
        {"list": ["x"]},
        {"list": [None]},
    ],
    ("addStateStore", "processorNames"): [
        {"list": ["processor"]},
        {"list": []},
        {"list": ["absent"]},
        {"list": [None]},
    ],
    ("serialize", "data"): [windowed("a", 100, 110), windowed(None, 1, 2), None],
    ("serializeBaseKey", "data"): [windowed("a", 100, 110), None],
    ("deserialize", "data"): [
        {"bytes": "610000000000000064"},
        {"bytes": "61000000000000006e0000000000000064"},
        {"bytes": ""},
        None,
    ],
    ("configure", "configs"): [
        {
            "map": [
                [
                    "windowed.inner.class.serde",
                    {"class": f"{COMMON}serialization.Serdes.StringSerde"},
                ]
            ]
        },
        {"map": [["windowed.inner.class.serde", "no.such.Serde"]]},
        {"map": []},
        None,
    ],
    ("addGlobalStore", "storeBuilder"): [STORE_BUILDERS["timed"], STORE_BUILDERS["kv"], None],
    ("addReadOnlyStateStore", "storeBuilder"): [
        STORE_BUILDERS["timed"],
        STORE_BUILDERS["kv"],
        None,
    ],
    ("AssignmentConfigs#<init>", "probingRebalanceIntervalMs"): [60_000, 0],
    ("KafkaStreams#<init>", "topology"): [use("stored"), call("Topology#<init>()"), None],
    ("rawValue", "value"): [{"long": 5}, "text", None],
    ("valueFrom", "rawValue"): [{"bytes": "0000000000000005"}, {"bytes": "00"}, None],
    ("TestRecord#<init>", "record"): [
        call(
            "org.apache.kafka.clients.producer.ProducerRecord"
            "#<init>(String, Integer, Long, Object, Object)",
            *("in", 0, {"long": 5}, "k", "v"),
        ),
        None,
    ],
    ("addGlobalStore", "processorName"): ["y", "x", None, ""],
    ("addReadOnlyStateStore", "processorName"): ["y", "x", None, ""],
    ("Topology#addStateStore", "storeBuilder"): [
        STORE_BUILDERS["timed"],
        STORE_BUILDERS["kv"],
        None,
    ],
    ("StreamsConfig#<init>", "props"): [CONFIG, {"map": []}, None],
    ("connectProcessorAndStateStores", "processorName"): ["processor", "absent", None],
    ("connectProcessorAndStateStores", "stateStoreNames"): [
        {"list": ["kv"]},
        {"list": []},
        {"list": ["absent"]},
        {"list": [None]},
    ],
    ("addSource", "topics"): [
        {"list": ["more", "topics"]},
        {"list": []},
        {"list": ["in"]},
        {"list": [None]},
    ],
    ("createOutputTopic", "topicName"): ["out", "absent", None],
    ("createInputTopic", "topicName"): ["in", "absent", None],
    ("verifyTopologyOptimizationConfigs", "config"): [
        "all",
        "none",
        "reuse.ktable.source.topics",
        "x",
        "",
        None,
    ],
    ("parse", "taskIdStr"): ["1_2", "x_1_2", "x", "", "1_", "_1", "1_2_3_4", None],
    ("buildFromEndpoint", "endPoint"): ["host:1", "host", "", "http://a:5", "host:x", None],
    ("Materialized#as", "storeName"): ["x", None, "", "a b", "x" * 250],
    ("Named#as", "name"): ["x", None, "", "a b", ".", "..", "x" * 250],
    ("of", "name"): ["plain", "HEADERS", "x", None],
}
for _sink in ("addSink",):
    SPECIAL[_sink, "parentNames"] = [
        {"list": ["processor"]},
        {"list": []},
        {"list": ["absent"]},
        {"list": [None]},
    ]


def choices(form: Form, kind: str, name: str) -> list[Expression] | None:
    """Return the values to try for a parameter: the usual one first; None if there are none."""
    if kind == "ConsumerRecord":
        return ARGUMENTS[kind]
    for method in (f"{form.owner.rpartition('.')[2]}#{form.name}", form.name):
        if (found := SPECIAL.get((method, name))) is not None:
            return found
    if kind == "String...":
        return [{"list": []}, {"list": ["x"]}, {"list": [None]}]
    return ARGUMENTS.get(kind)
