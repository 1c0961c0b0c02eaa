"""What a sink does with the answer of a ``StreamPartitioner``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from compat_tests.topology.running import BatchHost, Event, new_task, raw_chunk
from millstream import Consumed, Produced, Serdes, StreamsBuilder
from millstream.core.engine.output import Sent, SentChunk

TEXT = Serdes.String()


class Counted(BatchHost):
    """A host whose topics have three partitions, and that notes which one was chosen."""

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
