"""The errors: hierarchy, text, pickling."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from millstream.core import errors


def every_error() -> Any:
    return [
        item
        for item in vars(errors).values()
        if isinstance(item, type) and issubclass(item, errors.MillstreamError)
    ]


def test_text_is_problem_then_detail_then_hint() -> None:
    error = errors.StreamsException("cannot run", detail="It is 3.", hint="Try 4.")
    assert str(error) == "cannot run\n  detail: It is 3.\n  hint: Try 4."


def test_topology_errors_carry_kafkas_prefix() -> None:
    assert str(errors.TopologyException("no parent")) == "Invalid topology: no parent"


@pytest.mark.parametrize("kind", every_error(), ids=lambda kind: kind.__name__)
def test_every_error_survives_pickling_and_needs_no_arguments(kind: Any) -> None:
    assert str(kind()) == kind.prefix
    error = kind("broken", detail="A.", hint="B.")
    assert "broken" in error.problem
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert (copy.problem, copy.detail, copy.hint) == (error.problem, "A.", "B.")


def test_what_a_subclass_knows_survives_pickling() -> None:
    error = errors.TaskCorruptedException("lost", ["0_1"], task_id="0_1")
    copy = pickle.loads(pickle.dumps(error))
    assert copy.corruptedTasks() == {"0_1"}
    assert copy.taskId() == "0_1"
    missing = pickle.loads(pickle.dumps(errors.MissingInternalTopicsException("gone", ["a"])))
    assert missing.topics() == ["a"]


@pytest.mark.parametrize(
    ("kind", "caught_by"),
    [
        (errors.IllegalArgumentException, ValueError),
        (errors.IllegalStateException, RuntimeError),
        (errors.NullPointerException, TypeError),
        (errors.ClassCastException, TypeError),
        (errors.UnsupportedOperationException, NotImplementedError),
        (errors.NoSuchElementException, LookupError),
        (errors.TopologyException, errors.StreamsException),
        (errors.UnknownStateStoreException, errors.InvalidStateStoreException),
        (errors.InvalidStateStoreException, errors.StreamsException),
        (errors.StreamsException, errors.KafkaException),
        (errors.SerializationException, errors.KafkaException),
        (errors.ConfigException, errors.KafkaException),
        (errors.TimeoutException, errors.RetriableException),
    ],
)
def test_errors_are_caught_by(kind: Any, caught_by: Any) -> None:
    assert issubclass(kind, caught_by)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("m",), "m"),
        (("n", "v"), "Invalid value v for configuration n"),
        (("n", None), "Invalid value null for configuration n"),
        (("n", 5, "too big"), "Invalid value 5 for configuration n: too big"),
        (("n", True, ""), "Invalid value true for configuration n: "),
        (("n", [1, 2], None), "Invalid value [1, 2] for configuration n"),
    ],
)
def test_the_error_of_an_entry_says_what_kafkas_says(given: Any, message: str) -> None:
    error = errors.ConfigException(*given)
    assert error.getMessage() == pickle.loads(pickle.dumps(error)).getMessage() == message


def test_the_error_of_an_entry_may_follow_from_another_one() -> None:
    reason = ValueError("no number")
    assert errors.ConfigException("my.size is wrong", reason).getCause() is reason
