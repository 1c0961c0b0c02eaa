"""Results of a foreign-key join whose answers come a batch later are those of the final tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from compat_tests.properties.effort import examples
from compat_tests.topology.running import BatchHost
from millstream import (
    Consumed,
    Materialized,
    Produced,
    Serdes,
    StreamsBuilder,
    StreamsConfig,
    Topology,
)
from millstream.core.chunk import RawChunk
from millstream.core.engine.output import Sent
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.task import Task
from millstream.core.processor import TaskId

TEXT = Serdes.String()
Row = tuple[str, str, str | None]
"""Topic, key and value; that of a left row is its foreign key, or ``-`` for none, and a number."""


def left_rows(*keys: str) -> st.SearchStrategy[Row]:
    """Draw rows of the left table, or their deletions."""
    values = st.sampled_from(["a|1", "a|2", "b|1", "b|2", "-|1", "-|2", None])
    return st.tuples(st.just("left"), st.sampled_from(keys), values)


lefts = left_rows("k1", "k2", "k3")
rights = st.tuples(st.just("right"), st.sampled_from("ab"), st.sampled_from(["x", "y", None]))
batches = st.lists(st.lists(lefts | rights, max_size=7), max_size=5)


class LaterHost(BatchHost):
    """What goes around comes back with the next batch, as on Spark."""

    answers_come_later = True


def joined(*, left: bool) -> Topology:
    builder = StreamsBuilder()
    rows, others = (
        builder.table(topic, Consumed.with_(TEXT, TEXT), Materialized.as_(topic))
        for topic in ("left", "right")
    )
    add_join(rows.leftJoin if left else rows.join, others)
    return builder.build()


def add_join(join: Any, others: Any) -> None:
    """Join a table with another one by the letter that its rows begin with; write the results."""
    kept: Materialized[Any, Any, Any] = Materialized.as_("joined")
    join(
        others,
        lambda row: None if row[0] == "-" else row[0],
        lambda row, other: f"{row}+{other}",
        kept.withKeySerde(TEXT).withValueSerde(TEXT),
    ).toStream().to("out", Produced.with_(TEXT, TEXT))


class Application:
    """The tasks of both sides, in turns: what the right one answers is read in the next batch."""

    def __init__(self, *, left: bool, cache: int, by_chunks: bool) -> None:
        plan = joined(left=left).plan()
        given = {"application.id": "app", "bootstrap.servers": "no:0"}
        settings = TaskSettings.of(StreamsConfig({**given, "statestore.cache.max.bytes": cache}))
        self._tasks, self._hosts = list[Task](), list[LaterHost]()
        for number, part in enumerate(plan.subtopologies):
            self._hosts.append(LaterHost("app", settings.configs, 0))
            task = Task(
                plan, (part,), TaskId(number, 0), settings, self._hosts[-1], by_chunks=by_chunks
            )
            self._tasks.append(task)
        self._tasks.sort(key=lambda task: not task.reads("left"))
        self._hosts.sort(key=lambda host: host is not self._tasks[0].host)
        self._offsets: dict[str, int] = defaultdict(int)
        self._answers: list[Sent] = []
        self._time = 1_000
        self.results: dict[bytes, bytes] = {}

    def batch(self, rows: Sequence[Row]) -> None:
        """Process one batch."""
        given = self._answers
        for topic, key, value in rows:
            self._time += 10
            data = None if value is None else value.encode()
            given.append(Sent(topic, key.encode(), data, self._time, None))
        subscriptions = self._step(0, [row for row in given if row.topic != "right"])
        self._answers = self._step(
            1, [row for row in given if row.topic == "right"] + subscriptions
        )

    def _step(self, side: int, given: Sequence[Sent]) -> list[Sent]:
        task, host = self._tasks[side], self._hosts[side]
        for topic, own in groupby(sorted(given, key=_topic), key=_topic):
            records = list(own)
            first = self._offsets[topic]
            self._offsets[topic] += len(records)
            task.add(
                RawChunk(
                    topic,
                    0,
                    range(first, first + len(records)),
                    [record.timestamp for record in records],
                    [record.key for record in records],
                    [record.value for record in records],
                )
            )
        task.run()
        task.commit()
        sent = [*host.sent]
        host.sent.clear()
        for record in sent:
            if record.topic == "out":
                self.results.pop(record.key or b"", None)
                if record.value is not None:
                    self.results[record.key or b""] = record.value
        return [record for record in sent if record.topic != "out"]

    def close(self) -> None:
        """Close both tasks."""
        for task in self._tasks:
            task.close()


def _topic(record: Sent) -> str:
    return record.topic


def expected(batches: Sequence[Sequence[Row]], *, left: bool) -> dict[bytes, bytes]:
    """Return the join of the tables as they are at the end."""
    tables: dict[str, dict[str, str]] = {"left": {}, "right": {}}
    for topic, key, value in (row for rows in batches for row in rows):
        tables[topic].pop(key, None)
        if value is not None:
            tables[topic][key] = value
    found = {key: (row, tables["right"].get(row[0])) for key, row in tables["left"].items()}
    return {
        key.encode(): f"{row}+{other}".encode()
        for key, (row, other) in found.items()
        if left or other is not None
    }


@given(batches, st.booleans(), st.sampled_from([0, 10_000_000]), st.booleans())
@examples(300)
@example(
    [[("right", "a", "x"), ("left", "k1", "a|1")], [("left", "k1", "b|1"), ("left", "k1", "b|2")]],
    False,
    0,
    True,
)
@example(
    [[("right", "a", "x"), ("left", "k1", "a|1")], [("left", "k1", None), ("left", "k1", "b|2")]],
    False,
    0,
    True,
)
@example(
    [[("right", "a", "x"), ("left", "k1", "a|1")], [("left", "k1", "-|1"), ("left", "k1", None)]],
    False,
    0,
    False,
)
@example(
    [[("right", "a", "x"), ("left", "k1", "a|1")], [("right", "a", None), ("left", "k1", "a|2")]],
    False,
    0,
    True,
)
def test_results_are_those_of_the_final_tables(
    batches: list[list[Row]], left: bool, cache: int, by_chunks: bool
) -> None:
    application = Application(left=left, cache=cache, by_chunks=by_chunks)
    for rows in [*batches, (), ()]:
        application.batch(rows)
    application.close()
    assert application.results == expected(batches, left=left)
