"""Types as the tracker knows them, and what follows from the key and value types of a stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from millstream.porting.checking import api

KSTREAM = api.STREAMS + "kstream."
STATE = api.STREAMS + "state."
PROCESSOR = api.STREAMS + "processor."


@dataclass(frozen=True, slots=True)
class Typed:
    """A type by its full Java name; a class of the sources has its plain name.

    Attributes:
        arguments: Type arguments; None where one is not known.
        static: The class itself is meant, not an instance.
    """

    name: str
    arguments: tuple[Typed | None, ...] = ()
    static: bool = False

    def argument(self, index: int) -> Typed | None:
        """Return a type argument; None where there is none or it is not known."""
        return self.arguments[index] if index < len(self.arguments) else None

    @property
    def short(self) -> str:
        """The name without packages."""
        return self.name.rpartition(".")[2]

    @property
    def kafka(self) -> bool:
        """Whether it is of Kafka or of Confluent's serdes."""
        return api.is_kafka(self.name)


OTHER = Typed("java.lang.Object")
LONG = Typed("java.lang.Long")
STRING = Typed("java.lang.String")
STREAMS = ("KStream", "KTable", "GlobalKTable")
GROUPED = (
    "KGroupedStream", "KGroupedTable", "TimeWindowedKStream", "SessionWindowedKStream",
    "CogroupedKStream", "TimeWindowedCogroupedKStream", "SessionWindowedCogroupedKStream",
)  # fmt: skip
KEEPING = (
    "filter", "filterNot", "peek", "merge", "repartition", "through", "groupByKey", "windowedBy",
    "toTable", "suppress", "split", "branch", "reduce", "emitStrategy", "defaultBranch",
    "noDefaultBranch",
)  # fmt: skip
# What a method of a typed class gives: the index of a type argument.
PARTS = {
    "KeyValue.key": 0, "KeyValue.value": 1, "Record.key": 0, "Record.value": 1,
    "FixedKeyRecord.key": 0, "FixedKeyRecord.value": 1, "Windowed.key": 0,
    "ValueAndTimestamp.value": 0, "ValueAndTimestamp.getValueOrNull": 0,
    "KeyValueStore.get": 1, "KeyValueStore.delete": 1, "KeyValueStore.putIfAbsent": 1,
    "ReadOnlyKeyValueStore.get": 1, "SessionStore.fetchSession": 1, "VersionedRecord.value": 0,
    "ConsumerRecord.key": 0, "ConsumerRecord.value": 1, "ProducerRecord.key": 0,
    "ProducerRecord.value": 1, "TestRecord.key": 0, "TestRecord.value": 1,
    "TestOutputTopic.readValue": 1, "Deserializer.deserialize": 0,
}  # fmt: skip
CARRYING = (
    "next", "peek", "with", "withKey", "withValue", "serializer", "deserializer", "readKeyValue",
    "readRecord",
)  # fmt: skip
NUMBERS = ("Long", "Integer", "Short", "Float", "Double", "Boolean", "UUID")
OPTIONAL = "java.util.Optional"
FUNCTIONS = (
    "ValueMapper", "ValueMapperWithKey", "KeyValueMapper", "ValueJoiner", "ValueJoinerWithKey",
    "Aggregator", "Initializer", "Reducer", "Merger", "Function", "BiFunction", "Supplier",
)  # fmt: skip


def given(
    receiver: Typed, method: str, arguments: Sequence[Typed | None], results: Sequence[Typed | None]
) -> Typed | None:
    """Return what a call on a class of Kafka gives.

    Args:
        receiver: The class, with its type arguments.
        method: The method.
        arguments: Types of the arguments.
        results: What the functions among the arguments return, in order.
    """
    part = f"{receiver.short}.{method}"
    if part in PARTS:
        return receiver.argument(PARTS[part])
    if receiver.short == "Serdes" and method != "serdeFrom":
        inner = Typed(f"java.lang.{method}")
        return Typed(api.returns(receiver.name, method) or OTHER.name, (inner,))
    if method == "recordMetadata":
        return Typed(OPTIONAL, (Typed(PROCESSOR + "api.RecordMetadata"),))
    if method in ("metadataForLocalThreads", "metadataForAllStreamsClients"):
        kind = "ThreadMetadata" if "Threads" in method else "StreamsMetadata"
        return Typed("java.util.Collection", (Typed(api.STREAMS + kind),))
    if method in ("getStateStore", "store") and "Builder" not in receiver.short:
        return None  # the caller's declaration says it
    if receiver.name not in api.classes():
        return OTHER
    name = api.returns(receiver.name, method, _hint(method, arguments))
    if name is None:
        return _gone(receiver, method)
    if name == "":
        return _foreign(receiver, method)
    made = Typed(name.removesuffix("[]"), _inner(receiver, method, arguments, results))
    return Typed("[]", (made,)) if name.endswith("[]") else made


def _hint(method: str, arguments: Sequence[Typed | None]) -> str:
    """Return how the class begins that `windowedBy` gives for these windows."""
    if method != "windowedBy":
        return ""
    first = arguments[0] if arguments else None
    return "Session" if first is not None and first.short == "SessionWindows" else "Time"


def _gone(receiver: Typed, method: str) -> Typed | None:
    """Return what a method of older releases gave, so that the chain behind it is followed."""
    stream = replace(receiver, arguments=receiver.arguments[:2], static=False)
    if receiver.short == "KStream" and method == "branch":
        return Typed("[]", (stream,))
    if receiver.short in STREAMS and method in ("through", "transform", "flatTransform"):
        return stream if method == "through" else Typed(receiver.name)
    if receiver.short in STREAMS and method in ("transformValues", "flatTransformValues"):
        return Typed(receiver.name, (receiver.argument(0), None))
    if receiver.short in ("TimeWindows", "SessionWindows", "JoinWindows", "SlidingWindows"):
        return Typed(receiver.name)
    return None


def _foreign(receiver: Typed, method: str) -> Typed:
    if receiver.short == "BranchedKStream":
        stream = Typed(KSTREAM + "KStream", receiver.arguments)
        return Typed("java.util.Map", (STRING, stream))
    if receiver.short.endswith("Topic") and method.endswith("List"):
        pair = Typed(api.STREAMS + "KeyValue", receiver.arguments)
        if method == "readRecordsToList":
            pair = Typed(api.STREAMS + "test.TestRecord", receiver.arguments)
        return Typed("java.util.List", (pair if "Values" not in method[4:10] else None,))
    return OTHER


def _inner(
    receiver: Typed, method: str, arguments: Sequence[Typed | None], results: Sequence[Typed | None]
) -> tuple[Typed | None, ...]:
    key, value = receiver.argument(0), receiver.argument(1)
    last = results[-1] if results else None
    if receiver.short == "StreamsBuilder":
        return _consumed(arguments)
    if receiver.short in STREAMS and method in ("mapValues", "flatMapValues", "processValues"):
        return (key, last if method == "mapValues" else None)
    if receiver.short in STREAMS and method in ("map", "flatMap", "process"):
        pair = last if method == "map" and last is not None and last.short == "KeyValue" else None
        return (None, None) if pair is None else pair.arguments
    if receiver.short in STREAMS and method in ("selectKey", "groupBy"):
        pair = last if last is not None and last.short == "KeyValue" else None
        return (last, value) if pair is None else pair.arguments
    if method == "toStream":
        return receiver.arguments if not arguments else (last, value)
    if "join" in method.lower() and receiver.short in STREAMS:
        return (key, last)
    if receiver.short in GROUPED and method in ("count", "aggregate", "reduce"):
        kept = value if method == "reduce" else LONG
        made = kept if method != "aggregate" else (results[0] if results else None)
        windowed = "Windowed" in receiver.short
        return (Typed(KSTREAM + "Windowed", (key,)) if windowed else key, made)
    if method in ("cogroup", "windowedBy") and "ogroup" in f"{receiver.short}{method}":
        return (key, None)
    if method in ("createInputTopic", "createOutputTopic"):
        return tuple(_payload(each) for each in arguments[1:3])
    if method in KEEPING or receiver.short.endswith(("Iterator", "Store", "Record", "Windowed")):
        return receiver.arguments
    if receiver.static and receiver.short in ("Consumed", "Produced", "Grouped", "Materialized"):
        return tuple(each.argument(0) if each is not None else None for each in arguments)
    if method == "pair" and receiver.static:
        return tuple(arguments)
    return receiver.arguments if method in CARRYING else ()


def _payload(serde: Typed | None) -> Typed | None:
    """Return what a serializer or a deserializer is for."""
    if serde is None or serde.arguments:
        return None if serde is None else serde.argument(0)
    if "Windowed" in serde.short:
        return Typed(KSTREAM + "Windowed", (None,))
    kind = serde.short.removesuffix("Serializer").removesuffix("Deserializer")
    return Typed(f"java.lang.{kind}") if kind in ("String", *NUMBERS) else None


def _consumed(arguments: Sequence[Typed | None]) -> tuple[Typed | None, ...]:
    for each in arguments:
        if each is not None and each.short == "Consumed" and len(each.arguments) > 1:
            return each.arguments[:2]
    return (None, None)


def lambda_types(
    receiver: Typed, method: str, count: int, before: Sequence[Typed | None], made: Typed | None
) -> tuple[Typed | None, ...]:
    """Return the types of the parameters of a function that a method of Kafka is given.

    Args:
        receiver: The class whose method is called.
        method: The method.
        count: How many parameters the function has.
        before: Types of the arguments before it.
        made: What the first function without parameters (an initializer) returns.
    """
    key, value = receiver.argument(0), receiver.argument(1)
    stream = receiver.short in STREAMS
    if method == "reduce":
        return (value,) * count
    if method in ("aggregate", "cogroup"):
        first_agg = 1 if receiver.short.startswith("Session") and len(before) > 1 else 2
        return tuple(key if i == 0 else made if i >= first_agg else value for i in range(count))
    if stream and "join" in method.lower():
        return _joined(receiver, count, before)
    if stream and count == 1:
        return (key,) if method == "selectKey" else (value,)
    if stream or receiver.short == "BranchedKStream":
        return (key, value, Typed(PROCESSOR + "RecordContext"))[:count]
    if method == "schedule":
        return (LONG,)[:count]
    if receiver.short == "KafkaStreams":
        return (OTHER,) * count
    return (None,) * count


def _joined(
    receiver: Typed, count: int, before: Sequence[Typed | None]
) -> tuple[Typed | None, ...]:
    key, value = receiver.argument(0), receiver.argument(1)
    other = before[0] if before else None
    theirs = other.argument(1) if other is not None else None
    if other is not None and other.short == "GlobalKTable" and len(before) == 1:
        return (key, value)[:count]
    if count == 1:
        return (value,)
    return (key, value, theirs) if count == 3 else (value, theirs)[:count]


def element(holder: Typed | None) -> Typed | None:
    """Return what is in an array or a collection, or what an iterator of Kafka gives."""
    if holder is None:
        return None
    if holder.short in ("KeyValueIterator", "WindowStoreIterator"):
        arguments = holder.arguments if "Key" in holder.short else (LONG, *holder.arguments)
        return Typed(api.STREAMS + "KeyValue", arguments)
    if holder.short == "Headers":
        return Typed("org.apache.kafka.common.header.Header")
    if holder.kafka:
        return None
    return holder.arguments[-1] if holder.arguments else OTHER


def function_types(wanted: Typed, count: int) -> tuple[Typed | None, ...]:
    """Return the types of the parameters of a function that has to be of a type.

    In Kafka's and Java's functional types the parameters come first.
    """
    if wanted.short in ("Reducer", "BinaryOperator"):
        return (wanted.argument(0),) * count
    return tuple(wanted.argument(index) for index in range(count))
