"""Java's overloads as one method each, and what is said to arguments that fit none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from millstream import (
    AutoOffsetReset,
    BufferConfig,
    ClassCastException,
    Consumed,
    EmitStrategy,
    IllegalArgumentException,
    JoinWindows,
    Materialized,
    Named,
    NullPointerException,
    Predicate,
    Printed,
    Produced,
    Repartitioned,
    SessionWindows,
    Stores,
    StreamJoined,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    TopologyConfig,
)
from millstream.core.errors import MillstreamError
from millstream.topology.dsl.functions import plain, takes_key


def builder() -> Any:  # of no type, as a caller without a type checker sees it
    return StreamsBuilder()


def stream() -> Any:
    return builder().stream("in")


def table() -> Any:
    return builder().table("in")


@pytest.mark.parametrize(
    "call",
    [
        lambda: stream().filter(None),
        lambda: stream().filter(lambda k, v: True, None),
        lambda: stream().mapValues(None),
        lambda: stream().to(None),
        lambda: stream().to("out", None),
        lambda: stream().merge(None),
        lambda: stream().groupByKey(None),
        lambda: stream().groupByKey().count(None),
        lambda: stream().groupByKey().reduce(None),
        lambda: stream().groupByKey().windowedBy(None),
        lambda: stream().process(None),
        lambda: stream().process(object, None),
        lambda: stream().toTable(None),
        lambda: table().toStream(None),
        lambda: builder().stream(None),
        lambda: builder().stream("in", None),
        lambda: builder().table(None),
        lambda: builder().addStateStore(None),
    ],
)
def test_none_is_refused_by_name(call: Callable[[], object]) -> None:
    with pytest.raises(NullPointerException, match="(can't|cannot) be null"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: stream().filter("no predicate"),
        lambda: stream().filter(lambda k, v: True, Produced.as_("x")),
        lambda: stream().to("out", Consumed.as_("x")),
        lambda: stream().merge(table()),
        lambda: stream().process(object, 5),
        lambda: stream().groupByKey().count(Named.as_("a"), Named.as_("b")),
        lambda: table().filter(lambda k, v: True, "name"),
    ],
)
def test_an_argument_of_no_accepted_type_is_refused(call: Callable[[], object]) -> None:
    with pytest.raises(ClassCastException):
        call()


def test_options_are_told_apart_by_type_or_by_keyword() -> None:
    how = Materialized.as_("store")
    counts = [
        stream().groupByKey().count(Named.as_("n"), how),
        stream().groupByKey().count(materialized=how, named=Named.as_("n")),
        stream().groupByKey().count(how),
    ]
    assert [count.queryableStoreName() for count in counts] == ["store"] * 3
    assert stream().groupByKey().count(Named.as_("n")).queryableStoreName() is None


def test_a_function_may_be_an_object_or_a_class_with_the_method() -> None:
    class Short(Predicate[str, str]):
        def test(self, key: str, value: str, /) -> bool:
            return len(value) < 3

    assert plain(Short(), "test", "predicate")("k", "ab")
    assert plain(Short, "test", "predicate")("k", "ab")


def test_a_mapper_gets_the_key_only_if_it_must_have_it() -> None:
    assert takes_key(lambda k, v: v)
    assert not takes_key(lambda v, suffix="!": v)
    assert not takes_key(len)
    assert not takes_key(str)


def test_windows_must_not_outlive_their_store() -> None:
    windows = TimeWindows.ofSizeAndGrace(100, 50)
    with pytest.raises(IllegalArgumentException, match="150 ms|100 ms"):
        stream().groupByKey().windowedBy(windows).count(Materialized.as_("s").withRetention(149))


@pytest.mark.parametrize("given", [EmitStrategy.onWindowClose, EmitStrategy, "close"])
@pytest.mark.parametrize(
    "windows",
    [TimeWindows.ofSizeWithNoGrace(10), SessionWindows.ofInactivityGapWithNoGrace(10)],
)
def test_what_is_no_emit_strategy_is_refused_at_the_call(windows: Any, given: Any) -> None:
    windowed = stream().groupByKey().windowedBy(windows)
    with pytest.raises(ClassCastException, match="emitStrategy cannot be") as caught:
        windowed.emitStrategy(given)
    assert "onWindowClose()" in caught.value.hint


@pytest.mark.parametrize("given", [BufferConfig.unbounded, BufferConfig, 100])
def test_what_is_no_buffer_is_refused_at_the_call(given: Any) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: Suppressed.untilWindowCloses(given),
        lambda: Suppressed.untilTimeLimit(5, given),
    ]
    for call in calls:
        with pytest.raises(ClassCastException, match="bufferConfig cannot be") as caught:
            call()
        assert "BufferConfig.unbounded()" in caught.value.hint


@pytest.mark.parametrize("limit", ["5", None, True, 1.5, 2**63])
def test_the_limit_of_a_buffer_is_a_whole_number(limit: Any) -> None:
    kinds = (ClassCastException, IllegalArgumentException, NullPointerException)
    for limited in (BufferConfig.maxRecords, BufferConfig.unbounded().withMaxRecords):
        with pytest.raises(kinds, match="recordLimit cannot be"):
            limited(limit)
    for sized in (BufferConfig.maxBytes, BufferConfig.maxRecords(1).withMaxBytes):
        with pytest.raises(kinds, match="byteLimit cannot be"):
            sized(limit)


@pytest.mark.parametrize("given", [True, "cleanup.policy", [("a", "b")]])
def test_settings_of_a_changelog_are_a_mapping(given: Any) -> None:
    for options in (
        Materialized.as_("s"),
        StreamJoined.as_("j"),
        BufferConfig.unbounded(),
        Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("s"), None, None),
    ):
        with pytest.raises(ClassCastException, match="settings of a changelog") as caught:
            options.withLoggingEnabled(given)
        assert "or {} for none" in caught.value.hint


@pytest.mark.parametrize("policy", ["earliest", 5, AutoOffsetReset])
def test_a_reset_policy_by_its_name_is_refused_before_the_start_on_spark(policy: Any) -> None:
    calls: list[Any] = [
        lambda: Consumed.with_(None, None, None, policy),
        lambda: Consumed.as_("n").withOffsetResetPolicy(policy),
    ]
    for make in calls:
        with pytest.raises(ClassCastException, match="resetPolicy cannot be") as caught:
            make()
        assert "AutoOffsetReset.earliest()" in caught.value.hint
    assert Consumed.as_("n").withOffsetResetPolicy(None).offset_reset is None


@pytest.mark.parametrize("count", ["5", 2.5, True])
def test_the_number_of_partitions_is_a_whole_number(count: Any) -> None:
    for make in (Repartitioned.numberOfPartitions, Repartitioned.as_("r").withNumberOfPartitions):
        with pytest.raises(ClassCastException, match="numberOfPartitions cannot be"):
            make(count)


@pytest.mark.parametrize("config", [{"default.dsl.store": "in_memory"}, 5, TopologyConfig])
def test_a_builder_takes_a_topology_config_only(config: Any) -> None:
    with pytest.raises(ClassCastException, match="topologyConfigs cannot be") as caught:
        StreamsBuilder(config)
    assert "TopologyConfig(StreamsConfig(...))" in caught.value.hint


def test_a_printed_stream_has_a_path_and_a_label_of_text() -> None:
    wrong: Any = 5
    with pytest.raises(ClassCastException, match="filePath cannot be an int"):
        Printed.toFile(wrong)
    with pytest.raises(ClassCastException, match="label cannot be an int"):
        Printed.toSysOut().withLabel(wrong)


def _stream() -> Any:
    return StreamsBuilder().stream("in")


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: _stream().filter(lambda key, value: True, Named), "take the class Named as named"),
        (lambda: _stream().groupByKey().count(Materialized), "take the class Materialized as"),
        (lambda: _stream().groupByKey().windowedBy(TimeWindows), "take the class TimeWindows"),
        (lambda: _stream().join(_stream(), max, JoinWindows), "cannot be the class JoinWindows"),
        (lambda: _stream().toTable().suppress(Suppressed), "take the class Suppressed"),
    ],
)
def test_a_class_in_the_place_of_an_object_is_called_a_class(
    call: Callable[[], object], problem: str
) -> None:
    with pytest.raises(MillstreamError, match=problem) as caught:
        call()
    if "It takes" in str(caught.value):
        assert "not the class itself" in caught.value.hint


def test_a_global_table_that_a_table_is_joined_with_is_not_sent_to_a_stream() -> None:
    builder = StreamsBuilder()
    everywhere: Any = builder.globalTable("g")
    with pytest.raises(ClassCastException, match="a table with a GlobalKTable") as caught:
        builder.table("t").join(everywhere, max)
    assert "Join a stream with a global table" in caught.value.hint
