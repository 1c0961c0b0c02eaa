"""Every call of the API that Kafka Streams was asked to make answers here as it did there."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from compat_tests.api.differ import excused, pending
from compat_tests.api.generate import Steps, groups
from compat_tests.api.golden import answers, digest
from compat_tests.api.names import python_class
from compat_tests.api.replay import Replay, Unknown, differences

CALLS = groups()
FORMS = sorted(
    {
        (owner, name.partition(" / ")[0].partition(" on ")[0])
        for owner, calls in CALLS.items()
        for name in calls
        if python_class(owner) is not None and name != "equality"
    }
)


@pytest.mark.parametrize("owner", CALLS)
def test_the_answers_belong_to_the_calls(owner: str) -> None:
    assert answers(owner)["digest"] == digest(CALLS[owner])


@pytest.mark.parametrize(("owner", "form"), FORMS, ids=[form for _, form in FORMS])
@pytest.mark.parametrize("way", ["callable", "object"])
def test_a_call_answers_as_in_kafka(owner: str, form: str, way: str) -> None:
    found = [
        difference
        for name in calls_of(owner, form)
        if name not in pending()
        for difference in unexcused(owner, name, way == "object")
    ]
    assert found == []


@pytest.mark.parametrize("name", sorted(pending()))
def test_a_call_that_is_pending_answers_otherwise(name: str) -> None:
    form = name.partition(" / ")[0].partition(" on ")[0]
    owner = next(owner for owner, each in FORMS if each == form and name in CALLS[owner])
    assert unexcused(owner, name, False) or unexcused(owner, name, True), (
        "it answers as in Kafka: take it out of pending.json"
    )


@pytest.mark.parametrize(
    "owner", [o for o, calls in CALLS.items() if "equality" in calls and python_class(o)]
)
def test_values_are_equal_as_in_kafka(owner: str) -> None:
    steps = CALLS[owner]["equality"]
    expected = answers(owner)["calls"]["equality"]
    replay = Replay()
    values = {}
    for step, expression in steps.items():
        try:
            replay.known[step] = replay.value(expression)
        except Exception:  # noqa: BLE001, S112 - such a call has a test of its own
            continue
        if step in expected:
            values[step] = replay.known[step]
    heads: list[str] = []
    for step, value in values.items():
        head = next((each for each in heads if values[each] == value), step)
        # Java compares what is inside by identity, or fails for null; here by content.
        same = repr(values[head]) == repr(value) or owner == "kstream.Consumed"
        by_content = head != step and same
        if expected[step] in values and not by_content:
            assert head == expected[step], (values[expected[step]], value)
        if head == step:
            heads.append(step)
        elif expected.get(f"{step} hashes") == "equal":
            assert hash(value) == hash(values[head])
    replay.close()


def calls_of(owner: str, form: str) -> list[str]:
    return [name for name in CALLS[owner] if name.partition(" / ")[0].partition(" on ")[0] == form]


def unexcused(owner: str, name: str, as_object: bool) -> list[str]:
    expected = answers(owner)["calls"][name]
    found = compare(CALLS[owner][name], expected, name, as_object)
    return [difference for difference in found if not excused(difference)]


def compare(steps: Steps, expected: dict[str, Any], name: str, as_object: bool) -> list[str]:
    replay = Replay(as_object=as_object)
    found: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for step, expression in steps.items():
            actual: Any
            try:
                actual = replay.known[step] = replay.value(expression)
            except Unknown as unknown:
                actual = f"needs {unknown}"
            except Exception as error:  # noqa: BLE001 - compared
                actual = error
            if step in expected:
                found += differences(expected[step], actual, f"{name} {step}")
            elif isinstance(actual, Exception):
                found.append(f"{name} {step}: raises {actual!r}, in Kafka not")
    replay.close()
    return found
