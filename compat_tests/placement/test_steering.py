"""Which tasks move when executors come and go: without Spark."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.placement.simulated import PROBING_MS, Simulated
from millstream.topology.assign.assignor import Assignor
from millstream.topology.assign.high_availability import HighAvailability
from millstream.topology.assign.round_robin import RoundRobin
from millstream.topology.assign.sticky import Sticky


def started(**settings: object) -> Simulated:
    spark = Simulated(6, executors=["0", "1", "2"], **settings)  # type: ignore[arg-type]
    spark.settle()
    return spark


def test_tasks_are_assigned_before_the_first_batch() -> None:
    spark = Simulated(6, executors=["0", "1", "2"])
    assert len(spark.look()) == 6
    spark.run()
    assert spark.owners() == {"0": [0, 3], "1": [1, 4], "2": [2, 5]}


def test_tasks_that_stay_are_never_told_to_move() -> None:
    spark = started()
    for _ in range(5):
        spark.run()
        assert spark.look() == {}
    assert [len(set(ran)) for ran in spark.ran.values()] == [1] * 6


def test_only_the_tasks_of_a_lost_executor_move_when_it_is_replaced() -> None:
    spark = started()
    spark.executors = ["0", "2"]
    spark.run()  # Spark spreads what the lost one ran over the others, in the same batch.
    spark.settle(4)
    assert spark.owners() == {"0": [0, 3, 4], "2": [1, 2, 5]} or spark.owners() == {
        "0": [0, 1, 3],
        "2": [2, 4, 5],
    }
    spark.executors = ["0", "2", "3"]
    spark.settle()
    assert spark.owners() == {"0": [0, 3], "2": [2, 5], "3": [1, 4]}
    stayed = [len(set(ran)) for ran in spark.ran.values()]
    assert [stayed[number] for number in (0, 2, 3, 5)] == [1, 1, 1, 1]
    moved = spark.place(1).moved
    assert moved is not None
    assert (moved.target, moved.reason) == ("3", "executor 3 joined")


def test_a_replacement_that_comes_before_anybody_looked_is_the_same() -> None:
    spark = started()
    spark.executors = ["0", "2"]
    spark.run()
    spark.executors = ["0", "2", "3"]
    spark.settle()
    assert spark.owners() == {"0": [0, 3], "2": [2, 5], "3": [1, 4]}
    moved = spark.place(4).moved
    assert moved is not None
    assert moved.reason == "executor 1 was lost, executor 3 joined"


@pytest.mark.parametrize("warmups", [1, 2, 3])
def test_no_more_tasks_move_in_a_batch_than_max_warmup_replicas(warmups: int) -> None:
    spark = Simulated(12, executors=["0"], warmups=warmups)
    spark.settle(3)
    spark.executors = ["0", "1", "2"]
    moves = spark.settle(30)
    assert sum(map(len, moves)) == 8
    assert max(map(len, moves)) <= warmups
    assert {name: len(owned) for name, owned in spark.owners().items()} == {
        "0": 4,
        "1": 4,
        "2": 4,
    }


def test_the_bound_holds_if_a_batch_had_been_planned_before_spark_was_told() -> None:
    spark = Simulated(12, executors=["0"])
    spark.settle(3)
    spark.executors = ["0", "1", "2"]
    moved = []
    for _ in range(40):
        planned = dict(spark.location)
        spark.look()
        spark.run(planned, watched=True)
        moved.append(sum(1 for ran in spark.ran.values() if ran[-1] != ran[-2]))
    assert sum(moved) == 8
    assert max(moved) <= 2


def test_all_tasks_of_a_lost_executor_move_at_once() -> None:
    spark = Simulated(12, executors=["0", "1"], warmups=1)
    spark.settle(3)
    spark.executors = ["0"]
    assert len(spark.look()) == 6


def test_a_task_that_spark_ran_elsewhere_is_called_back() -> None:
    spark = started()
    spark.run({**spark.location, spark.tasks[0]: "1"})
    assert spark.look() == {spark.tasks[0]: "0"}
    assert spark.place(0).moved is not None
    assert spark.place(0).moved.reason == (  # type: ignore[union-attr]
        "Spark did not wait for executor 0 (spark.locality.wait)"
    )


def test_where_spark_was_told_too_late_at_the_start_tasks_stay_where_balance_allows() -> None:
    spark = Simulated(6, executors=["0", "1", "2"])
    chosen = dict(zip(spark.tasks, ["2", "2", "1", "1", "0", "0"], strict=True))
    spark.look()
    spark.run(chosen)
    moves = spark.settle()
    assert spark.owners() == {"0": [4, 5], "1": [2, 3], "2": [0, 1]}
    assert sum(map(len, moves)) == 0


def test_nothing_is_asked_again_before_the_probing_interval_has_passed() -> None:
    calls = []

    class Counting(Sticky):
        def assign(self, cluster, configs):  # type: ignore[no-untyped-def]
            calls.append(cluster)
            return super().assign(cluster, configs)

    spark = started(assignor=Counting())
    before = len(calls)
    spark.settle()
    assert len(calls) == before
    spark.now_ms += PROBING_MS
    spark.look()
    assert len(calls) == before + 1


def test_without_an_assignor_it_looks_and_says_nothing() -> None:
    spark = started(assignor=None)
    assert spark.look() == {}
    assert [place.wanted for place in spark.steering.places()] == [None] * 6
    assert spark.place(5).executor == "2"


def test_a_new_query_is_told_where_tasks_were() -> None:
    spark = started()
    before = spark.owners()
    spark.location.clear()
    spark.batch = -1
    spark.steering.restarted()
    assert len(spark.look()) == 6
    spark.run()
    assert spark.owners() == before


def test_without_executors_no_task_moves_until_one_comes() -> None:
    spark = started()
    spark.executors = []
    assert spark.look() == {}
    spark.executors = ["7"]
    spark.settle()
    assert spark.owners() == {"7": [0, 1, 2, 3, 4, 5]}


@pytest.mark.parametrize("assignor", [Sticky(), HighAvailability(), RoundRobin()])
@given(
    history=st.lists(
        st.sets(st.sampled_from("abcd"), min_size=1).map(sorted), min_size=1, max_size=5
    ),
    count=st.integers(1, 13),
    late=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_any_history_ends_in_balance_and_in_rest(
    assignor: Assignor, history: list[list[str]], count: int, late: bool
) -> None:
    spark = Simulated(count, assignor=assignor)
    for generation, names in enumerate(history):
        # A name that comes back is another process.
        spark.executors = [f"{name}{generation // 2}" for name in names]
        if late:
            spark.run()
        spark.settle(2)
    spark.settle(3 * count + 6)
    sizes = [len(owned) for name, owned in spark.owners().items() if name in spark.executors]
    assert sum(sizes) == count
    assert max(sizes) - min(sizes) <= 1
    assert sum(map(len, spark.settle(4))) == 0
