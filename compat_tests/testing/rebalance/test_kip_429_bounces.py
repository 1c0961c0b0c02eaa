"""KIP-429 with delays and bounces, and its walk-throughs with the assignor that it describes."""

from __future__ import annotations

from collections.abc import Mapping

from compat_tests.testing.rebalance.walk import MINUTE, T1, T2, T3, T4, T5, TASKS, Walk, lines
from millstream import TaskId
from millstream.testing.rebalance.life_cycles import GroupStage
from millstream.topology.assign.sticky import Sticky


def test_a_bounce_within_the_delay_moves_nothing() -> None:
    walk = Walk(max_delay_ms=5 * MINUTE)
    walk.group.crash("S2")
    _, assigned = walk.rebalance()
    assert assigned == [
        "S1(assigned: [T1, T2], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
    ]
    assert walk.last.waiting == {T3, T4}
    assert (walk.last.next_ms, walk.group.state) == (5 * MINUTE, GroupStage.WAITING)

    walk.group.advance(2 * MINUTE)
    assert not walk.group.due
    walk.group.join("S2")
    _, assigned = walk.rebalance()
    assert assigned == [
        "S1(assigned: [T1, T2], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
    ]
    assert {task: start.lag for task, start in walk.last.started.items()} == {T3: 0, T4: 0}
    assert (walk.last.next_ms, walk.group.due) == (None, False)


def test_a_member_that_stays_away_loses_its_tasks_after_the_delay() -> None:
    walk = Walk(max_delay_ms=5 * MINUTE)
    walk.group.crash("S2")
    walk.rebalance()
    walk.group.advance(5 * MINUTE)
    _, assigned = walk.rebalance(place={"S1": (T3,), "S3": (T4,)})
    assert assigned == [
        "S1(assigned: [T1, T2, T3], revoked: [], learning: [])",
        "S3(assigned: [T4, T5], revoked: [], learning: [])",
    ]
    assert (walk.last.next_ms, walk.group.due) == (None, False)


def test_another_member_gets_no_lost_task_before_the_delay_is_over() -> None:
    walk = Walk(max_delay_ms=5 * MINUTE)
    walk.group.crash("S2")
    walk.rebalance()
    walk.group.advance(MINUTE)
    walk.group.join("S4")
    _, assigned = walk.rebalance()
    assert assigned == [
        "S1(assigned: [T1, T2], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S4(assigned: [], revoked: [], learning: [])",
    ]
    assert walk.last.next_ms == 5 * MINUTE

    walk.group.advance(4 * MINUTE)
    _, assigned = walk.rebalance(place={"S4": (T3, T4)})
    assert assigned[-1] == "S4(assigned: [T3, T4], revoked: [], learning: [])"


def test_the_delay_goes_on_under_a_new_leader() -> None:
    walk = Walk(max_delay_ms=5 * MINUTE)
    walk.group.crash("S2")
    walk.rebalance()
    walk.group.advance(MINUTE)
    walk.group.crash("S1")
    _, assigned = walk.rebalance()
    assert assigned == ["S3(assigned: [T5], revoked: [], learning: [])"]
    assert (walk.last.leader, walk.last.next_ms) == ("S3", 5 * MINUTE)

    walk.group.join("S1")
    _, assigned = walk.rebalance()
    assert assigned == [
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S1(assigned: [T1, T2], revoked: [], learning: [])",
    ]
    assert walk.last.waiting == {T3, T4}
    walk.group.join("S2")
    walk.rebalance()
    assert walk.group.owners() == {T1: "S1", T2: "S1", T3: "S2", T4: "S2", T5: "S3"}


OWNERS = {T1: "S1", T2: "S1", T3: "S2", T4: "S2", T5: "S3"}


def test_a_rolling_bounce_with_delay_leaves_every_task_where_it_was() -> None:
    walk = Walk(max_delay_ms=5 * MINUTE)
    walk.go_on_with(Sticky())
    count = 0
    for name in ("S1", "S2", "S3"):
        walk.group.crash(name)
        count += len(walk.group.settle())
        walk.group.advance(MINUTE)
        walk.group.join(name)
        count += len(walk.group.settle())
        assert walk.group.owners() == OWNERS
    assert count == 6


def test_a_rolling_bounce_without_delay_moves_the_tasks_of_each_member() -> None:
    walk = Walk()
    walk.go_on_with(Sticky())
    bounced = []
    for name in ("S1", "S2", "S3"):
        walk.group.crash(name)
        walk.group.settle()
        moved = walk.group.owners()
        walk.group.join(name)
        walk.group.settle()
        walk.group.catch_up()
        walk.group.settle()
        bounced.append((moved, walk.group.owners()))
    assert [list(map(owned, each)) for each in bounced] == [
        ["S2[T2, T3, T4] S3[T1, T5]", "S1[T3] S2[T2, T4] S3[T1, T5]"],
        ["S1[T2, T3, T4] S3[T1, T5]", "S1[T2, T4] S2[T3] S3[T1, T5]"],
        ["S1[T2, T4, T5] S2[T1, T3]", "S1[T2, T4] S2[T1, T3] S3[T5]"],
    ]


def owned(owners: Mapping[TaskId, str]) -> str:
    return " ".join(
        f"{name}[{', '.join(f'T{task.partition()}' for task in TASKS if owners[task] == name)}]"
        for name in sorted(set(owners.values()))
    )


def test_a_bounce_between_two_rebalances_moves_nothing_without_a_delay() -> None:
    walk = Walk()
    walk.go_on_with(Sticky())
    walk.group.crash("S2")
    walk.group.join("S2")
    walk.group.settle()
    assert walk.group.owners() == OWNERS


# The same ways with the assignor of the text. Its capacity keeps the first tasks of a member and
# gives away the last ones; the walk-throughs of the text happen to give away others.


def sticky() -> Walk:
    walk = Walk()
    walk.go_on_with(Sticky())
    return walk


def settled(walk: Walk) -> list[str]:
    """Run the one rebalance that is due; return what members went with."""
    [record] = walk.group.settle()
    return lines(record.assigned)


def test_the_sticky_assignor_scales_up() -> None:
    walk = sticky()
    walk.group.join("S4")
    assert settled(walk) == [
        "S1(assigned: [T1, T2], revoked: [], learning: [])",
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S4(assigned: [], revoked: [], learning: [T2])",
    ]
    walk.group.join("S5")
    assert settled(walk)[3:] == [
        "S4(assigned: [], revoked: [], learning: [T2])",
        "S5(assigned: [], revoked: [], learning: [T4])",
    ]
    walk.group.catch_up("S4")
    assert settled(walk) == [
        "S1(assigned: [T1], revoked: [T2], learning: [])",
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S4(assigned: [T2], revoked: [], learning: [])",
        "S5(assigned: [], revoked: [], learning: [T4])",
    ]
    walk.group.catch_up("S5")
    assert settled(walk) == [
        "S1(assigned: [T1], revoked: [], learning: [])",
        "S2(assigned: [T3], revoked: [T4], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [])",
        "S4(assigned: [T2], revoked: [], learning: [])",
        "S5(assigned: [T4], revoked: [], learning: [])",
    ]


def test_the_sticky_assignor_scales_down() -> None:
    walk = sticky()
    walk.group.leave("S2")
    assert settled(walk) == [
        "S1(assigned: [T1, T2], revoked: [], learning: [T4])",
        "S2(assigned: [T3, T4], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [T3])",
    ]
    walk.group.catch_up("S3")
    assert settled(walk) == [
        "S1(assigned: [T1, T2], revoked: [], learning: [T4])",
        "S2(assigned: [T4], revoked: [T3], learning: [])",
        "S3(assigned: [T3, T5], revoked: [], learning: [])",
    ]
    walk.group.catch_up("S1")
    assert settled(walk) == [
        "S1(assigned: [T1, T2, T4], revoked: [], learning: [])",
        "S2(assigned: [], revoked: [T4], learning: [])",
        "S3(assigned: [T3, T5], revoked: [], learning: [])",
    ]


def test_the_sticky_assignor_takes_over_from_a_crashed_member() -> None:
    walk = sticky()
    walk.group.crash("S2")
    assert settled(walk) == [
        "S1(assigned: [T1, T2, T4], revoked: [], learning: [])",
        "S3(assigned: [T3, T5], revoked: [], learning: [])",
    ]


def test_the_sticky_assignor_promotes_the_learner_of_a_crashed_leader() -> None:
    walk = sticky()
    walk.group.join("S4")
    walk.group.settle()
    walk.group.crash("S1")
    assert settled(walk) == [
        "S2(assigned: [T1, T3, T4], revoked: [], learning: [])",
        "S3(assigned: [T5], revoked: [], learning: [T4])",
        "S4(assigned: [T2], revoked: [], learning: [])",
    ]
    walk.group.catch_up()
    assert settled(walk) == [
        "S2(assigned: [T1, T3], revoked: [T4], learning: [])",
        "S3(assigned: [T4, T5], revoked: [], learning: [])",
        "S4(assigned: [T2], revoked: [], learning: [])",
    ]
