"""Obstacles to a port, apart from single calls: static state, the wall clock, Spring."""

from __future__ import annotations

from collections.abc import Iterator

from millstream.porting.checking import api
from millstream.porting.checking.names import Definitions, FileNames
from millstream.porting.checking.verdicts import Notice, Use
from millstream.porting.reading.syntax import Call, Name, New, Part, Unit
from millstream.porting.reading.walk import classes, everything

SERDES = ("Serde", "Serializer", "Deserializer", "WrapperSerde")
PROCESSORS = (
    "Processor",
    "FixedKeyProcessor",
    "ContextualProcessor",
    "ContextualFixedKeyProcessor",
)
OLD_PROCESSORS = (
    "Transformer", "ValueTransformer", "ValueTransformerWithKey", "AbstractProcessor",
)  # fmt: skip
CLOCKS = {
    "System": ("currentTimeMillis", "nanoTime"),
    "Instant": ("now",),
    "LocalDateTime": ("now",),
    "LocalDate": ("now",),
    "ZonedDateTime": ("now",),
    "OffsetDateTime": ("now",),
    "Clock": ("systemUTC", "systemDefaultZone"),
    "Calendar": ("getInstance",),
}
MUTABLE = (
    "Map", "HashMap", "ConcurrentHashMap", "ConcurrentMap", "TreeMap", "List", "ArrayList", "Set",
    "HashSet", "AtomicLong", "AtomicInteger", "AtomicReference", "LongAdder", "Queue", "Cache",
)  # fmt: skip
SPRING = (
    "org.springframework.kafka.",
    "org.springframework.cloud.stream.",
    "org.springframework.boot.",
)
AVRO = ("io.confluent.kafka.streams.serdes.", "io.confluent.kafka.serializers.")
QUERIES = ("store", "query", "queryMetadataForKey", "streamsMetadataForStore", "metadataForKey")


def obstacles(unit: Unit, sources: Definitions, uses: list[Use]) -> list[Notice]:
    """Return the first of each kind in a file that uses Kafka, in order of lines."""
    names = FileNames(unit, sources)
    found: dict[str, Notice] = {}
    everywhere = (
        *_imports(unit), *_supers(unit, names), *_static(unit), *_calls(unit), *_queries(uses),
    )  # fmt: skip
    for notice in everywhere:
        found.setdefault(notice.kind, notice)
    return sorted(found.values(), key=lambda notice: (notice.line, notice.kind))


def _imports(unit: Unit) -> Iterator[Notice]:
    for each in unit.imports:
        if each.name.startswith(SPRING):
            yield Notice(each.line, "spring", each.name)
        if each.name.startswith(AVRO):
            yield Notice(each.line, "avro-registry", each.simple)


def _supers(unit: Unit, names: FileNames) -> Iterator[Notice]:
    for each in classes(unit.top):
        for kind in each.supers:
            full = names.class_name(kind.name) or ""
            short = full.rpartition(".")[2]
            what = f"{each.name or 'a class without a name'} is a {short}"
            old = full.startswith(api.STREAMS + "processor.Processor")
            if not api.is_kafka(full):
                continue
            if short in SERDES:
                yield Notice(each.line, "custom-serde", what)
            elif short in OLD_PROCESSORS or (short == "Processor" and old):
                yield Notice(each.line, "old-processor-api", what)
            elif short in PROCESSORS:
                yield Notice(each.line, "processor-api", what)


def _static(unit: Unit) -> Iterator[Notice]:
    for holder in (unit.top, *classes(unit.top)):
        for field in holder.fields:
            kind = field.type.name.rpartition(".")[2] if field.type is not None else ""
            made = field.value
            fresh = made is None or isinstance(made, New)
            kotlin = (
                isinstance(made, Call)
                and made.receiver is None
                and made.name.startswith(("mutable", *MUTABLE))
            )
            changes = not field.constant or kotlin or (kind in MUTABLE and fresh)
            if field.static and changes:
                yield Notice(field.line, "static-state", field.name)


def _calls(unit: Unit) -> Iterator[Notice]:
    for node in everything(unit.top):
        if isinstance(node, New) and node.type.name == "Date" and not node.arguments:
            yield Notice(node.line, "wall-clock", "new Date()")
        if not isinstance(node, Call) or node.receiver is None:
            continue
        owner = _last(node.receiver)
        if (owner, node.name) == ("Thread", "sleep"):
            yield Notice(node.line, "thread-sleep", "Thread.sleep")
        elif node.name in CLOCKS.get(owner, ()):
            yield Notice(node.line, "wall-clock", f"{owner}.{node.name}")
        elif node.name == "addShutdownHook":
            yield Notice(node.line, "shutdown-hook", "Runtime.addShutdownHook")


def _last(node: object) -> str:
    if isinstance(node, Name):
        return node.text
    return node.name if isinstance(node, Part) else ""


def _queries(uses: list[Use]) -> Iterator[Notice]:
    for use in uses:
        if use.owner == api.STREAMS + "KafkaStreams" and use.name in QUERIES:
            yield Notice(use.line, "interactive-queries", use.shown)
