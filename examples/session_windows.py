"""Visits to a shop as session windows, complete: the topology, a try, and a run on Spark.

python -m examples.session_windows                     # tries the topology in this process, no JVM
python -m examples.session_windows localhost:9092      # runs it on Spark; reads "clicks"

A visit ends five minutes after its last click. Clicks may come up to a minute late, and one that
comes between two visits makes one visit of them. Each visit is written once, when it is over.
"""

from __future__ import annotations

import sys
from datetime import timedelta
from typing import Any

from millstream import (
    Consumed,
    EmitStrategy,
    Grouped,
    KafkaStreams,
    KStream,
    Materialized,
    Produced,
    Serdes,
    SessionWindows,
    StreamsBuilder,
    Topology,
    Windowed,
)
from millstream.testing import TopologyTestDriver

VISIT = SessionWindows.ofInactivityGapAndGrace(timedelta(minutes=5), timedelta(minutes=1))


def then(path: str, pages: str) -> str:
    """Add pages to a path, which may be empty."""
    return f"{path} > {pages}" if path else pages


def times(visit: Windowed[str]) -> str:
    """Return who came, and the seconds of the first and the last click."""
    window = visit.window()
    return f"{visit.key()} {window.start() // 1000}-{window.end() // 1000} s"


def visits(source: str = "clicks", target: str = "visits") -> Topology:
    """Write each visitor's path through the pages to `target`, visit by visit."""
    text = Serdes.String()
    kept: Materialized[str, str, Any] = Materialized.as_("visits")
    builder = StreamsBuilder()
    clicks: KStream[str, str] = builder.stream(source, Consumed.with_(text, text))
    (
        clicks.groupByKey(Grouped.with_(text, text))
        .windowedBy(VISIT)
        .emitStrategy(EmitStrategy.onWindowClose())
        .aggregate(
            lambda: "",
            lambda _, page, path: then(path, page),
            lambda _, first, second: then(first, second),
            # Longer than gap and grace, or a pause of all visitors would lose open visits.
            kept.withValueSerde(text).withRetention(timedelta(hours=1)),
        )
        .toStream(lambda visit, _: times(visit))
        .to(target, Produced.with_(text, text))
    )
    return builder.build()


def try_out() -> list[str]:
    """Pipe clicks, in seconds of event time, through the topology; return the visits it writes.

    >>> for visit in try_out():
    ...     print(visit)
    bert 30-30 s: home
    anna 0-600 s: home > cart > shoes > paid
    """
    text = Serdes.String()
    with TopologyTestDriver(visits()) as driver:
        clicks = driver.createInputTopic("clicks", text.serializer(), text.serializer())
        found = driver.createOutputTopic("visits", text.deserializer(), text.deserializer())
        for visitor, page, second in (
            ("anna", "home", 0),
            ("bert", "home", 30),
            # More than five minutes after the first click: another visit, so far.
            ("anna", "cart", 310),
            # Late; it belongs to both, and they are one now.
            ("anna", "shoes", 280),
            ("anna", "paid", 600),
            ("carl", "home", 961),
        ):
            clicks.pipeInput(visitor, page, second * 1000)
        return [f"{visit.key}: {visit.value}" for visit in found.readKeyValuesToList()]


def run(bootstrap_servers: str) -> None:
    """Run the topology on Spark until a signal or a failure ends it."""
    config = {"application.id": "visits", "bootstrap.servers": bootstrap_servers}
    KafkaStreams(visits(), config).run()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run(sys.argv[1])
    else:
        print(*try_out(), sep="\n")
