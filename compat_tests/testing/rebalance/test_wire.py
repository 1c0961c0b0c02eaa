"""The metadata's bytes are those of Kafka's classes, and bad bytes say what is wrong with them."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_tests.testing.rebalance.wire_cases import (
    Case,
    ask_kafka,
    assignment,
    cases,
    subscription,
)
from millstream import (
    HostInfo,
    IllegalArgumentException,
    IllegalStateException,
    TaskAssignmentException,
    TaskId,
    TopicPartition,
)
from millstream.jars import JavaNotFoundError
from millstream.testing.rebalance.wire import AssignmentInfo, SubscriptionInfo

SUBSCRIPTIONS = [pytest.param(case, id=case["name"]) for case in cases("subscriptions")]
ASSIGNMENTS = [pytest.param(case, id=case["name"]) for case in cases("assignments")]
NEVER = 2**63 - 1


def carried_subscription(info: SubscriptionInfo) -> SubscriptionInfo:
    """What is left of a subscription once it has been through its version's format."""
    version = info.version
    sums = dict(info.task_offset_sums)
    if version < 7:
        sums = {task: -2 if total == -2 else -3 for task, total in sums.items()}
    return replace(
        info,
        latest_supported_version=info.latest_supported_version if version >= 3 else -1,
        user_end_point=info.user_end_point if version >= 2 else None,
        task_offset_sums=sums,
        unique_field=info.unique_field if version >= 8 else 0,
        error_code=info.error_code if version >= 9 else 0,
        client_tags=info.client_tags if version >= 11 else {},
    )


def carried_assignment(info: AssignmentInfo) -> AssignmentInfo:
    """What is left of an assignment once it has been through its version's format."""
    version = info.version
    return replace(
        info,
        commonly_supported_version=info.commonly_supported_version if version >= 3 else -1,
        partitions_by_host=info.partitions_by_host if version >= 2 else {},
        standby_partitions_by_host=info.standby_partitions_by_host if version >= 6 else {},
        error_code=info.error_code if version >= 4 else 0,
        next_rebalance_ms=info.next_rebalance_ms if version >= 7 else NEVER,
    )


@pytest.mark.parametrize("case", SUBSCRIPTIONS)
def test_a_subscription_has_the_bytes_that_kafka_writes(case: Case) -> None:
    assert subscription(case).encode().hex() == case["hex"]


@pytest.mark.parametrize("case", SUBSCRIPTIONS)
def test_a_subscription_that_kafka_wrote_is_read(case: Case) -> None:
    read = SubscriptionInfo.decode(bytes.fromhex(case["hex"]))
    assert read == carried_subscription(subscription(case))


@pytest.mark.parametrize("case", ASSIGNMENTS)
def test_an_assignment_has_the_bytes_that_kafka_writes(case: Case) -> None:
    assert assignment(case).encode().hex() == case["hex"]


@pytest.mark.parametrize("case", ASSIGNMENTS)
def test_an_assignment_that_kafka_wrote_is_read(case: Case) -> None:
    read = AssignmentInfo.decode(bytes.fromhex(case["hex"]))
    assert read == carried_assignment(assignment(case))
    assert read.encode().hex() == case["hex"]


@pytest.mark.broker
def test_kafka_still_writes_the_golden_bytes(tmp_path: Path) -> None:
    try:
        ask_kafka(tmp_path / "now.json")
    except JavaNotFoundError as missing:
        pytest.skip(str(missing))
    now = json.loads((tmp_path / "now.json").read_text(encoding="utf-8"))
    assert now["subscriptions"] == cases("subscriptions")
    assert now["assignments"] == cases("assignments")


def test_version_4_of_a_subscription_has_the_fields_of_kip_429_in_its_order() -> None:
    info = SubscriptionInfo(
        version=4,
        latest_supported_version=11,
        process_id=UUID(int=0x0102030405060708090A0B0C0D0E0F10),
        user_end_point="h:1",
        task_offset_sums={TaskId(0, 1): -2, TaskId(2, 3): -3},
    )
    fields = [
        "00000004",  # VersionId
        "0000000b",  # LatestSupportVersionId
        "0102030405060708090a0b0c0d0e0f10",  # ClientUUID
        "00000001 00000000 00000001",  # PrevTasks
        "00000001 00000002 00000003",  # StandbyTasks
        "00000003 683a31",  # EndPoint
    ]
    assert info.encode() == bytes.fromhex(" ".join(fields))


def test_version_4_of_an_assignment_has_the_fields_of_kip_429_in_its_order() -> None:
    info = AssignmentInfo(
        version=4,
        commonly_supported_version=11,
        active_tasks=(TaskId(0, 1),),
        standby_tasks={TaskId(2, 3): (TopicPartition("t", 5),)},
        partitions_by_host={HostInfo("h", 1): (TopicPartition("t", 6),)},
        error_code=2,
    )
    fields = [
        "00000004",  # VersionId
        "0000000b",  # LatestSupportedVersionId
        "00000001 00000000 00000001",  # ActiveTasks
        "00000001 00000002 00000003 00000001 000174 00000005",  # StandbyTasks
        "00000001 000168 00000001 00000001 000174 00000006",  # PartitionsByHost
        "00000002",  # ErrorCode
    ]
    assert info.encode() == bytes.fromhex(" ".join(fields))


NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
INT32 = st.integers(-(2**31), 2**31 - 1)
NUMBERS = st.integers(0, 2**31 - 1)
TASKS = st.builds(TaskId, NUMBERS, NUMBERS)
PARTITIONS = st.lists(st.builds(TopicPartition, NAMES, NUMBERS), max_size=4, unique=True)
HOSTS = st.dictionaries(st.builds(HostInfo, NAMES, INT32), PARTITIONS.map(tuple), max_size=3)


@given(
    st.builds(
        SubscriptionInfo,
        version=st.integers(1, 11),
        latest_supported_version=st.integers(11, 2**31 - 1),
        process_id=st.uuids(),
        user_end_point=st.one_of(st.none(), NAMES.filter(bool)),
        task_offset_sums=st.dictionaries(TASKS, st.integers(-(2**63), 2**63 - 1), max_size=9),
        unique_field=st.integers(-128, 127),
        error_code=INT32,
        client_tags=st.dictionaries(NAMES, NAMES, max_size=3),
    )
)
def test_any_subscription_comes_back(info: SubscriptionInfo) -> None:
    read = SubscriptionInfo.decode(info.encode())
    assert read == carried_subscription(info)
    assert read.prev_tasks() == info.prev_tasks()
    assert read.standby_tasks() == info.standby_tasks()


@given(
    st.builds(
        AssignmentInfo,
        version=st.integers(1, 11),
        commonly_supported_version=INT32,
        active_tasks=st.lists(TASKS, max_size=9).map(tuple),
        standby_tasks=st.dictionaries(TASKS, PARTITIONS.map(tuple), max_size=3),
        partitions_by_host=HOSTS,
        standby_partitions_by_host=HOSTS,
        error_code=INT32,
        next_rebalance_ms=st.integers(-(2**63), 2**63 - 1),
    )
)
def test_any_assignment_comes_back(info: AssignmentInfo) -> None:
    assert AssignmentInfo.decode(info.encode()) == carried_assignment(info)


@given(st.sampled_from([*cases("subscriptions"), *cases("assignments")]), st.data())
def test_bytes_that_end_early_are_refused(case: Case, data: st.DataObject) -> None:
    whole = bytes.fromhex(case["hex"])
    cut = data.draw(st.integers(0, len(whole) - 1))
    decode = AssignmentInfo.decode if "active_tasks" in case else SubscriptionInfo.decode
    with pytest.raises(TaskAssignmentException, match="cannot decode"):
        decode(whole[:cut])


@given(st.binary(max_size=80), st.integers(-1, 12))
def test_any_bytes_are_read_or_refused(data: bytes, version: int) -> None:
    for decode in (SubscriptionInfo.decode, AssignmentInfo.decode):
        with suppress(TaskAssignmentException):
            decode(version.to_bytes(4, "big", signed=True) + data)


def test_a_count_beyond_the_bytes_costs_nothing_and_says_where() -> None:
    data = bytes.fromhex("000000040000000b7fffffff00000000")
    with pytest.raises(TaskAssignmentException) as caught:
        AssignmentInfo.decode(data)
    assert caught.value.detail == "Byte 8: a count of 2147483647, and 4 bytes are left."


def test_a_topic_that_is_not_in_the_dictionary_is_refused() -> None:
    data = bytes.fromhex(
        "00000005"
        "0000000b"
        "00000000"
        "00000000"  # versions, no tasks
        "00000001"
        "00000000"
        "000174"  # topic 0 is "t"
        "00000001"
        "000168"
        "00000001"
        "00000001"
        "00000009"
        "00000000"  # host h:1 has topic 9
        "00000000"
    )
    with pytest.raises(TaskAssignmentException, match="Topic number 9 is not in its list of 1"):
        AssignmentInfo.decode(data)


def test_a_string_that_is_not_utf_8_is_refused() -> None:
    data = bytes.fromhex("00000002" + "00" * 16 + "00000000" * 2 + "00000001" + "ff")
    with pytest.raises(TaskAssignmentException, match="is not UTF-8"):
        SubscriptionInfo.decode(data)


def test_an_assignment_of_a_future_version_is_refused() -> None:
    with pytest.raises(TaskAssignmentException, match="version is 12; the latest known is 11"):
        AssignmentInfo.decode((12).to_bytes(4, "big") + bytes(40))


def test_of_a_future_subscription_the_versions_are_read() -> None:
    data = (12).to_bytes(4, "big") + (13).to_bytes(4, "big") + b"whatever comes then"
    info = SubscriptionInfo.decode(data)
    assert (info.version, info.latest_supported_version) == (12, 13)
    assert info.task_offset_sums == {}


def test_a_subscription_of_a_future_version_is_not_written() -> None:
    info = SubscriptionInfo(version=12, latest_supported_version=12)
    with pytest.raises(IllegalStateException, match="version 12"):
        info.encode()


@pytest.mark.parametrize(("version", "latest"), [(0, 11), (-1, 11), (5, 4), (3, -1), (12, 11)])
def test_versions_that_contradict_each_other_are_refused(version: int, latest: int) -> None:
    with pytest.raises(IllegalArgumentException, match="has to be between 1 and"):
        SubscriptionInfo(version=version, latest_supported_version=latest)


@pytest.mark.parametrize("version", [0, 12])
def test_an_assignment_has_a_known_version(version: int) -> None:
    with pytest.raises(IllegalArgumentException, match="between 1 and 11"):
        AssignmentInfo(version=version)


@pytest.mark.parametrize("version", [1, 6, 7, 9])
def test_a_named_topology_needs_version_10(version: int) -> None:
    task = TaskId(0, 0, "payments")
    member = SubscriptionInfo(version=version, task_offset_sums={task: -2})
    for info in (member, AssignmentInfo(version=version, active_tasks=(task,))):
        with pytest.raises(TaskAssignmentException, match='Task "payments__0_0" belongs to a n'):
            info.encode()


def test_a_number_that_does_not_fit_is_refused() -> None:
    with pytest.raises(TaskAssignmentException, match="200 is not a number of 8 bits"):
        SubscriptionInfo(unique_field=200).encode()


def test_a_string_that_does_not_fit_is_refused() -> None:
    info = AssignmentInfo(standby_tasks={TaskId(0, 0): (TopicPartition("t" * 65_536, 0),)})
    with pytest.raises(TaskAssignmentException, match="takes 65536 bytes; a string may have 65535"):
        info.encode()
