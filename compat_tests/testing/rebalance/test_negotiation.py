"""A group of several releases finds the newest version that all members read."""

from __future__ import annotations

import pytest

from millstream import TaskAssignmentException
from millstream.testing.rebalance.wire import (
    AssignmentInfo,
    GroupVersions,
    MemberVersions,
    SubscriptionInfo,
    group_versions,
)


def sent(member: MemberVersions) -> SubscriptionInfo:
    return SubscriptionInfo(version=member.used, latest_supported_version=member.supported)


def rebalance(members: dict[str, MemberVersions], leader: str) -> bool:
    """One rebalance; whether a member has to rejoin."""
    versions = group_versions(
        {name: sent(each) for name, each in members.items()}, supported=members[leader].supported
    )
    answer = AssignmentInfo(
        version=versions.assignment, commonly_supported_version=versions.commonly_supported
    )
    after = {name: each.after(answer) for name, each in members.items()}
    rejoin = after != members
    members.update(after)
    return rejoin


def used(members: dict[str, MemberVersions]) -> dict[str, int]:
    return {name: each.used for name, each in members.items()}


def test_a_group_of_one_release_uses_its_latest() -> None:
    members = {name: MemberVersions() for name in "abc"}
    assert not rebalance(members, "a")
    assert used(members) == {"a": 11, "b": 11, "c": 11}


def test_a_new_member_comes_down_to_an_old_leader() -> None:
    members = {
        "old": MemberVersions(supported=9, used=9),
        "new": MemberVersions(supported=11, used=11),
    }
    assert rebalance(members, "old")
    assert used(members) == {"old": 9, "new": 9}
    assert not rebalance(members, "old")


def test_an_old_member_is_answered_in_its_version_and_a_new_one_comes_down() -> None:
    members = {
        "old": MemberVersions(supported=7, used=7),
        "new": MemberVersions(supported=11, used=11),
    }
    assert rebalance(members, "new")
    assert used(members) == {"old": 7, "new": 7}


def test_a_rolling_upgrade_ends_in_the_new_version() -> None:
    members = {name: MemberVersions(supported=4, used=4) for name in "abc"}
    history = []
    for name in "abc":
        members[name] = MemberVersions(supported=11, used=11)
        for _ in range(3):
            if not rebalance(members, "c"):
                break
        history.append(used(members))
    assert history == [
        {"a": 4, "b": 4, "c": 4},
        {"a": 4, "b": 4, "c": 4},
        {"a": 11, "b": 11, "c": 11},
    ]


def test_a_rolling_downgrade_ends_in_the_old_version() -> None:
    members = {name: MemberVersions() for name in "abc"}
    members["b"] = MemberVersions(supported=6, used=6)
    assert rebalance(members, "a")
    assert used(members) == {"a": 6, "b": 6, "c": 6}


def test_a_leader_names_the_members_it_cannot_read() -> None:
    members = {"old": SubscriptionInfo(version=5, latest_supported_version=5)}
    members["new"] = SubscriptionInfo()
    assert group_versions(members, supported=5) == GroupVersions(
        assignment=5, commonly_supported=5, future=frozenset({"new"})
    )


def test_a_member_too_old_to_be_told_stops_a_group_with_a_future_one() -> None:
    members = {
        "ancient": SubscriptionInfo(version=2, latest_supported_version=-1),
        "new": SubscriptionInfo(),
    }
    with pytest.raises(TaskAssignmentException) as caught:
        group_versions(members, supported=5)
    assert caught.value.detail == (
        'Member "new" sent version 11, another one 2, and this leader reads 5.'
    )


def test_versions_1_and_2_are_read_beside_the_latest() -> None:
    members = {
        "ancient": SubscriptionInfo(version=1, latest_supported_version=-1),
        "new": SubscriptionInfo(),
    }
    assert group_versions(members) == GroupVersions(assignment=1, commonly_supported=-1)


def test_an_answer_in_a_version_before_3_changes_nothing() -> None:
    answer = AssignmentInfo(version=2, commonly_supported_version=-1)
    assert MemberVersions().after(answer) == MemberVersions()


def test_an_answer_newer_than_what_was_sent_is_refused() -> None:
    with pytest.raises(TaskAssignmentException, match="was of version 7, the assignment is of 9"):
        MemberVersions(used=7).after(AssignmentInfo(version=9))


def test_a_version_that_the_member_does_not_read_is_refused() -> None:
    with pytest.raises(TaskAssignmentException, match="reads up to version 7"):
        MemberVersions(supported=7, used=7).after(
            AssignmentInfo(version=7, commonly_supported_version=8)
        )
