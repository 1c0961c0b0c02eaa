"""What a sink does with the answer of a ``StreamPartitioner``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

from compat_tests.topology.running import BatchHost, Event, new_task, raw_chunk
from millstream import Consumed, Produced, Serdes, StreamsBuilder, StreamsException
from millstream.core.engine.output import Sent, SentChunk
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()


class Counted(BatchHost):
    """A host whose topics have three partitions, and that notes which one was chosen."""

    has_partitions = True
    chosen: list[int | None]

    def partition_count(self, topic: str) -> int:
        return 3

    def send(self, record: Sent) -> None:
        self.chosen.append(record.partition)

    def send_chunk(self, chunk: SentChunk) -> None:
        raise AssertionError("a partitioner is asked record by record")


def chosen(partitions: Callable[..., Any]) -> tuple[list[int | None], list[Any]]:
    """Return the partitions that one record goes to, and how many were dropped."""
    builder = StreamsBuilder()
    produced = Produced.with_(TEXT, TEXT).withStreamPartitioner(partitions)
    builder.stream("in", Consumed.with_(TEXT, TEXT)).to("out", produced)
    task, host = new_task(builder.build().plan(), {})
    host.__class__ = Counted
    counted = cast(Counted, host)
    counted.chosen = []
    task.add(raw_chunk([Event("a", "x", 1)], 0))
    task.run()
    task.commit()
    metrics = task.metrics.asMap().items()
    return counted.chosen, [m.metricValue() for n, m in metrics if "dropped" in n.name()]


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
