"""Standbys and learners: which executor keeps which copy, and when a task moves to its copy."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.placement.simulated import Simulated
from millstream.core.processor import TaskId
from millstream.topology.assign.assignor import Assignor
from millstream.topology.assign.high_availability import HighAvailability
from millstream.topology.assign.round_robin import RoundRobin
from millstream.topology.assign.sticky import Sticky
from millstream.topology.spark.placement.steering import PATIENCE_MS


def started(standbys: int = 1, takes: int = 3, **more: object) -> Simulated:
    spark = Simulated(
        6,
        executors=["0", "1", "2"],
        standbys=standbys,
        learning_takes=takes,
        **more,  # type: ignore[arg-type]
    )
    spark.settle()
    return spark


def copied(spark: Simulated) -> dict[str, list[int]]:
    found = spark.steering.copies()
    return {executor: [task.partition() for task in tasks] for executor, tasks in found.items()}


def test_each_task_has_a_standby_on_another_executor() -> None:
    spark = started()
    owned = spark.owners()
    copies = copied(spark)
    assert sorted(sum(copies.values(), [])) == list(range(6))
    assert all(not set(owned[each]) & set(copies[each]) for each in copies)
    assert max(map(len, copies.values())) == 2


def test_without_standbys_nothing_is_copied_while_nothing_moves() -> None:
    assert not any(started(standbys=0).steering.copies().values())


def test_the_tasks_of_a_lost_executor_go_to_their_standbys() -> None:
    spark = started()
    lost = spark.owners()["1"]
    standby = {number: each for each, copies in copied(spark).items() for number in copies}
    spark.executors = ["0", "2"]
    told = {task.partition(): place for task, place in spark.look().items()}
    assert {number: told[number] for number in lost} == {n: standby[n] for n in lost}


def test_standbys_are_on_another_host_if_the_tag_host_says_so() -> None:
    hosts = {"0": "x", "1": "x", "2": "y", "3": "y"}
    spark = Simulated(
        8, executors=list(hosts), standbys=1, learning_takes=1, hosts=hosts, warmups=8
    )
    spark.settle()
    owner = {number: each for each, numbers in spark.owners().items() for number in numbers}
    pairs = [(hosts[owner[n]], hosts[e]) for e, copies in copied(spark).items() for n in copies]
    assert len(pairs) == 8
    assert all(active != standby for active, standby in pairs)


def test_a_standby_is_kept_until_the_task_has_arrived() -> None:
    spark = started()
    lost = spark.owners()["1"]
    spark.executors = ["0", "2"]
    told = spark.look()
    for task, place in told.items():
        if task.partition() in lost:
            assert task in spark.steering.copies()[place]
    spark.settle(6)
    owned = spark.owners()
    assert all(not set(owned[each]) & set(copies) for each, copies in copied(spark).items())


def test_a_task_moves_to_a_new_executor_when_its_copy_there_has_caught_up() -> None:
    spark = Simulated(6, executors=["0", "1"], learning_takes=4)
    spark.settle()
    spark.executors = ["0", "1", "2"]
    moves = spark.settle(3)
    assert not any(moves)
    assert len(copied(spark)["2"]) == 2
    moves = spark.settle(10)
    assert [len(each) for each in moves if each] in ([2], [1, 1])
    assert len(spark.owners()["2"]) == 2
    assert not any(spark.steering.copies().values())


@pytest.mark.parametrize("warmups", [1, 2])
def test_no_more_tasks_learn_at_a_time_than_max_warmup_replicas(warmups: int) -> None:
    spark = Simulated(12, executors=["0"], learning_takes=2, warmups=warmups)
    spark.settle(3)
    spark.executors = ["0", "1", "2"]
    most = 0
    for _ in range(60):
        spark.settle(1)
        learning = (age < 2 for found in spark.copies.values() for age in found.values())
        most = max(most, sum(learning))
    assert most == warmups
    assert {len(owned) for owned in spark.owners().values()} == {4}


def test_a_copy_that_never_catches_up_does_not_hold_a_task_for_ever() -> None:
    spark = Simulated(6, executors=["0", "1"], learning_takes=10**9)
    spark.settle()
    spark.executors = ["0", "1", "2"]
    assert not any(spark.settle(5))
    spark.now_ms += PATIENCE_MS
    spark.settle(5)
    assert len(spark.owners()["2"]) > 0


@settings(max_examples=40, deadline=None)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["lose", "join", "run"]), st.integers(0, 3)), max_size=14
    ),
    assignor=st.sampled_from([Sticky, HighAvailability, RoundRobin]),
    standbys=st.integers(0, 2),
)
def test_whatever_comes_and_goes_copies_are_where_their_tasks_are_not(
    steps: list[tuple[str, int]], assignor: type[Assignor], standbys: int
) -> None:
    spark = Simulated(
        5, executors=["0", "1"], assignor=assignor(), standbys=standbys, learning_takes=1
    )
    spark.settle(3)
    for number, (step, which) in enumerate(steps):
        if step == "lose" and len(spark.executors) > 1:
            spark.executors = [e for e in spark.executors if e != spark.executors[which % 2]]
        elif step == "join":
            spark.executors = [*spark.executors, f"new{number}"]
        spark.settle(1)
        assert spark.steering.copies().keys() <= set(spark.executors)
    for _ in range(40):
        spark.settle(1)
    owned = spark.owners()
    for executor, copies in copied(spark).items():
        assert not set(owned[executor]) & set(copies)
    if assignor is Sticky:
        wanted = min(standbys, len(spark.executors) - 1)
        assert sum(map(len, copied(spark).values())) == 5 * wanted


@pytest.mark.parametrize("cold", [True, False])
def test_a_lost_task_runs_at_its_standby_before_an_executor_that_joins_meanwhile_gets_it(
    cold: bool,
) -> None:
    spark = started()
    lost = spark.owners()["1"]
    standby = {number: each for each, copies in copied(spark).items() for number in copies}
    spark.executors = ["0", "2"]
    spark.look()
    # The batch that was disturbed has not ended yet.
    spark.executors = ["0", "2", "3"]
    spark.cold = frozenset({"3"} if cold else ())
    spark.look()
    assert all(standby[task.partition()] == place for task, place in places(spark, lost).items())
    kept = spark.steering.copies()
    assert all(task in kept[place] for task, place in places(spark, lost).items())
    spark.run()
    assert {number: spark.ran[task][-1] for number, task in enumerate(spark.tasks)} == {
        number: standby[number] if number in lost else spark.ran[task][-2]
        for number, task in enumerate(spark.tasks)
    }
    spark.cold = frozenset()
    spark.settle(12)
    assert sorted(map(len, spark.owners().values())) == [2, 2, 2]
    assert set(spark.owners()["3"]) == set(lost)


def test_a_lost_task_without_a_copy_does_not_wait_for_an_executor_that_starts() -> None:
    spark = Simulated(6, executors=["0", "1", "2"])
    spark.settle()
    lost = spark.owners()["1"]
    spark.executors = ["0", "2"]
    spark.look()
    spark.executors, spark.cold = ["0", "2", "3"], frozenset({"3"})
    spark.look()
    assert "3" not in places(spark, lost).values()


def places(spark: Simulated, numbers: list[int]) -> dict[TaskId, str]:
    """Return where Spark would run some tasks."""
    return {task: spark.location[task] for task in spark.tasks if task.partition() in numbers}
