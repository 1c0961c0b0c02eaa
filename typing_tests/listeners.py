"""What a strict type checker makes of lambdas as listeners and of branches; checked, never run."""

from __future__ import annotations

from typing import Any

from typing_extensions import assert_type

from millstream import (
    Branched,
    Consumed,
    Deduplicated,
    Grouped,
    KafkaStreams,
    KStream,
    Materialized,
    Printed,
    ProcessorContext,
    Produced,
    PunctuationType,
    Record,
    Repartitioned,
    Serdes,
    Stores,
    StreamJoined,
    StreamsBuilder,
    StreamThreadExceptionResponse,
    TableJoined,
)

text, number = Serdes.String(), Serdes.Long()
builder = StreamsBuilder()
lines = builder.stream("lines", Consumed.with_(text, number))
branches = (
    lines.split()
    .branch(lambda k, v: v > 1, Branched.withFunction(lambda s: s.mapValues(lambda v: v + 1)))
    .branch(lambda k, v: v > 2, Branched.withFunction(lambda s: None, "none"))
    .branch(lambda k, v: v > 3, Branched.withConsumer(lambda s: s.to("more")))
    .defaultBranch(Branched.withConsumer(lambda s: print(assert_type(s, KStream[str, int]))))
)
assert_type(branches, dict[str, KStream[str, int]])

lines.to("x", Produced.with_(text, number, lambda t, k, v, n: {len(k) % n, v % n}))
lines.to("x", Produced.with_(text, number).withStreamPartitioner(lambda t, k, v, n: {len(k) % n}))
lines.repartition(Repartitioned.streamPartitioner(lambda t, k, v, n: {len(k) % n}))
builder.stream("x", Consumed.with_(lambda record, time: max(record.timestamp(), time)))
builder.stream("x", Consumed.with_(text, number).withTimestampExtractor(lambda r, t: r.offset()))

sums = builder.table("sums", Consumed.with_(text, number))
joined = StreamJoined.with_(text, number, text)
assert_type(joined, StreamJoined[str, int, str])
assert_type(StreamJoined.with_(keySerde=text), StreamJoined[str, Any, Any])
windows = Stores.inMemoryWindowStore("w", 20, 10, True)
assert_type(StreamJoined.with_(windows, windows), StreamJoined[Any, Any, Any])
assert_type(StreamJoined.with_(Materialized.StoreType.IN_MEMORY), StreamJoined[Any, Any, Any])
assert_type(Grouped.with_(keySerde=text, name="g"), Grouped[str, Any])
assert_type(Deduplicated.with_(valueSerde=number), Deduplicated[Any, int])
Materialized.as_(Stores.inMemoryKeyValueStore("k")).withStoreType(Materialized.StoreType.ROCKS_DB)
lines.print(Printed[str, int].toSysOut().withKeyValueMapper(lambda k, v: f"{k}: {v}"))
by_text = TableJoined.with_(lambda t, k, v, n: {len(str(k)) % n}, None).withPartitioner(None)
sums.join(sums, lambda v: str(v), lambda one, other: one + other, by_text)

application = KafkaStreams(builder.build(), {})
application.setStateListener(lambda new, old: print(new.name, old.isValidTransition(new)))
application.setStateListener(None)
application.setUncaughtExceptionHandler(
    lambda e: (print(e.args), StreamThreadExceptionResponse.REPLACE_THREAD)[1]
)


def schedules(context: ProcessorContext[str, int]) -> None:
    clock = PunctuationType.WALL_CLOCK_TIME
    context.schedule(5, clock, lambda time: context.forward(Record("k", 1, time))).cancel()
    context.schedule(0, 5, clock, lambda time: print(time + 1))
    context.schedule(clock, 5, print)  # type: ignore[call-overload]
