"""KIP-429's walk-throughs, rebalance by rebalance, with what each member comes and goes with."""

from __future__ import annotations

from compat_tests.testing.rebalance.walk import MINUTE, T1, T2, T3, T4, T5, TASKS, Walk
from millstream.testing.rebalance.life_cycles import GroupStage, TaskState
from millstream.testing.rebalance.member import Protocol


def test_scale_up() -> None:
    walk = Walk()
    walk.group.join("S4")
    _, assigned = walk.rebalance(learn={"S4": (T1,)})
    assert assigned == [
        "S1(assigned: [T1, T2], revoked: [], learning: [])",
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S4(assigned: [], revoked: [], learning: [T1])",
    ]
    assert not walk.group.due

    walk.group.join("S5")
    joined, assigned = walk.rebalance(learn={"S5": (T3,)})
    assert joined == [
        "S1(assigned: [T2], revoked: [T1], learning: [])",
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S4(assigned: [], revoked: [], learning: [T1])",
        "S5(assigned: [], revoked: [], learning: [])",
    ]
    assert assigned == [
        "S1(assigned: [T1, T2], revoked: [], learning: [])",
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S4(assigned: [], revoked: [], learning: [T1])",
        "S5(assigned: [], revoked: [], learning: [T3])",
    ]

    walk.group.catch_up("S4")
    joined, assigned = walk.rebalance()
    assert joined == [
        "S1(assigned: [T2], revoked: [T1], learning: [])",
        "S2(assigned: [T4], revoked: [T3], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S4(assigned: [], revoked: [], learning: [T1])",
        "S5(assigned: [], revoked: [], learning: [T3])",
    ]
    assert assigned == [
        "S1(assigned: [T2], revoked: [T1], learning: [])",
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S4(assigned: [T1], revoked: [], learning: [])",
        "S5(assigned: [], revoked: [], learning: [T3])",
    ]

    walk.group.catch_up("S5")
    joined, assigned = walk.rebalance()
    assert joined == [
        "S1(assigned: [T2], revoked: [], learning: [])",
        "S2(assigned: [T4], revoked: [T3], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S4(assigned: [T1], revoked: [], learning: [])",
        "S5(assigned: [], revoked: [], learning: [T3])",
    ]
    assert assigned == [
        "S1(assigned: [T2], revoked: [], learning: [])",
        "S2(assigned: [T4], revoked: [T3], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S4(assigned: [T1], revoked: [], learning: [])",
        "S5(assigned: [T3], revoked: [], learning: [])",
    ]
    assert not walk.group.due


def test_scale_up_from_nothing() -> None:
    walk = Walk({})
    walk.group.join("S1")
    _, assigned = walk.rebalance(place={"S1": TASKS})
    assert assigned == ["S1(assigned: [T1, T2, T3, T4, T5], revoked: [], learning: [])"]

    walk.group.join("S2")
    walk.group.join("S3")
    _, assigned = walk.rebalance(learn={"S2": (T3, T4), "S3": (T5,)})
    assert assigned == [
        "S1(assigned: [T1, T2, T3, T4, T5], revoked: [], learning: [])",
        "S2(assigned: [], revoked: [], learning: [T3, T4])",
        "S3(assigned: [], revoked: [], learning: [T5])",
    ]

    walk.group.catch_up("S2", "S3")
    joined, assigned = walk.rebalance()
    assert joined == [
        "S1(assigned: [T1, T2], revoked: [T3, T4, T5], learning: [])",
        "S2(assigned: [], revoked: [], learning: [T3, T4])",
        "S3(assigned: [], revoked: [], learning: [T5])",
    ]
    assert assigned == [
        "S1(assigned: [T1, T2], revoked: [T3, T4, T5], learning: [])",
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
    ]
    assert not walk.group.due


def test_scale_down_of_a_member_that_says_so() -> None:
    walk = Walk()
    walk.group.leave("S2")
    _, assigned = walk.rebalance(place={"S1": (T3,), "S3": (T4,)})
    assert assigned == [
        "S1(assigned: [T1, T2], revoked: [], learning: [T3])",
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [T4])",
    ]

    walk.group.catch_up("S3")
    joined, assigned = walk.rebalance()
    assert joined == [
        "S1(assigned: [T1, T2], revoked: [], learning: [T3])",
        "S2(assigned: [], revoked: [T3, T4], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [T4])",
    ]
    assert assigned == [
        "S1(assigned: [T1, T2], revoked: [], learning: [T3])",
        "S2(assigned: [T3], revoked: [T4], learning: [])",
        "S3(assigned: [T4, T5], revoked: [], learning: [])",
    ]

    walk.group.catch_up("S1")
    joined, assigned = walk.rebalance()
    assert joined == [
        "S1(assigned: [T1, T2], revoked: [], learning: [T3])",
        "S2(assigned: [], revoked: [T3], learning: [])",
        "S3(assigned: [T4, T5], revoked: [], learning: [])",
    ]
    assert assigned == [
        "S1(assigned: [T1, T2, T3], revoked: [], learning: [])",
        "S2(assigned: [], revoked: [T3], learning: [])",
        "S3(assigned: [T4, T5], revoked: [], learning: [])",
    ]
    assert list(walk.group.members) == ["S1", "S3"]
    assert not walk.group.due


def test_scale_down_by_a_crash() -> None:
    walk = Walk()
    walk.group.crash("S2")
    _, assigned = walk.rebalance(place={"S1": (T3,), "S3": (T4,)})
    assert assigned == [
        "S1(assigned: [T1, T2, T3], revoked: [], learning: [])",
        "S3(assigned: [T4, T5], revoked: [], learning: [])",
    ]
    assert not walk.group.due


def test_scale_down_with_a_time_limit_promotes_learners_as_they_are() -> None:
    walk = Walk()
    walk.group.leave("S2", timeout_ms=MINUTE)
    walk.rebalance(place={"S1": (T3,), "S3": (T4,)})
    walk.group.progress("S1", {T3: 50_000})
    walk.group.advance(MINUTE - 1)
    assert not walk.group.due
    walk.group.advance(1)
    _, assigned = walk.rebalance(place={"S3": (T4,)})
    assert assigned == [
        "S1(assigned: [T1, T2, T3], revoked: [], learning: [])",
        "S3(assigned: [T4, T5], revoked: [], learning: [])",
    ]
    assert walk.last.started[T3].lag == 50_000
    assert walk.last.started[T4].lag is None


def test_instances_are_swapped_by_scaling_up_and_then_down() -> None:
    walk = Walk({"S1": (T1, T2), "S2": (T3, T4)}, tasks=TASKS[:4])
    walk.group.join("S3")
    walk.group.join("S4")
    _, assigned = walk.rebalance(learn={"S3": (T1, T2), "S4": (T3, T4)})
    assert assigned == [
        "S1(assigned: [T1, T2], revoked: [], learning: [])",
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
        "S3(assigned: [], revoked: [], learning: [T1, T2])",
        "S4(assigned: [], revoked: [], learning: [T3, T4])",
    ]

    walk.group.leave("S1")
    walk.group.leave("S2")
    place = {"S3": (T1, T2), "S4": (T3, T4)}
    joined, assigned = walk.rebalance(place=place)
    assert joined == [
        "S1(assigned: [], revoked: [T1, T2], learning: [])",
        "S2(assigned: [], revoked: [T3, T4], learning: [])",
        "S3(assigned: [], revoked: [], learning: [T1, T2])",
        "S4(assigned: [], revoked: [], learning: [T3, T4])",
    ]
    assert assigned == [
        "S1(assigned: [T1, T2], revoked: [], learning: [])",
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
        "S3(assigned: [], revoked: [], learning: [T1, T2])",
        "S4(assigned: [], revoked: [], learning: [T3, T4])",
    ]

    walk.group.catch_up("S3", "S4")
    _, assigned = walk.rebalance(place=place)
    assert assigned == [
        "S1(assigned: [], revoked: [T1, T2], learning: [])",
        "S2(assigned: [], revoked: [T3, T4], learning: [])",
        "S3(assigned: [T1, T2], revoked: [], learning: [])",
        "S4(assigned: [T3, T4], revoked: [], learning: [])",
    ]
    assert list(walk.group.members) == ["S3", "S4"]
    assert walk.group.leader == "S3"


def test_the_leader_crashes_while_a_new_member_learns() -> None:
    walk = Walk()
    walk.group.join("S4")
    walk.rebalance(learn={"S4": (T1,)})
    walk.group.crash("S1")
    joined, assigned = walk.rebalance(place={"S3": (T2,)})
    assert joined == [
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S4(assigned: [], revoked: [], learning: [T1])",
    ]
    assert assigned == [
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
        "S3(assigned: [T2, T5], revoked: [], learning: [])",
        "S4(assigned: [T1], revoked: [], learning: [])",
    ]
    assert walk.last.leader == "S2"
    assert not walk.group.due


def test_the_leader_crashes_while_it_assigns() -> None:
    walk = Walk()
    walk.group.join("S4")
    walk.group.collect()
    walk.group.crash("S1")
    joined, assigned = walk.rebalance(place={"S4": (T1, T2)})
    assert joined == [
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S4(assigned: [], revoked: [], learning: [])",
    ]
    assert assigned == [
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S4(assigned: [T1, T2], revoked: [], learning: [])",
    ]
    assert walk.last.leader == "S2"


def test_two_rebalances_keep_all_and_then_revoke() -> None:
    walk = Walk(protocol=Protocol.COOPERATIVE)
    walk.group.join("S4")
    joined, assigned = walk.rebalance(place={"S4": (T1,)})
    assert joined == [
        "S1(assigned: [T1, T2], revoked: [], learning: [])",
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S4(assigned: [], revoked: [], learning: [])",
    ]
    assert assigned == [
        "S1(assigned: [T2], revoked: [T1], learning: [])",
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S4(assigned: [], revoked: [], learning: [])",
    ]
    assert walk.group.state is GroupStage.REVOKING
    assert walk.group.task_state(T1) is TaskState.RELEASED
    assert walk.last.waiting == {T1}

    joined, assigned = walk.rebalance(place={"S4": (T1,)})
    assert joined == [
        "S1(assigned: [T2], revoked: [], learning: [])",
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S4(assigned: [], revoked: [], learning: [])",
    ]
    assert assigned == [
        "S1(assigned: [T2], revoked: [], learning: [])",
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S4(assigned: [T1], revoked: [], learning: [])",
    ]
    assert not walk.group.due


def test_an_eager_rebalance_stops_everything() -> None:
    walk = Walk(protocol=Protocol.EAGER)
    walk.group.join("S4")
    joined, assigned = walk.rebalance(place={"S4": (T1,)})
    assert joined == [
        "S1(assigned: [], revoked: [T1, T2], learning: [])",
        "S2(assigned: [], revoked: [T3, T4], learning: [])",
        "S3(assigned: [], revoked: [T5], learning: [])",
        "S4(assigned: [], revoked: [], learning: [])",
    ]
    assert assigned == [
        "S1(assigned: [T2], revoked: [T1], learning: [])",
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S4(assigned: [T1], revoked: [], learning: [])",
    ]
    assert not walk.group.due
