from __future__ import annotations

import pytest

from millstream import (
    CloseOptions,
    ConfigException,
    GroupMembershipOperation,
    HostInfo,
    IllegalArgumentException,
    KeyQueryMetadata,
    LagInfo,
    NullPointerException,
    Serdes,
    StateSerdes,
    StreamsMetadata,
    TaskId,
    TaskIdFormatException,
    TaskMetadata,
    ThreadMetadata,
    TopicPartition,
)


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("h:1", "h", 1),
        ("http://h:1", "h", 1),
        ("[::1]:9", "::1", 9),
        ("plaintext://h:70000", "h", 70000),
    ],
)
def test_an_endpoint_is_a_host_and_a_port(text: str, host: str, port: int) -> None:
    assert HostInfo.buildFromEndpoint(text) == HostInfo(host, port)


@pytest.mark.parametrize("text", ["h", "h:x", "http://h"])
def test_an_endpoint_without_a_port_is_refused(text: str) -> None:
    with pytest.raises(ConfigException, match="host:port"):
        HostInfo.buildFromEndpoint(text)


def test_no_endpoint_is_no_host() -> None:
    assert HostInfo.buildFromEndpoint("") is None
    assert HostInfo.buildFromEndpoint(None) is None
    assert (HostInfo.unavailable().host(), HostInfo.unavailable().port()) == ("unavailable", -1)
    assert (
        KeyQueryMetadata(HostInfo.unavailable(), frozenset(), -1) == KeyQueryMetadata.NOT_AVAILABLE
    )


def test_metadata_tell_what_they_were_given() -> None:
    words = TopicPartition("words", 0)
    task = TaskMetadata(
        task_id=TaskId(0, 0), partitions=frozenset({words}), committed=((words, 5),)
    )
    thread = ThreadMetadata(name="t", state="RUNNING", active=frozenset({task}))
    instance = StreamsMetadata(host_info=HostInfo("h", 1), store_names=frozenset({"s"}))
    assert str(words) == "words-0"
    assert task.committedOffsets() == {words: 5}
    assert task.timeCurrentIdlingStarted() is None
    assert thread.activeTasks() == {task}
    assert thread.standbyTasks() == set()
    assert (instance.host(), instance.port(), instance.stateStoreNames()) == ("h", 1, {"s"})
    assert LagInfo(3, 10).offsetLag() == 7
    assert LagInfo(10, 3).offsetLag() == 0


def test_closing_waits_as_long_as_it_takes_and_stays_in_the_group_by_default() -> None:
    options = CloseOptions.groupMembershipOperation(GroupMembershipOperation.LEAVE_GROUP)
    assert options.timeout_ms is None
    assert options.withTimeout(5).timeout_ms == 5
    assert CloseOptions.timeout(5).membership is GroupMembershipOperation.REMAIN_IN_GROUP
    assert CloseOptions.timeout(None).timeout_ms is None
    assert CloseOptions.timeout(-1).timeout_ms == -1, "close refuses it"


def test_task_ids_of_a_named_topology_carry_its_name() -> None:
    named = TaskId(1, 2, "words")
    assert str(named) == "words__1_2"
    assert TaskId.parse("words__1_2") == named
    assert TaskId.parse("1_2").topologyName() is None
    assert TaskId(1, 2) != named
    with pytest.raises(TaskIdFormatException):
        TaskId.parse("words_1_2")


def test_state_serdes_turn_keys_and_values_into_bytes_and_back() -> None:
    serdes: StateSerdes[str, int] = StateSerdes.withBuiltinTypes("t", str, int)
    assert serdes.rawKey("a") == b"a"
    assert serdes.rawValue(5) == b"\0\0\0\0\0\0\0\5"
    assert serdes.keyFrom(b"a") == "a"
    assert serdes.valueFrom(b"\0\0\0\0\0\0\0\5") == 5
    assert serdes.topic() == "t"
    with pytest.raises(NullPointerException, match="topic"):
        StateSerdes(None, Serdes.String(), Serdes.String())  # type: ignore[arg-type]
    with pytest.raises(IllegalArgumentException):
        StateSerdes.withBuiltinTypes("t", object, int)
