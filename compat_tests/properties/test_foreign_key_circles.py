"""Foreign-key joins whose subscriptions, too, come a batch later give those of the final tables.

They do where the right table is the first in the program, where both tables are read by one task,
as in a join of a table with itself, and where the topic had records when the application came from
Kafka Streams. A task may be created anew between any two batches.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from compat_tests.properties.effort import examples
from compat_tests.properties.test_foreign_key_batches import (
    TEXT,
    LaterHost,
    Row,
    add_join,
    expected,
    left_rows,
    rights,
)
from millstream import Consumed, Materialized, StreamsBuilder, StreamsConfig, Topology
from millstream.core.chunk import RawChunk
from millstream.core.engine.output import Sent
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.task import Task
from millstream.core.plan import SubTopology
from millstream.core.processor import TaskId
from millstream.topology.operators.owed_answers import OwedAnswers, TakenBack, packed, unpacked
from millstream.topology.operators.subscriptions import Instruction
from millstream.topology.spark.compile import compile_plan

SHAPES = ["right table first", "one task", "one table", "over the broker"]
GIVEN = {"application.id": "app", "bootstrap.servers": "no:0"}

batches = st.lists(st.lists(left_rows("k1", "k2", "a") | rights, max_size=5), max_size=6)


def joined(shape: str) -> Topology:
    builder = StreamsBuilder()

    def table(topic: str) -> Any:
        # Behind a cache a right row that comes and goes within a batch is not told of.
        kept: Materialized[Any, Any, Any] = Materialized.as_(topic)
        return builder.table(topic, Consumed.with_(TEXT, TEXT), kept.withCachingDisabled())

    if shape == "right table first":
        others = table("right")
        rows = table("left")
    else:
        rows = table("left")
        others = rows if shape == "one table" else table("right")
    if shape == "one task":
        rows.leftJoin(others, lambda row, _: row)
    add_join(rows.join, others)
    return builder.build()


class CircleHost(LaterHost):
    """What goes to a feedback topic comes back with the next batch, as on Spark."""

    feedback: frozenset[str] = frozenset()

    def comes_later(self, topic: str) -> bool:
        return topic in self.feedback


class Line:
    """The stages' tasks, in turns; what an earlier one sends is read in the same batch."""

    def __init__(self, shape: str, *, cache: int) -> None:
        self._plan = joined(shape).plan()
        self._settings = TaskSettings.of(
            StreamsConfig(GIVEN | {"statestore.cache.max.bytes": cache})
        )
        over = self._subscriptions() if shape == "over the broker" else []
        layout = compile_plan(self._plan, "app", {"left": 1, "right": 1}, over)
        self._feedback = frozenset(layout.feedback)
        parts = {part.id: part for part in self._plan.subtopologies}
        self._parts = [parts[stage.subtopology] for stage in layout.stages]
        self._tasks = [self._task(part, {}) for part in self._parts]
        self._offsets: dict[str, int] = defaultdict(int)
        self._waiting: list[Sent] = []
        self._time = 1_000
        self.results: dict[bytes, bytes] = {}

    def _subscriptions(self) -> list[str]:
        """Return the topic of subscriptions, as a migration from Kafka Streams names it."""
        topics = {
            topic
            for part in self._plan.subtopologies
            for source in part.sources
            for topic in source.topics
        }
        return [f"app-{each}" for each in topics if "SUBSCRIPTION-REGISTRATION" in each]

    def _task(self, part: SubTopology, kept: Any) -> Task:
        host = CircleHost("app", self._settings.configs, 0)
        host.kept, host.feedback = kept, self._feedback
        return Task(self._plan, (part,), TaskId(part.id, 0), self._settings, host)

    def restart(self) -> None:
        """Create all tasks anew from their stores and snapshots."""
        for index, task in enumerate(self._tasks):
            host: Any = task.host
            again = self._task(self._parts[index], {**host.kept, **host._copies})
            again.restore(task.snapshot())
            self._tasks[index] = again

    def batch(self, rows: Sequence[Row]) -> None:
        """Process one batch."""
        pool, self._waiting = self._waiting, []
        for topic, key, value in rows:
            self._time += 10
            data = None if value is None else value.encode()
            pool.append(Sent(topic, key.encode(), data, self._time, None))
        for task in self._tasks:
            self._add(task, [record for record in pool if task.reads(record.topic)])
            task.run()
            task.commit()
            host: Any = task.host
            for record in host.sent:
                if record.topic == "out":
                    self._note(record)
                else:
                    (self._waiting if record.topic in self._feedback else pool).append(record)
            host.sent.clear()

    def _add(self, task: Task, given: Sequence[Sent]) -> None:
        topics: dict[str, list[Sent]] = defaultdict(list)
        for record in given:
            topics[record.topic].append(record)
        for topic, own in topics.items():
            first = self._offsets[topic]
            self._offsets[topic] += len(own)
            times = [record.timestamp for record in own]
            keys, values = [record.key for record in own], [record.value for record in own]
            task.add(RawChunk(topic, 0, range(first, first + len(own)), times, keys, values))

    def _note(self, record: Sent) -> None:
        self.results.pop(record.key or b"", None)
        if record.value is not None:
            self.results[record.key or b""] = record.value

    def close(self) -> None:
        """Close the tasks."""
        for task in self._tasks:
            task.close()


def final(shape: str, batches: Sequence[Sequence[Row]]) -> dict[bytes, bytes]:
    """Return the join of the tables as they are at the end."""
    if shape == "one table":
        own = [row for rows in batches for row in rows if row[0] == "left"]
        batches = [own, [("right", key, value) for _, key, value in own]]
    return expected(batches, left=False)


DELETED_WITH_ITS_RIGHT_ROW: list[list[Row]] = [
    [("right", "a", "x"), ("left", "k1", "a|1")],
    [],
    [("left", "k1", "a|2"), ("right", "a", None)],
]
CHANGED_IN_TWO_BATCHES: list[list[Row]] = [
    [("right", "a", "x"), ("left", "a", "a|1"), ("left", "k1", "a|1")],
    [],
    [],
    [("left", "k1", None)],
    [("left", "k1", "-|1")],
    [("left", "k1", "-|2")],
]
MOVED_IN_TWO_BATCHES: list[list[Row]] = [
    [("right", "a", "x"), ("left", "k1", "a|1")],
    [],
    [],
    [("left", "k1", "b|1")],
    [("left", "k1", "b|2")],
]


@given(batches, st.sampled_from(SHAPES), st.sampled_from([0, 10_000_000]), st.booleans())
@examples(300)
@example(DELETED_WITH_ITS_RIGHT_ROW, "right table first", 0, True)
@example(DELETED_WITH_ITS_RIGHT_ROW, "one task", 0, False)
@example(CHANGED_IN_TWO_BATCHES, "one task", 0, True)
@example(CHANGED_IN_TWO_BATCHES, "one table", 10_000_000, False)
@example(CHANGED_IN_TWO_BATCHES, "over the broker", 0, True)
@example(MOVED_IN_TWO_BATCHES, "over the broker", 0, False)
def test_results_are_those_of_the_final_tables(
    batches: list[list[Row]], shape: str, cache: int, restarts: bool
) -> None:
    line = Line(shape, cache=cache)
    for rows in [*batches, (), (), (), ()]:
        if shape == "one table":
            rows = [row for row in rows if row[0] == "left"]
        line.batch(rows)
        if restarts:
            line.restart()
    line.close()
    assert line.results == final(shape, batches)


@pytest.mark.parametrize("parts", [[], [b""], [None, b"a"], [b"ab", None, None, b"c" * 300]])
def test_what_is_packed_comes_back(parts: list[bytes | None]) -> None:
    assert list(unpacked(packed(parts))) == parts


def test_rows_of_several_tasks_go_on_in_one() -> None:
    saved = []
    for key in (b"one", b"two"):
        owed = OwedAnswers(lasting=True)
        owed.settled(key, [(key, Instruction.DELETE_AND_ANSWER)])
        owed.committed()
        saved.append(owed.save(bytes) or b"")
    owed = OwedAnswers(lasting=True)
    owed.restore(b"".join(saved), lambda key: (key or b"").upper())
    assert owed.settled(b"two", []) == [(b"TWO", Instruction.DELETE_AND_ANSWER)]
    assert owed.settled(b"three", []) == []


def test_nothing_is_saved_where_subscriptions_come_with_the_batch() -> None:
    owed, told = OwedAnswers(), TakenBack()
    owed.settled(b"k", [(b"a", Instruction.DELETE_AND_ANSWER)])
    told.tell([b"k"])
    owed.committed()
    told.committed()
    assert (owed.save(bytes), told.save(), bool(told)) == (None, None, False)
