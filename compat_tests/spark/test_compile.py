"""The stages of an application: their order, numbers of tasks, routes."""

from __future__ import annotations

from typing import Any

from millstream import StreamsBuilder
from millstream.core.plan import Plan
from millstream.topology.spark.compile import compile_plan
from millstream.topology.spark.surrogate import surrogate_keys


def two_counts() -> Plan:
    builder = StreamsBuilder()
    words: Any = builder.stream("text").flatMapValues(str.split)
    words.groupBy(lambda _, word: word).count().toStream().to("words")
    words.groupBy(lambda _, word: word[0]).count().toStream().to("letters")
    return builder.build().plan()


def test_a_line_has_a_stage_for_each_subtopology_writers_first() -> None:
    layout = compile_plan(two_counts(), "app", {"text": 3})

    assert [(s.index, s.subtopology, s.tasks, s.topics, s.internal) for s in layout.stages] == [
        (0, 0, 3, ("text",), ()),
        (1, 1, 3, (), ("app-KSTREAM-AGGREGATE-STATE-STORE-0000000003-repartition",)),
        (2, 2, 3, (), ("app-KSTREAM-AGGREGATE-STATE-STORE-0000000011-repartition",)),
    ]
    assert list(layout.routes.values()) == [(1, 3), (2, 3)]
    assert layout.keys == surrogate_keys(3)
