"""Operators of plugins appear as methods and obey their traits."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from compat_tests.plugins import sampling
from millstream import Named, Serdes, StreamsBuilder, TimeWindows
from millstream.core.errors import PluginError
from millstream.plugins import NodeInfo, OperatorTraits, StreamOperator, hookimpl
from millstream.plugins.registry import registered
from millstream.testing.kit import OperatorTests, run_suite
from millstream.topology.deduplication.distinct import Distinct
from millstream.topology.graph.build import TopologyWriter


class TestSample(OperatorTests):
    operator_class = sampling.Sample
    arguments = (2,)
    records = (("a", "1", 0), ("a", "2", 1), ("b", "3", 2), ("a", "4", 3))
    expected = (("a", "1", 0), ("b", "3", 2), ("a", "4", 3))


class TestShout(OperatorTests):
    operator_class = sampling.Shout
    records = (("a", "hey", 0),)
    expected = (("a", "HEY!", 0),)


class TestDifferences(OperatorTests):
    operator_class = sampling.Differences
    records = (("a", "1", 0), ("a", "2", 1), ("a", None, 2))
    expected = (("a", "None->1", 0), ("a", "1->2", 1), ("a", "2->None", 2))


class TestDistinct(OperatorTests):
    operator_class = Distinct
    records = (("a", "1", 0), ("a", "2", 1), ("b", "3", 2), ("a", "4", 13))
    expected = (("a", "1", 0), ("b", "3", 2), ("a", "4", 13))


class TestLouder(OperatorTests):
    operator_class = sampling.Louder
    records = (("a", "hey", 0), ("a", "you", 1))
    expected = (("a", "hey!", 0), ("a", "you!", 1))


@pytest.fixture
def stream() -> Iterator[Any]:
    with registered(sys.modules[sampling.__name__]):
        yield StreamsBuilder().stream("in")


def described(stream: Any) -> str:
    stream.to("out")
    return str(TopologyWriter(stream._flow.graph).write(None).describe())


def test_an_operator_takes_a_number_or_a_name(stream: Any) -> None:
    text = described(
        stream.sample(2).sample(3, Named.as_("thin")).sample(4, named=Named.as_("out"))
    )
    assert (
        "Processor: KSTREAM-SAMPLE-0000000001 (stores: [KSTREAM-SAMPLE-0000000001-counts])" in text
    )
    assert "Processor: thin (stores: [thin-counts])" in text
    assert "Processor: out (stores: [out-counts])" in text


def test_an_operator_by_key_repartitions_a_stream_whose_key_has_changed(stream: Any) -> None:
    text = described(stream.selectKey(lambda key, value: value).sample(2))
    assert "Sink: KSTREAM-SINK-0000000003 (topic: KSTREAM-SAMPLE-0000000002-repartition)" in text


def test_an_unknown_method_is_an_attribute_error(stream: Any) -> None:
    with pytest.raises(AttributeError, match="'KStream' object has no attribute 'smaple', and no"):
        stream.smaple(2)
    assert not hasattr(stream, "__deepcopy__")


def test_an_operator_of_others_says_whose_it_is(stream: Any) -> None:
    with pytest.raises(
        AttributeError, match="'differences', and a plugin offers it to KTable only"
    ):
        stream.differences()
    told = r"offers it to KStream only. Write toStream\(\).sample\(\)"
    with pytest.raises(AttributeError, match=told):
        stream.toTable().sample(2)
    told = "offers it to TimeWindowedKStream and SessionWindowedKStream only$"
    with pytest.raises(AttributeError, match=told):
        stream.distinct()


def test_a_wrong_argument_is_an_error_at_the_call(stream: Any) -> None:
    with pytest.raises(TypeError, match="every"):
        stream.sample()


@dataclass(frozen=True)
class HiddenFilter(StreamOperator):
    name = "filter"

    def processor(self, node: NodeInfo) -> Any:
        raise AssertionError


@dataclass
class Mutable(StreamOperator):
    name = "mutable"

    def processor(self, node: NodeInfo) -> Any:
        return PROCESSOR


@dataclass(frozen=True)
class Idle(StreamOperator):
    name = "idle"


PROCESSOR: Any = object()


def suite(operator: type[StreamOperator]) -> type[OperatorTests]:
    own = {"operator_class": operator, "records": [("a", str(n), 0) for n in range(3)]}
    return type("Suite", (OperatorTests,), own)


def test_a_use_may_ask_for_a_name_and_serdes(stream: Any) -> None:
    number = Serdes.Long()
    named = stream.louder("!", number)
    assert (named._flow.name, named._flow.value_serde) == ("louder", number)
    assert stream.louder("!")._flow.name == "KSTREAM-LOUD-0000000002"
    with pytest.raises(TypeError, match="positional arguments"):
        stream.louder("!", None, Named.as_("other"))


def test_an_operator_without_processor_and_expansion_says_so() -> None:
    class Plugin:
        @hookimpl
        def millstream_register_operators(self) -> list[type[StreamOperator]]:
            return [Idle]

    with registered(Plugin()):
        stream: Any = StreamsBuilder().stream("in")
        with pytest.raises(PluginError, match='"idle" has neither a processor nor an expansion'):
            described(stream.idle())


def test_a_window_operator_that_does_not_expand_says_so() -> None:
    @dataclass(frozen=True)
    class Closing(StreamOperator):
        name = "closing"
        traits = OperatorTraits(of_windows=True)

    class Plugin:
        @hookimpl
        def millstream_register_operators(self) -> list[type[StreamOperator]]:
            return [Closing]

    with registered(Plugin()):
        grouped: Any = StreamsBuilder().stream("in").groupByKey()
        with pytest.raises(PluginError, match="Closing does not expand"):
            grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(1)).closing()


def test_an_operator_that_a_method_hides_is_an_error() -> None:
    class Plugin:
        @hookimpl
        def millstream_register_operators(self) -> list[type[StreamOperator]]:
            return [HiddenFilter]

    with registered(Plugin()), pytest.raises(PluginError, match=r"the name of a method of KStream"):
        StreamsBuilder().build()


@pytest.mark.parametrize(
    ("operator", "test", "message"),
    [
        (Idle, "the_class_describes_itself", "the class overrides processor or expand"),
        (
            sampling.Uneven,
            "a_run_of_records_does_what_single_records_do",
            "a run of records by columns does what the records do one by one",
        ),
        (
            sampling.Bare,
            "a_run_of_records_does_what_single_records_do",
            "a run of records by columns does what the records do one by one",
        ),
        (
            sampling.Hasty,
            "runs_may_end_anywhere",
            "runs by columns may end after any record",
        ),
        (
            sampling.Forgetful,
            "a_new_task_goes_on_where_the_last_one_was",
            "a new task goes on where the last one was, with its stores and what it saved",
        ),
        (HiddenFilter, "no_method_hides_it", "no method of streams or tables has its name"),
        (Mutable, "a_use_of_it_does_not_change", "the class is a frozen dataclass"),
        (
            Mutable,
            "each_task_gets_a_processor_of_its_own",
            "processor returns a new processor each time",
        ),
    ],
)
def test_a_broken_operator_is_caught(
    operator: type[StreamOperator], test: str, message: str
) -> None:
    (outcome,) = run_suite(suite(operator), [f"test_{test}"])
    assert outcome.message().splitlines()[0] == f"broken promise: {message}"


def test_a_suite_without_records_is_refused() -> None:
    empty = type("Empty", (suite(sampling.Shout),), {"records": ()})
    (outcome,) = run_suite(empty, ["test_it_does_what_it_should"])
    assert "the suite has records" in outcome.message()


def test_an_operator_that_changes_keys_and_does_not_say_so_is_caught() -> None:
    own = {"expected": [("b", "0", 0)]}
    (outcome,) = run_suite(
        type("Changes", (suite(sampling.Bare),), own),
        ["test_keys_stay_unless_traits_say_otherwise"],
    )
    assert "keys of results are keys of records, or traits has changes_key" in outcome.message()
    assert "['b']" in outcome.message()
