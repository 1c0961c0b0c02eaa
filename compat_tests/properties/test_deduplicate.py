"""Deduplication beside a brute-force definition of it.

One driver, and one task, serves all examples: each begins so much later than the one before it that
everything known has expired.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_tests.properties.effort import examples
from compat_tests.properties.first_seen import (
    EVENTS,
    FORMS,
    INTERVALS,
    LAST_TIME,
    Event,
    event_of,
    first_seen,
    scenario,
)
from compat_tests.properties.test_restarts import MISHAPS
from compat_tests.properties.test_restarts import run as run_line
from compat_tests.properties.world import Host, records
from compat_tests.properties.world import run as run_world
from compat_tests.topology.running import Event as RawEvent
from compat_tests.topology.running import new_task, raw_chunk
from millstream import Consumed, Produced, Serdes, StreamsBuilder, Topology
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
APART = LAST_TIME + max(INTERVALS) + 1
USES = [(form, interval) for form in FORMS for interval in INTERVALS]
STREAMS = st.lists(EVENTS, max_size=20)
CONFIG: dict[str, Any] = {"default.key.serde": TEXT, "default.value.serde": TEXT}


def first_letter(key: str | None, value: str) -> str | None:
    return value[:1] or None


def deduplicated(stream: Any, form: str, interval: int) -> Any:
    if form == "deduplicateByKey":
        return stream.deduplicateByKey(interval)
    return getattr(stream, form)(first_letter, interval)


def all_uses() -> Topology:
    """Every form with every interval, each from a topic of its own to another one."""
    builder = StreamsBuilder()
    for number, (form, interval) in enumerate(USES):
        stream = builder.stream(f"in{number}", Consumed.with_(TEXT, TEXT))
        deduplicated(stream, form, interval).to(f"out{number}", Produced.with_(TEXT, TEXT))
    return builder.build()


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with TopologyTestDriver(all_uses(), CONFIG) as opened:
        serializers, deserializers = (TEXT.serializer(),) * 2, (TEXT.deserializer(),) * 2
        inputs = [opened.createInputTopic(f"in{n}", *serializers) for n in range(len(USES))]
        outputs = [opened.createOutputTopic(f"out{n}", *deserializers) for n in range(len(USES))]
        starts = count(0, APART)

        def run(use: int, events: Sequence[Event]) -> list[Event]:
            start = next(starts)
            for each in events:
                inputs[use].pipeInput(each.key, each.value, start + each.timestamp)
            found: list[Any] = outputs[use].readRecordsToList()
            return [Event(r.key(), r.value(), r.timestamp() - start) for r in found]

        yield run


@given(st.sampled_from(range(len(USES))), STREAMS)
@examples(10_000)
def test_the_driver_forwards_what_the_definition_does(
    driver: Any, use: int, events: list[Event]
) -> None:
    assert driver(use, events) == first_seen(*USES[use], events)


WITHIN_A_TASK = [use for use in USES if use[0] != "deduplicate"]


@pytest.fixture(scope="module", params=WITHIN_A_TASK, ids=str)
def task(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A task that gets runs of records as chunks."""
    form, interval = request.param
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed.with_(TEXT, TEXT))
    deduplicated(stream, form, interval).to("out", Produced.with_(TEXT, TEXT))
    opened, host = new_task(builder.build().plan(), CONFIG)
    starts, offsets = count(0, APART), count(0, 1000)

    def run(events: Sequence[Event], cuts: Sequence[int]) -> tuple[list[Event], list[Event]]:
        start, offset = next(starts), next(offsets)
        whole = [RawEvent(e.key, e.value, start + e.timestamp) for e in events]
        bounds = sorted({0, *(cut for cut in cuts if cut < len(whole)), len(whole)})
        for first, last in zip(bounds, bounds[1:], strict=False):
            opened.add(raw_chunk(whole[first:last], offset + first))
            opened.run()
            opened.commit()
        found = [
            event_of(sent.key, sent.value, sent.timestamp - start)
            for sent in host.sent
            if sent.topic == "out"
        ]
        host.sent.clear()
        return found, first_seen(form, interval, events)

    yield run
    opened.close()


@given(events=STREAMS, cuts=st.lists(st.integers(1, 19), max_size=3))
@examples(200)
def test_chunks_cut_anywhere_do_what_the_definition_does(
    task: Any, events: list[Event], cuts: list[int]
) -> None:
    found, expected = task(events, cuts)
    assert found == expected


@given(st.sampled_from(USES), st.lists(EVENTS, max_size=20), st.integers(1, 8))
@examples(50)
def test_chunks_leave_what_single_records_leave(
    use: tuple[str, int], events: list[Event], size: int
) -> None:
    program = scenario(*use, events)
    sent = records(program)
    batches = [sent[at : at + size] for at in range(0, len(sent), size)]
    # Where every single write is logged, there are only single records.
    with patch.object(Host, "logs_changes", lambda host, store: False):
        single = run_world(program, batches, by_chunks=False)
        chunked = run_world(program, batches, by_chunks=True)
    assert chunked == single


@given(
    st.sampled_from(USES),
    st.lists(EVENTS, min_size=1, max_size=20),
    st.integers(1, 8),
    st.lists(st.sampled_from(MISHAPS), min_size=1, max_size=4),
)
@examples(40)
def test_a_restart_at_the_end_of_a_batch_shows_nowhere(
    use: tuple[str, int], events: list[Event], size: int, mishaps: list[str]
) -> None:
    program = scenario(*use, events)
    seen = run_line(program, size, 0, mishaps)
    assert seen == run_line(program, size, 0, ["none"])
    lines = [line for batch in seen.batches for line in batch.get("out", [])]
    assert [event_of(*line[:3]) for line in lines] == first_seen(*use, events)
