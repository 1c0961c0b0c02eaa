"""What a strict type checker makes of lambdas as listeners and of branches; checked, never run."""

from __future__ import annotations

from typing_extensions import assert_type

from millstream import (
    Branched,
    Consumed,
    KafkaStreams,
    KStream,
    Serdes,
    StreamsBuilder,
    StreamThreadExceptionResponse,
)

builder = StreamsBuilder()
lines = builder.stream("lines", Consumed.with_(Serdes.String(), Serdes.Long()))
branches = (
    lines.split()
    .branch(lambda k, v: v > 1, Branched.withFunction(lambda s: s.mapValues(lambda v: v + 1)))
    .branch(lambda k, v: v > 2, Branched.withFunction(lambda s: None, "none"))
    .branch(lambda k, v: v > 3, Branched.withConsumer(lambda s: s.to("more")))
    .defaultBranch(Branched.withConsumer(lambda s: print(assert_type(s, KStream[str, int]))))
)
assert_type(branches, dict[str, KStream[str, int]])

application = KafkaStreams(builder.build(), {})
application.setStateListener(lambda new, old: print(new.name, old.isValidTransition(new)))
application.setStateListener(None)
application.setUncaughtExceptionHandler(
    lambda e: (print(e.args), StreamThreadExceptionResponse.REPLACE_THREAD)[1]
)
