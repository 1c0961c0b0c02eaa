"""Where a call answers otherwise than in Kafka, and why."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

PENDING = Path(__file__).parent / "pending.json"

# What a difference looks like, and why it stays.
REASONS: list[tuple[str, str]] = [
    (
        r"raises TopologyException\(.Name (\"|is illegal)|^kstream.*[nN]ame [123] described",
        "a name is checked when it is given, not when it is used",
    ),
    (
        r"StreamsConfig#get\w+Configs|appConfigs\(\)|TopologyTestDriver#metrics|"  # noqa: ISC004 - one pattern in parts
        r"KafkaStreams#metrics",
        "settings and metrics of a JVM's clients",
    ),
    (r"\.None', in Kafka '.*\.null'|named None', in Kafka '.* null", "None is None in a text"),
    (r"^query\.WindowKeyQuery#", "WindowKeyQuery of 4.3.1 has its two times the wrong way round"),
    (r"in Kafka 'KTABLE-FK-JOIN-OUTPUT-STATE-STORE", "Kafka names a store that it does not make"),
    (
        r"object at 0x|Our\w+Supplier\(|EmitStrategy\(kind=|StoreType@",
        "no public class says this text",
    ),
    (r"#<init>\(.*Properties.* / config 2 ", "None as configuration is one without entries"),
    (
        r"in Kafka IllegalArgumentException: inconsistent range",
        "Java's map says it, in memory only",
    ),
    (r"in Kafka .*Window endMs must be greater", "Java overflows at the last time"),
    (r"text 'Position\{position=\{in=\{0=5\}, .*Kafka 'Position", "the order of Java's maps"),
    (r"Instant\(9999, 12, 31", "a datetime ends with the year 9999"),
    (r"Custom subclasses of Suppressed", "None is no subclass"),
    (
        r"/ (offsetReset|timestampExtractor) 1 ",
        "a None before the name could be any of three arguments",
    ),
    (
        r"bufferConfig can't be null|"  # noqa: ISC004 - one pattern in parts
        r"(emitStrategy|foreignKeyExtractor|predicate|stateStoreNames|topics) cannot be null",
        "None is refused at the call, not when the topology runs",
    ),
    (r"TopologyException.*a None could be", "refused at the call"),
    (r"Unrecognized config\. Acceptable", "says which value is meant"),
    (
        r"KafkaStreams#close.* result: True, in Kafka (False|None)",
        "before the start there is nothing to wait for; close always tells whether it has ended",
    ),
    (r"KafkaStreams#close\(CloseOptions\) / options 1", "a None could be a timeout"),
    (r"KafkaStreams#metadataForLocalThreads.*in Kafka .*app-", "names of a JVM's clients"),
    (r"Duration\(days=999999999", "a timedelta ends there"),
    (
        r"getStateStoreContext.*in Kafka a ProcessorContext",
        "a store is given what it needs",
    ),
    (r"(ProcessorContext#forward\(Record, String\)).* / record 1 ", "a None could be a key"),
    (r"getFailureMessage\(\): .This store \(\w+\) doesn't", "names its own classes"),
    (r"query.QueryResult#forFailure.*Failure is null: x", "a reason of None is shown as null"),
    (r"ProcessId#randomProcessId", "random"),
    (
        r"raises NullPointerException\(.(predicate|foreignKeyExtractor|emitStrategy|"  # noqa: ISC004 - one pattern in parts
        r"stateStoreNames|topics|topic|stateUpdateSupplier|dslStoreFormat) can(no|')t be null",
        "None is refused at the call, not when the topology runs",
    ),
    (
        r"(?s)#((transformValues|stream)\(|addGlobalStore.* / (topic|state)).* described: gives ",
        "what was refused at the call is not in the topology",
    ),
    (r"state.Dsl(Session|Window)Params.*raises IllegalArg.*value was: null", "refused at once"),
    (r"AssignmentConfigs#<init>.*Invalid value (null|-1) for .*Value must be", "refused at once"),
    (r"asWrapped.*'function' object has no attribute 'stores'", "a callable is a supplier, too"),
    (r"a OurKeyValueSupplier, in Kafka a Stores", "a class without a name of Stores"),
    (r"#configure.*gives None, in Kafka ClassCast", "a class is taken as well as its name"),
    (r"not a windowed key.*in Kafka NegativeArraySize", "an error of deserialization"),
    (r"Serde#<init>\(.* / inner 1 .*gives", "a serde of no inner one is what configure() fills"),
    (r"test.TestRecord#<init>\((Consumer|Producer)Record\) / record 1", "a None could be a value"),
    (r"(?s)TestInputTopic#pipeInput\(TestRecord\) / record 1", "a None could be a value"),
    (
        r"TestRecord#<init>.* / recordTime 2 .*Invalid timestamp: -1",
        "a datetime is checked as well",
    ),
    (
        r"TimeWindows?#windowsFor.*timestamp 3|Windows#windowsFor.*timestamp 3",
        "cut to the last time",
    ),
    (r"OnInvalidTimestamp#.* / record 1", "an extractor is given a record"),
    (r"TopologyConfig#<init>.*topologyOverrides 2", "no overrides"),
]


def excused(difference: str) -> bool:
    """Tell whether a difference is one that is meant."""
    return any(re.search(pattern, difference) for pattern, _ in REASONS)


@cache
def pending() -> frozenset[str]:
    """Return the calls whose differences have not been judged yet; the list only gets shorter."""
    return frozenset(json.loads(PENDING.read_text(encoding="utf-8")))
