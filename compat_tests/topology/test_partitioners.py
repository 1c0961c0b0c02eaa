"""What a sink does with the answer of a ``StreamPartitioner``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, cast

import numpy as np
import pytest

from compat_tests.topology.running import BatchHost, Event, new_task, raw_chunk
from millstream import (
    Consumed,
    Headers,
    Produced,
    ProductionExceptionHandler,
    Serdes,
    Serializer,
    StreamsBuilder,
    StreamsException,
)
from millstream.core.engine.output import Sent, SentChunk
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
HANDLER = "production.exception.handler"


class Counted(BatchHost):
    """A host whose topics have three partitions, and that notes which one was chosen."""

    has_partitions = True
    chosen: list[int | None]
    headers: list[list[str]]

    def partition_count(self, topic: str) -> int:
        return 3

    def send(self, record: Sent) -> None:
        self.chosen.append(record.partition)
        self.headers.append([header.key() for header in record.headers or ()])

    def send_chunk(self, chunk: SentChunk) -> None:
        raise AssertionError("a partitioner is asked record by record")


def chosen(partitions: Callable[..., Any]) -> tuple[list[int | None], list[Any]]:
    """Return the partitions that one record goes to, and how many were dropped."""
    host, dropped = ran(partitions)
    return host.chosen, dropped


def ran(
    partitions: Callable[..., Any], values: Any = None, **config: Any
) -> tuple[Counted, list[Any]]:
    """Return the host of a task that has sent one record, and how many were dropped."""
    builder, serializer = StreamsBuilder(), values or TEXT.serializer()
    serde: Any = Serdes.serdeFrom(serializer, TEXT.deserializer())
    produced = Produced.with_(TEXT, serde).withStreamPartitioner(partitions)
    builder.stream("in", Consumed.with_(TEXT, TEXT)).to("out", produced)
    task, host = new_task(builder.build().plan(), config)
    host.__class__ = Counted
    counted = cast(Counted, host)
    counted.chosen, counted.headers = [], []
    task.add(raw_chunk([Event("a", "x", 1)], 0))
    task.run()
    task.commit()
    metrics = task.metrics.asMap().items()
    return counted, [m.metricValue() for n, m in metrics if "dropped" in n.name()]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [({2}, [2]), ({0, 2}, [0, 2]), (None, [None]), (set(), [])],
    ids=["one", "several", "leaves-it-to-the-default", "none"],
)
def test_a_record_goes_to_every_partition_that_is_chosen(answer: Any, expected: Any) -> None:
    asked = []

    def partitions(topic: str, key: str, value: str, count: int) -> Any:
        asked.append((topic, key, value, count))
        return answer

    sent, dropped = chosen(partitions)
    assert sent == expected
    assert asked == [("out", "a", "x", 3)]
    assert (1 in dropped) is (answer == set())


@pytest.mark.parametrize("answer", [2, np.int64(2), {np.int32(2)}, [2, 2]], ids=repr)
def test_a_number_is_taken_whatever_its_type(answer: Any) -> None:
    assert chosen(lambda *_: answer)[0] == [2]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (-1, "Invalid partition: -1. Partition number should always be non-negative or null."),
        ({0, -1}, "Invalid partition: -1"),
        (3, r'Invalid partition given with record: 3 is not in the range \[0...2\] of topic "out"'),
        ("2", "It is no set of partition numbers."),
        ({1.0}, "It is no set of partition numbers."),
    ],
    ids=repr,
)
def test_a_partition_that_is_not_there_is_refused(answer: Any, problem: str) -> None:
    # Unchecked, the broker's client would choose another one, and a repartition would lose it.
    with pytest.raises(StreamsException, match=problem) as caught:
        chosen(lambda *_: answer)
    text = str(caught.value)
    assert "in-0 at offset 0" in text
    assert 'the partitioner of sink "KSTREAM-SINK-0000000001"' in text
    assert "test_partitioners.py" in text


def test_the_test_drivers_topics_have_no_number_of_partitions() -> None:
    builder = StreamsBuilder()
    produced = Produced.with_(TEXT, TEXT).withStreamPartitioner(lambda *_: 7)
    builder.stream("in", Consumed.with_(TEXT, TEXT)).to("out", produced)
    with TopologyTestDriver(builder.build()) as driver:
        driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer()).pipeInput("a", "x")
        read = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        assert read.readKeyValuesToMap() == {"a": "x"}


class Refuses(Serializer[str]):
    """Has no bytes for anything."""

    def serialize(self, topic: str, data: str | None) -> bytes | None:
        raise ValueError("no bytes")


class Marks(Serializer[str]):
    """Adds a header each time."""

    def serialize(  # type: ignore[override]
        self, topic: str, headers: Headers, data: str | None
    ) -> bytes | None:
        headers.add("mark", b"")
        return None if data is None else data.encode()


class Notes(ProductionExceptionHandler):
    """Goes on, and notes the partitions that records were to go to."""

    partitions: ClassVar[list[int | None]] = []

    def handleSerializationError(
        self, context: Any, record: Any, exception: Any, origin: Any
    ) -> Any:
        self.partitions.append(record.partition())
        return self.Response.resume()


# As in Kafka Streams, whose RecordCollectorImpl asks the partitioner first, and then serializes a
# record for each partition.
def test_a_record_that_goes_nowhere_is_not_serialized() -> None:
    host, dropped = ran(lambda *_: set(), Refuses())
    assert host.chosen == []
    assert 1 in dropped


def test_each_partition_gets_a_record_that_is_serialized_for_it() -> None:
    host, _ = ran(lambda *_: {0, 2}, Marks())
    assert host.chosen == [0, 2]
    assert host.headers == [["mark"], ["mark", "mark"]]


def test_a_handler_is_asked_about_the_record_of_each_partition() -> None:
    Notes.partitions.clear()
    host, _ = ran(lambda *_: {0, 2}, Refuses(), **{HANDLER: Notes})
    assert host.chosen == []
    assert Notes.partitions == [0, 2]
