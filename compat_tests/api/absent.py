"""What of Kafka Streams' public API is not here, and why; docs/compatibility.md lists the same."""

from __future__ import annotations

from compat_tests.api.names import counterpart, python_class
from compat_tests.api.surface import Form, kinds

# A class (with all of it), a method (in all its forms), or one form: the reason.
ABSENT: dict[str, str] = {
    "ClientInstanceIds": "identifies the clients of a JVM",
    "GroupProtocol": "Spark shares the work; there is no consumer group",
    "KafkaClientSupplier": "makes the clients of a JVM",
    "KafkaStreams.CloseOptions": "deprecated; CloseOptions",
    "StreamsConfig.InternalConfig": "for Kafka's own use",
    "TopologyConfig.InternalConfig": "for Kafka's own use",
    "KafkaStreams#<init>(Topology, Properties, KafkaClientSupplier)": "the clients are not a JVM's",
    "KafkaStreams#<init>(Topology, Properties, KafkaClientSupplier, Time)": (
        "the clients are not a JVM's"
    ),
    "KafkaStreams#<init>(Topology, Properties, Time)": "the clock is Spark's",
    "KafkaStreams#<init>(Topology, StreamsConfig, KafkaClientSupplier)": (
        "the clients are not a JVM's"
    ),
    "KafkaStreams#<init>(Topology, StreamsConfig, Time)": "the clock is Spark's",
    "KafkaStreams#close(KafkaStreams.CloseOptions)": "deprecated; CloseOptions",
    "errors.TaskCorruptedException#<init>(Set, InvalidOffsetException)": (
        "the clients are not a JVM's"
    ),
    "StreamsConfig#getKafkaClientSupplier": "makes the clients of a JVM",
    "StreamsConfig#main": "prints a page of Kafka's documentation",
    "errors.DeserializationExceptionHandler#handle(ProcessorContext, ConsumerRecord, Exception)": (
        "deprecated; handle() gets an ErrorHandlerContext"
    ),
    "errors.ProductionExceptionHandler#handle(ProducerRecord, Exception)": (
        "deprecated; handle() gets an ErrorHandlerContext"
    ),
    "errors.ProductionExceptionHandler#handleSerializationException(ProducerRecord, Exception)": (
        "deprecated; handleSerializationError"
    ),
    "kstream.ForeachProcessor": "deprecated; KStream.process",
    "kstream.Transformer": "deprecated, and no method takes it any more",
    "kstream.TransformerSupplier": "deprecated, and no method takes it any more",
    "kstream.ValueTransformer": "deprecated, and no method takes it any more",
    "kstream.ValueTransformerSupplier": "deprecated, and no method takes it any more",
    "processor.ProcessorContext#register": "a store registers with its StateStoreContext",
    "state.RocksDBConfigSetter.LOG": "a logger of Java",
    "processor.MockProcessorContext": "the older one; here is that of processor.api",
}
IDENTIFIER = "a number of Kafka's own; the value has its name"
UTILITY = "a class of static methods only"
DEPRECATED = "deprecated in Kafka Streams"
# In Python these would clash with the static methods of the same names.
GETTERS = {f"kstream.Joined#{name}()" for name in ("keySerde", "valueSerde", "otherValueSerde")}
UTILITIES = {
    *("state.Stores", "state.QueryableStoreTypes", "kstream.WindowedSerdes"),
    *("state.BuiltInDslStoreSuppliers", "processor.assignment.TaskAssignmentUtils"),
}


def reason(form: Form) -> str | None:
    """Return why a form is not here, or None if it is."""
    nested = [form.owner[:end] for end, c in enumerate(form.owner + ".") if c == "."]
    for name in (str(form), f"{form.owner}#{form.name}", *nested):
        if name in ABSENT:
            return ABSENT[name]
    if form.name == "<init>" and form.owner in UTILITIES:
        return UTILITY
    if form.parameters is None and form.name == "id" and kinds()[form.owner].kind == "enum":
        return IDENTIFIER
    if form.deprecated and (str(form) in GETTERS or not counterpart(form)):
        return DEPRECATED
    return None


def missing(form: Form) -> bool:
    """Tell whether a form is neither here nor said to be absent."""
    if reason(form) is not None:
        return False
    owner = python_class(form.owner)
    of_enum = kinds()[form.owner].kind == "enum" and form.name in ("values", "valueOf", "name")
    return owner is None or not (of_enum or form.name == "<init>" or counterpart(form))
