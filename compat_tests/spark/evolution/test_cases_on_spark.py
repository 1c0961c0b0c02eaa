"""The table of changes on Spark with a broker: the former program runs, then the new one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from compat_tests.effort import witnesses
from compat_tests.spark.evolution.case import Case, Record
from compat_tests.spark.evolution.cases import CASES
from compat_tests.spark.support import Playground, eventually
from millstream import KafkaStreams
from millstream.core.errors import StreamsException

STRIDE = 24
"""One change of so many runs in a usual run; ``tox run -e spark-changes`` runs all of them."""
GOING_ON = [name for name, case in CASES.items() if not case.refused]
REFUSED = [
    name
    for name, case in CASES.items()
    if case.refused and case.partitions[0] == case.partitions[1]
]


class Board:
    """Topics and runs of one case."""

    def __init__(self, case: Case, play: Playground, spark: Any) -> None:
        self.case, self.play, self.spark = case, play, spark
        self._topics: dict[str, str] = {}

    def topic(self, name: str) -> str:
        if name not in self._topics:
            self._topics[name] = self.play.topic(name, partitions=self.case.partitions[0])
        return self._topics[name]

    def run(self, program: Any, config: Any, records: Sequence[Record], results: Any) -> None:
        topology = program(self.topic)
        with KafkaStreams(topology, self.play.config(**config), spark=self.spark) as streams:
            streams.start()
            for topic, key, value, time in records:
                self.play.produce(self.topic(topic), [(key, value, time)])
            eventually(partial(self.unread, {topic for topic, *_ in records}), 0)
            for topic, expected in results.items():
                eventually(partial(self.last, topic, expected), expected)

    def unread(self, just_written: set[str]) -> int:
        """How many records of the topics are not committed yet."""
        names = {topic for topic, *_ in (*self.case.first, *self.case.more)} | just_written
        topics = {self.topic(topic) for topic in names}
        ends = {topic: self.play.ends(topic) for topic in topics}
        done = {topic: self.play.committed(self.play.name, topic) for topic in topics}
        return sum(
            end - done[topic].get(partition, 0)
            for topic, found in ends.items()
            for partition, end in found.items()
        )

    def last(self, topic: str, keys: Any) -> dict[str, str]:
        """The last value of each key in a topic."""
        found: dict[str, str] = {}
        for message in self.play.read(self.topic(topic), 0, more=0.3):
            found[(message.key() or b"").decode()] = (message.value() or b"").decode()
        return {key: value for key, value in found.items() if key in keys}


@pytest.mark.parametrize("name", witnesses(GOING_ON, STRIDE))
def test_state_goes_on_as_the_table_says(name: str, play: Playground, spark: Any) -> None:
    case = CASES[name]
    board = Board(case, play, spark)
    board.run(case.before, case.config, case.first, {})
    board.run(case.after, case.then, case.more, case.results)


@pytest.mark.parametrize("name", witnesses(REFUSED, STRIDE))
def test_a_refused_program_leaves_the_state_to_the_former_one(
    name: str, play: Playground, spark: Any
) -> None:
    case = CASES[name]
    board = Board(case, play, spark)
    board.run(case.before, case.config, [("in", "a", "v", 1000)], {})
    with pytest.raises(StreamsException, match="cannot go on with this program"):
        board.run(case.after, case.then, [], {})
    board.run(case.before, case.config, [("in", "a", "v", 2000)], {})
