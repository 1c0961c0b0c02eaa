"""Functions that Java's compiler would refuse are refused by the call, or at the first record."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast
from unittest.mock import Mock, create_autospec

import pytest

from compat_tests.topology.driving import Piping
from millstream import (
    Branched,
    ClassCastException,
    GlobalKTable,
    IllegalArgumentException,
    JoinWindows,
    KeyValue,
    KGroupedStream,
    KGroupedTable,
    KStream,
    KTable,
    Processor,
    Record,
    SessionWindows,
    StreamsBuilder,
    TimeWindows,
    ValueMapper,
)
from millstream.core.errors import StreamsException
from millstream.core.wording import a_kind

WINDOWS = TimeWindows.ofSizeWithNoGrace(10)
SESSIONS = SessionWindows.ofInactivityGapWithNoGrace(10)
NEAR = JoinWindows.ofTimeDifferenceWithNoGrace(10)


class World:
    """One of everything that takes functions."""

    def __init__(self) -> None:
        builder = StreamsBuilder()
        self.stream: KStream[Any, Any] = builder.stream("in")
        self.table: KTable[Any, Any] = builder.table("table")
        self.everywhere: GlobalKTable[Any, Any] = builder.globalTable("global")
        self.grouped: KGroupedStream[Any, Any] = self.stream.groupByKey()
        self.regrouped: KGroupedTable[Any, Any] = self.table.groupBy(lambda k, v: (k, v))


def two(one: Any, other: Any) -> Any: ...
def three(one: Any, other: Any, third: Any) -> Any: ...


ONE_OR_TWO: dict[str, Callable[[World, Any], Any]] = {
    "mapValues": lambda w, f: w.stream.mapValues(f),
    "flatMapValues": lambda w, f: w.stream.flatMapValues(f),
    "table mapValues": lambda w, f: w.table.mapValues(f),
    "foreign key": lambda w, f: w.table.join(w.table, f, two),
}
TWO: dict[str, Callable[[World, Any], Any]] = {
    "filter": lambda w, f: w.stream.filter(f),
    "id selector": lambda w, f: w.stream.deduplicate(f, 10),
    "filterNot": lambda w, f: w.stream.filterNot(f),
    "map": lambda w, f: w.stream.map(f),
    "flatMap": lambda w, f: w.stream.flatMap(f),
    "selectKey": lambda w, f: w.stream.selectKey(f),
    "groupBy": lambda w, f: w.stream.groupBy(f),
    "peek": lambda w, f: w.stream.peek(f),
    "foreach": lambda w, f: w.stream.foreach(f),
    "branch": lambda w, f: w.stream.split().branch(f),
    "table filter": lambda w, f: w.table.filter(f),
    "table filterNot": lambda w, f: w.table.filterNot(f),
    "table groupBy": lambda w, f: w.table.groupBy(f),
    "table toStream": lambda w, f: w.table.toStream(f),
    "global key": lambda w, f: w.stream.join(w.everywhere, f, two),
    "reduce": lambda w, f: w.grouped.reduce(f),
    "window reduce": lambda w, f: w.grouped.windowedBy(WINDOWS).reduce(f),
    "adder": lambda w, f: w.regrouped.reduce(f, two),
    "subtractor": lambda w, f: w.regrouped.reduce(two, f),
    "table join": lambda w, f: w.table.join(w.table, f),
    "foreign key join": lambda w, f: w.table.join(w.table, str, f),
}
TWO_OR_THREE: dict[str, Callable[[World, Any], Any]] = {
    "stream join": lambda w, f: w.stream.join(w.stream, f, NEAR),
    "stream table join": lambda w, f: w.stream.leftJoin(w.table, f),
    "global join": lambda w, f: w.stream.leftJoin(w.everywhere, two, f),
}
THREE: dict[str, Callable[[World, Any], Any]] = {
    "aggregate": lambda w, f: w.grouped.aggregate(int, f),
    "window aggregate": lambda w, f: w.grouped.windowedBy(WINDOWS).aggregate(int, f),
    "session aggregate": lambda w, f: w.grouped.windowedBy(SESSIONS).aggregate(int, f, three),
    "merger": lambda w, f: w.grouped.windowedBy(SESSIONS).aggregate(int, three, f),
    "cogroup": lambda w, f: w.grouped.cogroup(f),
    "table adder": lambda w, f: w.regrouped.aggregate(int, f, three),
    "table subtractor": lambda w, f: w.regrouped.aggregate(int, three, f),
}
ZERO: dict[str, Callable[[World, Any], Any]] = {
    "initializer": lambda w, f: w.grouped.aggregate(f, three),
    "cogrouped initializer": lambda w, f: w.grouped.cogroup(three).aggregate(f),
    "table initializer": lambda w, f: w.regrouped.aggregate(f, three, three),
}
ONE: dict[str, Callable[[World, Any], Any]] = {
    "branch function": lambda w, f: w.stream.split().branch(two, Branched.withFunction(f)),
    "branch consumer": lambda w, f: w.stream.split().branch(two, Branched.withConsumer(f)),
}
KINDS = (
    (ZERO, {0}),
    (ONE, {1}),
    (ONE_OR_TWO, {1, 2}),
    (TWO, {2}),
    (TWO_OR_THREE, {2, 3}),
    (THREE, {3}),
)
CALLS = {name: (call, counts) for calls, counts in KINDS for name, call in calls.items()}
OF: dict[int, Callable[..., Any]] = {
    0: lambda: None,
    1: lambda a: None,
    2: lambda a, b: None,
    3: lambda a, b, c: None,
    4: lambda a, b, c, d: None,
}


@pytest.mark.parametrize("name", CALLS)
def test_a_lambda_of_the_wrong_arity_is_refused_by_the_call(name: str) -> None:
    call, counts = CALLS[name]
    for count, function in OF.items():
        if count in counts:
            call(World(), function)
        else:
            with pytest.raises(ClassCastException, match="cannot be called with") as raised:
                call(World(), function)
            assert "Let it take" in raised.value.hint


class Callable2:
    def __call__(self, one: Any, other: Any) -> bool:
        return True


class Method:
    def test(self, one: Any, other: Any) -> bool:
        return True


@pytest.mark.parametrize(
    "function",
    [
        functools.partial(three, 1),
        lambda *both: True,
        lambda one, other, third=3: True,
        lambda one, other=2: True,
        Callable2(),
        Method(),
        Method().test,
        Mock(return_value=True),
        max,
        KeyValue,
    ],
)
def test_whatever_can_be_called_with_two_arguments_is_taken(function: Any) -> None:
    World().stream.filter(function)


@pytest.mark.parametrize("function", [str, len, str.upper, int, dict, Mock(), lambda v, n=1: v])
def test_whatever_can_be_called_with_a_value_is_taken(function: Any) -> None:
    World().stream.mapValues(function)


def test_a_mock_is_called_itself() -> None:
    seen, none = Mock(return_value=None), Mock(return_value=False)
    assert piped(lambda stream: stream.filter(none)) == []
    none.assert_called_once_with("k", "v")
    assert piped(lambda stream: stream.peek(seen)) == [("k", "v")]
    seen.assert_called_once_with("k", "v")
    assert piped(lambda stream: stream.mapValues(Mock(side_effect=str.upper))) == [("k", "V")]
    chosen = Mock(return_value="out")
    builder = StreamsBuilder()
    builder.stream("in").to(chosen)
    with Piping(builder.build()) as driver:
        assert [value for _, value, _ in driver.pipe("in", "k", "v", 1)] == ["v"]
    chosen.assert_called_once()


def test_a_mock_of_an_interface_or_with_a_method_that_was_set_has_its_method_called() -> None:
    for mapper in (Mock(spec=ValueMapper), Mock(spec=["apply"]), Mock()):
        mapper.apply.return_value = "w"
        assert piped(functools.partial(KStream.mapValues, mapper=mapper)) == [("k", "w")]
        mapper.apply.assert_called_once_with("v")


def test_an_autospecced_processor_is_taken_and_called() -> None:
    # What inspect asks for is a mock in it, and a mock is true: it was refused as async.
    made: list[Any] = []

    def supply() -> Any:
        made.append(create_autospec(Processor, instance=True))
        made[-1].process.return_value = None
        return made[-1]

    assert piped(lambda stream: stream.process(supply)) == []
    assert sum(each.process.call_count for each in made) == 1
    mapper = create_autospec(str.upper, return_value="w")
    assert piped(lambda stream: stream.mapValues(mapper)) == [("k", "w")]


async def waits(*arguments: Any) -> Any: ...


async def waits_and_yields(*arguments: Any) -> Any:
    yield 1


def yields(*arguments: Any) -> Any:
    yield 1


class Waiting:
    async def __call__(self, *arguments: Any) -> Any: ...


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("function", [waits, waits_and_yields, Waiting()])
def test_asynchronous_functions_are_refused(name: str, function: Any) -> None:
    with pytest.raises(ClassCastException, match="cannot be an async function"):
        CALLS[name][0](World(), function)


@pytest.mark.parametrize("name", CALLS)
def test_generators_are_taken_only_where_there_may_be_many_results(name: str) -> None:
    if name.startswith("flat"):
        CALLS[name][0](World(), yields)
    else:
        with pytest.raises(ClassCastException, match="cannot be a generator function"):
            CALLS[name][0](World(), yields)


def piped(make: Callable[[KStream[Any, Any]], KStream[Any, Any]], value: str = "v") -> Any:
    builder = StreamsBuilder()
    make(builder.stream("in")).mapValues(str).to("out")
    with Piping(builder.build()) as driver:
        return [(key, value) for key, value, _ in driver.pipe("in", "k", value, 1)]


@pytest.mark.parametrize("result", ["ab", b"ab", 7, KeyValue("a", "b"), {"a", "b"}, object()])
def test_a_mapper_that_returns_no_pair_is_told_what_to_write(result: Any) -> None:
    if isinstance(result, KeyValue):
        assert piped(lambda stream: stream.map(lambda k, v: result)) == [("a", "b")]
        return
    with pytest.raises(StreamsException) as raised:
        piped(lambda stream: stream.map(lambda k, v: result))
    assert f"returned {a_kind(result)}, which is no pair" in str(raised.value.__cause__)


@pytest.mark.parametrize("result", [("a",), ("a", "b", "c"), "ab", None])
def test_flat_map_takes_pairs_only(result: Any) -> None:
    with pytest.raises(StreamsException):
        piped(lambda stream: stream.flatMap(lambda k, v: [("a", "b"), result]))


@pytest.mark.parametrize("result", ["ab", b"ab", 7, KeyValue("a", "b"), object()])
@pytest.mark.parametrize("method", ["flatMap", "flatMapValues"])
def test_one_value_in_place_of_several_is_told_what_to_write(method: str, result: Any) -> None:
    with pytest.raises(StreamsException) as raised:
        piped(lambda stream: getattr(stream, method)(lambda k, v: result))
    assert f"returned {a_kind(result)} instead of values" in str(raised.value.__cause__)


@pytest.mark.parametrize("result", [["a", "b"], ("a", "b"), {"a": 1, "b": 2}, iter("ab")])
def test_any_iterable_of_values_is_taken(result: Any) -> None:
    found = piped(lambda stream: stream.flatMapValues(lambda v: result))
    assert found == [("k", "a"), ("k", "b")]


def test_a_list_of_two_and_a_tuple_are_pairs() -> None:
    both: Any = ["v", "k"]
    assert piped(lambda stream: stream.map(lambda k, v: both)) == [("v", "k")]
    assert piped(lambda stream: stream.flatMap(lambda k, v: [(v, k)])) == [("v", "k")]


class Yielding(Processor[Any, Any, Any, Any]):
    def process(self, record: Record[Any, Any]) -> Any:
        yield record


def test_a_process_that_yields_is_told_to_forward() -> None:
    with pytest.raises(ClassCastException, match="cannot be a generator function") as raised:
        World().stream.process(Yielding)
    assert "context.forward(record)" in raised.value.hint


def test_a_supplier_that_returns_a_class_is_told_to_call_it() -> None:
    with pytest.raises(IllegalArgumentException, match="generates single reference") as raised:
        World().stream.process(cast(Any, lambda: Yielding))
    assert raised.value.hint == "Write Yielding() in it, with parentheses."
