"""The order of stages where sub-topologies feed each other; times on the way back."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from millstream import Consumed, Serdes, StreamsBuilder
from millstream.core.errors import TopologyException
from millstream.core.plan import Plan, SinkNode, SourceNode, SubTopology
from millstream.topology.spark.compile import compile_plan
from millstream.topology.spark.order import feedback_topics, ordered
from millstream.topology.spark.partition_counts import partition_counts
from millstream.topology.spark.worker.feedback import TIME_MARK, marked, true_times

TEXT = Consumed.with_(Serdes.String(), Serdes.String())
HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))


def parts(*ends: tuple[str, str]) -> Plan:
    """A plan whose sub-topology n reads and writes the topics of entry n, one letter each.

    Topics in capitals are the broker's own.
    """
    subtopologies = tuple(
        SubTopology(
            id=number,
            nodes=(
                SourceNode(name=f"source-{number}", topics=tuple(sources)),
                *(
                    SinkNode(name=f"sink-{number}-{t}", parents=(f"source-{number}",), topic=t)
                    for t in sinks
                ),
            ),
            stores=(),
        )
        for number, (sources, sinks) in enumerate(ends)
    )
    internal = sorted({t for sources, sinks in ends for t in sources + sinks if t.islower()})
    return Plan(subtopologies=subtopologies, repartition_topics=dict.fromkeys(internal))


def foreign_key_join(*, right_first: bool = False) -> Plan:
    builder = StreamsBuilder()
    tables: dict[str, Any] = {}
    for name in ("right", "left") if right_first else ("left", "right"):
        tables[name] = builder.table(name, TEXT)
    tables["left"].join(tables["right"], lambda value: value, lambda mine, other: mine)
    return builder.build().plan()


@pytest.mark.parametrize(
    ("ends", "order", "back"),
    [
        ([("A", "x"), ("x", "y"), ("y", "B")], [0, 1, 2], []),
        ([("x", "B"), ("A", "x")], [1, 0], []),
        ([("Ay", "x"), ("xB", "y")], [0, 1], ["y"]),
        ([("Ax", "x")], [0], ["x"]),
        ([("Ax", "xy"), ("y", "z"), ("z", "")], [0, 1, 2], ["x"]),
        # A circle stands where its input and its output want it.
        ([("z", "B"), ("ay", "x"), ("x", "yz"), ("A", "a")], [3, 1, 2, 0], ["y"]),
        # Entered at its smallest number; the rest of it in order of what feeds what.
        ([("Ax", "z"), ("y", "x"), ("z", "y")], [0, 2, 1], ["x"]),
        # Two circles that share a sub-topology.
        ([("Axy", "vw"), ("v", "x"), ("w", "y")], [0, 1, 2], ["x", "y"]),
        # Written from in front and from behind: all of it goes over the broker.
        ([("A", "x"), ("x", "y"), ("y", "x")], [0, 1, 2], ["x"]),
    ],
)
def test_circles_are_cut_where_a_topic_leads_back(
    ends: list[tuple[str, str]], order: list[int], back: list[str]
) -> None:
    plan = parts(*ends)

    assert [part.id for part in ordered(plan)] == order
    assert feedback_topics(plan) == back


def test_a_topic_of_the_users_own_closes_no_circle() -> None:
    assert feedback_topics(parts(("AX", "X"))) == []


def test_the_answers_of_a_foreign_key_join_go_over_the_broker() -> None:
    layout = compile_plan(foreign_key_join(), "app", {"left": 3, "right": 2})
    answers = "app-KTABLE-FK-JOIN-SUBSCRIPTION-RESPONSE-0000000014-topic"
    questions = "app-KTABLE-FK-JOIN-SUBSCRIPTION-REGISTRATION-0000000006-topic"

    assert [(s.index, s.tasks, s.topics, s.internal) for s in layout.stages] == [
        (0, 3, ("left", answers), ()),
        (1, 2, ("right",), (questions,)),
    ]
    assert layout.feedback == {answers: 3}
    assert layout.routes == {questions: (1, 2)}


def test_where_the_right_side_has_the_smaller_number_the_questions_do() -> None:
    layout = compile_plan(foreign_key_join(right_first=True), "app", {"left": 3, "right": 2})

    assert [stage.tasks for stage in layout.stages] == [2, 3]
    (questions,) = layout.feedback
    assert "REGISTRATION" in questions
    assert layout.feedback == {questions: 2}
    assert list(layout.routes.values()) == [(1, 3)]


def with_global_table(*, joined: bool) -> Plan:
    builder = StreamsBuilder()
    names = builder.globalTable("names", TEXT)
    counts: Any = builder.stream("in", TEXT).groupBy(lambda key, value: value).count()
    if joined:
        counts.toStream().join(names, lambda key, count: key, lambda count, name: name)
    return builder.build().plan()


@pytest.mark.parametrize(("joined", "keepers"), [(True, [1]), (False, [0])])
def test_the_tasks_that_may_ask_for_a_global_table_have_it_or_else_the_first_ones(
    joined: bool, keepers: list[int]
) -> None:
    layout = compile_plan(with_global_table(joined=joined), "app", {"in": 2})

    assert [stage.index for stage in layout.stages if stage.has_globals] == keepers


def test_a_topology_of_only_a_global_table_has_one_task_for_it() -> None:
    builder = StreamsBuilder()
    builder.globalTable("names", TEXT)
    (stage,) = compile_plan(builder.build().plan(), "app", {}).stages

    assert (stage.tasks, stage.topics, stage.has_globals) == (1, (), True)


def test_a_topic_read_by_its_own_writer_has_as_many_partitions_as_the_other_sources() -> None:
    assert partition_counts(parts(("ABx", "x")), {"A": 2, "B": 5}) == {"A": 2, "B": 5, "x": 5}


def test_nothing_says_how_many_partitions_a_circle_without_input_has() -> None:
    with pytest.raises(TopologyException, match='the repartition topic "x" has'):
        partition_counts(parts(("x", "y"), ("y", "x")), {})


def test_a_record_at_0_keeps_its_time_by_a_mark_among_its_headers() -> None:
    sent: list[tuple[int, list[tuple[str, bytes | None]]]] = [
        (5, [("h", b"1")]),
        (0, [("h", b"1"), ("h", None)]),
        (0, []),
        (7, []),
    ]
    written = [marked(time, headers) for time, headers in sent]
    assert written[0] == [("h", b"1")]
    assert written[2] == [(TIME_MARK, b"")]

    column = pa.array(
        [[{"key": k, "value": v} for k, v in headers] or None for headers in written], HEADERS
    )
    times, headers = true_times(pa.array([5, 999, 999, 7]), column)

    assert times.to_pylist() == [5, 0, 0, 7]
    assert [[(h["key"], h["value"]) for h in each or ()] for each in headers.to_pylist()] == [
        own for _, own in sent
    ]


def test_times_and_headers_without_a_mark_are_left_alone() -> None:
    times = pa.array([1, 2])
    for own in ([None, None], [[{"key": "h", "value": b""}], None]):
        headers = pa.array(own, HEADERS)
        assert true_times(times, headers) == (times, headers)
