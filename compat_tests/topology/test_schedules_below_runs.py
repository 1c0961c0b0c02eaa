"""A record of a run may schedule a punctuator below what a cache or a buffer sets free."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.topology.running import Event, run
from millstream import (
    BufferConfig,
    FixedKeyProcessor,
    KStream,
    Materialized,
    Processor,
    PunctuationType,
    Record,
    Serdes,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
)

TEXT, LONG = Serdes.String(), Serdes.Long()
CONFIG = {"default.key.serde": TEXT, "default.value.serde": TEXT}
ROOMY, TINY = 10_000_000, 300


class Ticking(Processor[Any, Any, Any, Any]):
    """Schedules a punctuator with its second record; tells the stream time of each record."""

    seen = 0

    def init(self, context: Any) -> None:
        self.context = context

    def process(self, record: Any) -> None:
        self.seen += 1
        if self.seen == 2:
            self.context.schedule(5, PunctuationType.STREAM_TIME, self.tick)
        now = self.context.currentStreamTimeMs()
        self.context.forward(record.withKey("k").withValue(f"{record.value()} {now}"))

    def tick(self, now: int) -> None:
        self.context.forward(Record("tick", str(now), now))


class Scheduling(FixedKeyProcessor[Any, Any, Any]):
    """Passes records on, and has scheduled a punctuator with the first one."""

    scheduled = False

    def init(self, context: Any) -> None:
        self.context = context

    def process(self, record: Any) -> None:
        if not self.scheduled:
            self.scheduled = True
            self.context.schedule(5, PunctuationType.STREAM_TIME, lambda now: None)
        self.context.forward(record)


def _held(table: Any) -> Any:
    return table.suppress(Suppressed.untilTimeLimit(3, BufferConfig.unbounded()))


KEPT = Materialized.with_(TEXT, LONG)
TABLES: dict[str, tuple[int, Callable[[Any], Any]]] = {
    "suppress": (0, lambda stream: _held(stream.groupByKey().count(KEPT))),
    "count": (TINY, lambda stream: stream.groupByKey().count(KEPT)),
    "table": (TINY, lambda stream: stream.toTable(Materialized.with_(TEXT, TEXT))),
    "hopping": (
        TINY,
        lambda stream: (
            stream.groupByKey().windowedBy(TimeWindows.ofSizeAndGrace(10, 5).advanceBy(5)).count()
        ),
    ),
    "sliding": (
        TINY,
        lambda stream: (
            stream.groupByKey().windowedBy(SlidingWindows.ofTimeDifferenceAndGrace(5, 5)).count()
        ),
    ),
    "sessions": (
        TINY,
        lambda stream: (
            stream.groupByKey().windowedBy(SessionWindows.ofInactivityGapAndGrace(2, 5)).count()
        ),
    ),
}


def sent(make: Callable[[Any], Any], cache: int, events: list[Event], *, by_chunks: bool) -> Any:
    builder = StreamsBuilder()
    made = make(builder.stream("in"))
    stream = made if isinstance(made, KStream) else made.toStream()
    stream.process(Ticking).to("out")
    config = {**CONFIG, "statestore.cache.max.bytes": cache}
    found = run(builder.build().plan(), config, events, by_chunks=by_chunks)
    return [(each.key, each.value, each.timestamp) for each in found if each.topic == "out"]


@pytest.mark.parametrize("name", TABLES)
def test_it_runs_after_the_record_that_has_scheduled_it(name: str) -> None:
    cache, make = TABLES[name]
    events = [Event("abc"[n % 3], str(n), 2 * n, commit=n % 13 == 12) for n in range(40)]
    results = sent(make, cache, events, by_chunks=True)

    assert results == sent(make, cache, events, by_chunks=False)
    assert sum(key == b"tick" for key, _, _ in results) > 4


@pytest.mark.parametrize("name", ["stream", *TABLES])
def test_records_that_are_left_out_above_it_make_it_due_as_well(name: str) -> None:
    cache, make = TABLES.get(name, (0, lambda stream: stream))
    events = [Event("abc"[n % 3], str(n), 4 * n, commit=n % 13 == 12) for n in range(40)]

    def some(stream: Any) -> Any:
        return make(stream.filter(lambda key, value: int(value) % 4 != 1))

    results = sent(some, cache, events, by_chunks=True)

    assert results == sent(some, cache, events, by_chunks=False)
    assert sum(key == b"tick" for key, _, _ in results) > 20


def test_a_commit_after_the_run_goes_on_below_a_cache() -> None:
    events = [Event("abc"[n % 3], str(n), 2 * n, commit=n % 7 == 6) for n in range(20)]
    both = [
        sent(
            lambda stream: stream.processValues(Scheduling).groupByKey().count(KEPT),
            ROOMY,
            events,
            by_chunks=each,
        )
        for each in (True, False)
    ]

    assert both[0] == both[1]
    assert len(both[0]) > 6
