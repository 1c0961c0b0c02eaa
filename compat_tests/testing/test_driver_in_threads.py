"""A driver that several threads pipe into."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from millstream import Serdes, StreamsBuilder
from millstream.testing import TopologyTestDriver

THREADS, EACH = 4, 100


@pytest.fixture
def often_switched() -> Iterator[None]:
    """Threads that the interpreter interrupts as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_records_that_several_threads_pipe_in_are_all_counted(often_switched: None) -> None:
    text = Serdes.String()
    builder = StreamsBuilder()
    builder.stream("in").groupByKey().count().toStream().to("out")
    config = {"default.key.serde": text, "default.value.serde": text}
    with TopologyTestDriver(builder.build(), config) as driver:

        def pipe(number: int) -> None:
            words = driver.createInputTopic("in", text.serializer(), text.serializer())
            for _ in range(EACH):
                words.pipeInput("k", "v")

        with ThreadPoolExecutor(THREADS) as threads:
            list(threads.map(pipe, range(THREADS)))
        counts = driver.createOutputTopic("out", text.deserializer(), Serdes.Long().deserializer())
        assert counts.readValuesToList() == list(range(1, THREADS * EACH + 1))
