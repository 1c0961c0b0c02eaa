"""The conformance runner itself: its function library, its texts and its comparison."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from compat_tests.conformance.api import NotBuiltYetError, call, missing_name, public
from compat_tests.conformance.compare import differences
from compat_tests.conformance.functions import agg, flat_pairs, flat_values, fn, joiner, pred
from compat_tests.conformance.values import error_record, is_error, java_name, text


class FakeWindow:
    def start(self) -> int:
        return 10

    def end(self) -> int:
        return 20


class FakeWindowed:
    def key(self) -> str:
        return "k"

    def window(self) -> FakeWindow:
        return FakeWindow()


class FakeVersioned:
    def __init__(self, until: int | None) -> None:
        self._until = until

    def value(self) -> str:
        return "v"

    def timestamp(self) -> int:
        return 5

    def validTo(self) -> int | None:
        return self._until


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "null"),
        ("a", "a"),
        (-7, "-7"),
        (FakeWindowed(), "k@10/20"),
        (FakeVersioned(None), "v~5"),
        (FakeVersioned(9), "v~5..9"),
    ],
)
def test_values_are_written_as_the_oracle_writes_them(value: Any, expected: str) -> None:
    assert text(value) == expected


@pytest.mark.parametrize(
    ("spec", "key", "value", "expected"),
    [
        ("kv", "k", None, None),
        ("kv", None, "v", "null:v"),
        (["keyField", 1], "a-b", "v", "b"),
        (["keyField", 2], "a-b", "v", None),
        (["keyPrefix", 2], None, "v", "nu"),
        (["mod", 3], "k", -1, "m2"),
        (["field", 1], "k", "a,,c", None),
        (["nullTo", 7], "k", None, 7),
        ("length", "k", "abc", 3),
        ("upper", "k", None, None),
        ("windowEnd", FakeWindowed(), "v", 20),
    ],
)
def test_functions_give_what_the_format_says(
    spec: Any, key: Any, value: Any, expected: Any
) -> None:
    assert fn(spec)(key, value) == expected


def test_a_throwing_function_throws_for_its_value_only() -> None:
    function = fn(["throwIf", "bad"])
    assert function("k", "good") == "good"
    with pytest.raises(RuntimeError, match="boom"):
        function("k", "bad")


def test_a_long_function_refuses_text() -> None:
    with pytest.raises(TypeError):
        fn(["mul", 2])("k", "text")


@pytest.mark.parametrize(
    ("spec", "value", "expected"),
    [
        (["is", None], None, True),
        (["gt", 1], None, False),
        (["not", ["lt", 5]], 7, True),
        ("even", -2, True),
        (["contains", "b"], "abc", True),
    ],
)
def test_predicates_give_what_the_format_says(spec: Any, value: Any, expected: bool) -> None:
    assert pred(spec)("k", value) is expected


@pytest.mark.parametrize(
    ("spec", "value", "total", "expected"),
    [
        ("sum", None, 4, 4),
        ("max", 3, None, 3),
        ("min", None, 8, 8),
        ("concat", None, "a", "anull"),
        ("remove", "b", "abcb", "acb"),
        (["nullIf", 0, "sum"], 0, 4, None),
    ],
)
def test_aggregators_give_what_the_format_says(
    spec: Any, value: Any, total: Any, expected: Any
) -> None:
    assert agg(spec)("k", value, total) == expected


def test_joiners_and_flat_functions_give_what_the_format_says() -> None:
    assert joiner("keyPair")("k", None, 3) == "k(null,3)"
    assert joiner(["nullIfLeft", "x"])("k", "x", "y") is None
    assert flat_values("words")("k", " a  b ") == ["a", "b"]
    assert flat_values("chars")("k", None) == []
    assert flat_pairs("wordsAsKeys")("k", "a b") == [("a", "a b"), ("b", "a b")]


def test_a_missing_public_name_is_told_from_any_other_error() -> None:
    with pytest.raises(NotBuiltYetError, match="NoSuchThing"):
        public("NoSuchThing")
    with pytest.raises(NotBuiltYetError, match=r"str\.explode"):
        call("text", "explode")
    wrapped = ValueError("outer")
    wrapped.__cause__ = NotBuiltYetError("KStream.join")
    assert missing_name(wrapped) == "KStream.join"
    assert missing_name(AttributeError("no attribute")) is None


@pytest.mark.parametrize(
    ("error", "java"),
    [
        (TypeError(), "NullPointerException"),
        (TypeError(), "ClassCastException"),
        (ValueError(), "IllegalArgumentException"),
        (RuntimeError(), "IllegalStateException"),
        (NotImplementedError(), "UnsupportedOperationException"),
    ],
)
def test_a_python_error_stands_for_the_java_error_of_the_same_meaning(
    error: Exception, java: str
) -> None:
    assert is_error(java, error_record(error))
    assert not is_error("StreamsException", error_record(error))


def test_an_error_of_a_derived_class_will_do() -> None:
    class StreamsException(Exception):
        pass

    class ProcessorStateException(StreamsException):
        pass

    assert is_error("StreamsException", error_record(ProcessorStateException()))
    assert not is_error("ProcessorStateException", error_record(StreamsException()))
    assert java_name(ValueError()) == "IllegalArgumentException"


SCENARIO: dict[str, Any] = {
    "events": [
        {"pipe": "in", "key": "a", "value": "v", "ts": 1},
        {"query": "st", "cmd": "get a"},
        {"pipe": "in", "key": "a", "value": "x", "ts": 2},
    ],
    "expect": {
        "describe": "Topologies:\n   Sub-topology: 0\n",
        "outputs": [
            [{"topic": "out", "key": "a", "value": "1", "ts": 1}],
            {"result": "1"},
            {"error": "StreamsException", "cause": "IllegalStateException"},
        ],
        "stores": {"st": ["a=1"]},
    },
}


def changed(**fields: Any) -> dict[str, Any]:
    actual: dict[str, Any] = copy.deepcopy(SCENARIO["expect"])
    actual.update(fields)
    return actual


def test_the_same_run_has_no_difference_whatever_the_cause_of_an_error() -> None:
    actual = changed()
    actual["outputs"][2] = {"error": "StreamsException", "cause": "RuntimeError"}
    assert differences(SCENARIO, actual) == []


def test_a_difference_names_the_event_and_the_record() -> None:
    actual = changed()
    actual["outputs"][0] = [{"topic": "out", "key": "a", "value": "2", "ts": 1}]
    assert differences(SCENARIO, actual) == [
        "event 0 (in a=v@1): record 0: expected out 'a'='1'@1, got out 'a'='2'@1"
    ]


def test_a_missing_record_and_an_unexpected_error_are_differences() -> None:
    missing, failed = changed(), changed()
    missing["outputs"][0] = []
    failed["outputs"][1] = {"error": "KeyError", "message": "'a'"}
    assert differences(SCENARIO, missing) == [
        "event 0 (in a=v@1): 1 records expected, got 0; missing out 'a'='1'@1"
    ]
    assert differences(SCENARIO, failed) == [
        'event 1 (query st: get a): expected {"result":"1"}, got KeyError: \'a\''
    ]


def test_describe_and_stores_are_compared() -> None:
    actual = changed(describe="Topologies:\n   Sub-topology: 1\n", stores={"st": ["a=2"]})
    assert differences(SCENARIO, actual) == [
        "describe line 2: expected '   Sub-topology: 0', got '   Sub-topology: 1'",
        'store st: missing ["a=1"], extra ["a=2"]',
    ]


def test_a_build_error_is_expected_or_a_difference() -> None:
    scenario = {"expect": {"error": {"error": "TopologyException", "phase": "build"}}}
    right = {"error": {"error": "TopologyException", "is": ["TopologyException"]}}
    wrong = {"error": {"error": "KeyError", "is": ["KeyError"], "message": "x"}}
    assert differences(scenario, right) == []
    assert differences(scenario, wrong) == ["build: expected TopologyException, got KeyError: x"]
    assert differences(scenario, {"describe": ""}) == [
        "build: expected TopologyException, got no error"
    ]
