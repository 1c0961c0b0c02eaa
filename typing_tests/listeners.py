"""What a strict type checker makes of lambdas as listeners and of branches; checked, never run."""

from __future__ import annotations

from typing_extensions import assert_type

from millstream import (
    Branched,
    Consumed,
    KafkaStreams,
    KStream,
    Produced,
    Repartitioned,
    Serdes,
    StreamsBuilder,
    StreamThreadExceptionResponse,
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

application = KafkaStreams(builder.build(), {})
application.setStateListener(lambda new, old: print(new.name, old.isValidTransition(new)))
application.setStateListener(None)
application.setUncaughtExceptionHandler(
    lambda e: (print(e.args), StreamThreadExceptionResponse.REPLACE_THREAD)[1]
)
