"""Operators of plugins appear as methods and obey their traits."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from compat_tests.plugins import sampling
from millstream import Named, StreamsBuilder
from millstream.core.errors import PluginError
from millstream.plugins import OperatorPlace, StreamOperator, hookimpl
from millstream.plugins.registry import registered
from millstream.testing.kit import OperatorTests, run_suite


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


@pytest.fixture
def stream() -> Iterator[Any]:
    with registered(sys.modules[sampling.__name__]):
        yield StreamsBuilder().stream("in")


def described(stream: Any) -> str:
    stream.to("out")
    builder = StreamsBuilder()
    builder._graph = stream._flow.graph
    return str(builder.build().describe())


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
    with pytest.raises(AttributeError, match="'KStream' object has no attribute 'differences'"):
        stream.differences()
    assert not hasattr(stream, "__deepcopy__")


def test_a_wrong_argument_is_an_error_at_the_call(stream: Any) -> None:
    with pytest.raises(TypeError, match="every"):
        stream.sample()


@dataclass(frozen=True)
class HiddenFilter(StreamOperator):
    name = "filter"

    def processor(self, place: OperatorPlace) -> Any:
        raise AssertionError


@dataclass
class Mutable(StreamOperator):
    name = "mutable"

    def processor(self, place: OperatorPlace) -> Any:
        return PROCESSOR


PROCESSOR: Any = object()


def suite(operator: type[StreamOperator]) -> type[OperatorTests]:
    return type("Suite", (OperatorTests,), {"operator_class": operator})


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
