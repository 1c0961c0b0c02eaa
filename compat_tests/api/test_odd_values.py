"""No call of the API ends in an error of Python's own, and none takes what Java would refuse."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api.generate import Steps
from compat_tests.api.odd_values import EQUAL, NotCalled, called_with, odd_values, usual_calls
from compat_tests.api.surface import Form
from millstream import MillstreamError, Windowed

CALLS = list(usual_calls())
OWNERS = sorted({form.owner for form, _ in CALLS})
VALUES = {
    *("AutoOffsetReset", "CloseOptions", "KeyQueryMetadata", "StoreQueryParameters"),
    *("kstream.EmitStrategy.StrategyType", "kstream.Grouped", "kstream.Joined"),
    *("kstream.JoinWindows", "kstream.Named", "kstream.SessionWindows", "kstream.SlidingWindows"),
    *("kstream.StreamJoined", "kstream.Suppressed", "kstream.Suppressed.BufferConfig"),
    *("kstream.TimeWindows", "kstream.UnlimitedWindows", "processor.TaskId", "processor.To"),
    *("processor.api.InternalFixedKeyRecordFactory", "processor.api.FixedKeyRecord"),
    *("processor.api.Record", "processor.assignment.ProcessId", "query.KeyQuery"),
    *("processor.assignment.KafkaStreamsAssignment.AssignedTask", "query.Position"),
    *("processor.assignment.KafkaStreamsAssignment", "query.PositionBound", "query.QueryConfig"),
    *(
        "query.QueryResult",
        "query.RangeQuery",
        "query.StateQueryRequest",
        "query.VersionedKeyQuery",
    ),
    *("query.StateQueryRequest.InStore", "query.StateQueryResult", "query.WindowKeyQuery"),
    *("query.WindowRangeQuery", "query.MultiVersionedKeyQuery", "query.TimestampedKeyQuery"),
    *("query.TimestampedRangeQuery", "state.DslKeyValueParams", "state.DslSessionParams"),
    *("state.DslWindowParams", "state.HostInfo", "state.ValueAndTimestamp", "state.Stores"),
    *("state.ValueTimestampHeaders", "state.VersionedRecord", "state.AggregationWithHeaders"),
    *("kstream.Repartitioned", "kstream.Produced", "kstream.Consumed", "kstream.Materialized"),
}
"""The classes of values and options."""
MEANT: dict[str, dict[str, Any]] = {
    # Any number is an event time: time.time() * 1000 is a float.
    **dict.fromkeys(
        [
            *("processor.api.Record", "processor.api.FixedKeyRecord", "state.ValueAndTimestamp"),
            "state.ValueTimestampHeaders",
        ],
        {"timestamp": (1.5, 2.0)},
    ),
    # As the method's other forms.
    "state.DslKeyValueParams": {"dslStoreFormat": (True,)},
    "state.DslWindowParams": {"dslStoreFormat": (True,)},
    "kstream.Materialized": {
        **dict.fromkeys(("storeSuppliers", "supplier"), ("x",)),
        "config": ([], {}),
    },
    "kstream.StreamJoined": {"config": ([], {})},
    "kstream.Suppressed.BufferConfig": {"config": ([], {})},
    # No element is there to be wrong.
    "KeyQueryMetadata": {"standbyHosts": ([], {})},
    "query.StateQueryRequest": {"partitions": ([], {}, b"x")},
    "processor.assignment.KafkaStreamsAssignment": {"assignment": ([], {})},
    "query.Position": {"map": ({},)},
    # Whatever a store or a query of one's own is.
    "query.QueryResult": {"query": ..., "store": ...},
    # A class can be called, and is: what comes of it is looked at then.
    "kstream.Consumed": {"timestampExtractor": (str,)},
    "kstream.Produced": {"partitioner": (str,)},
    "kstream.Repartitioned": {"partitioner": (str,), "numberOfPartitions": (None,)},
}
"""By class and parameter: odd values that are taken on purpose; ... for any."""
PER_RECORD = "onInvalidTimestamp"
"""A method that is called for each record, by the engine."""


@pytest.mark.parametrize("owner", OWNERS)
def test_no_odd_argument_ends_in_an_error_of_pythons_own(owner: str) -> None:
    raw = []
    for form, steps, position in _arguments(owner):
        kind, name = _parameter(form, position)
        for value in odd_values(kind):
            try:
                called_with(form, steps, position, value)
            except (MillstreamError, NotCalled):
                continue
            except Exception as error:  # noqa: BLE001 - what is looked for
                raw.append(f"{form} with {name}={value!r} raises {error!r}")
    assert raw == []


@pytest.mark.parametrize("owner", sorted(VALUES))
def test_a_value_takes_what_java_takes_and_refuses_the_rest_with_a_hint(owner: str) -> None:
    wrong = []
    for form, steps, position in _arguments(owner):
        kind, name = _parameter(form, position)
        meant = MEANT.get(owner, {}).get(name, ())
        for value in odd_values(kind):
            if meant is ... or any(value is each or value == each for each in meant):
                continue
            try:
                result = called_with(form, steps, position, value)
            except NotCalled:
                continue
            except MillstreamError as error:
                if not (error.hint or error.detail or name in str(error)):
                    wrong.append(f"{form} with {name}={value!r} says only {error}")
                continue
            wrong.append(f"{form} takes {name}={value!r}: {result!r}")
    assert wrong == []


@pytest.mark.parametrize("owner", sorted(VALUES))
def test_a_kind_of_text_or_of_number_means_its_value(owner: str) -> None:
    for form, steps, position in _arguments(owner):
        for value, plain in EQUAL.get(_parameter(form, position)[0], ()):
            try:
                found, same = (called_with(form, steps, position, v) for v in (value, plain))
            except (MillstreamError, NotCalled):
                continue
            assert " object at 0x" in str(same) or str(found) == str(same)


def test_the_key_of_a_window_that_is_not_there_has_a_hash() -> None:
    nothing: object = None
    assert hash(Windowed("a", nothing)) == hash(Windowed("a", nothing))  # type: ignore[arg-type]


def _parameter(form: Form, position: int) -> tuple[str, str]:
    assert form.parameters is not None
    return form.parameters[position]


def _arguments(owner: str) -> list[tuple[Form, Steps, int]]:
    return [
        (form, steps, position)
        for form, steps in CALLS
        if form.owner == owner and form.name != PER_RECORD
        for position, (kind, _) in enumerate(form.parameters or ())
        if kind not in ("Object", "K", "V")
    ]
