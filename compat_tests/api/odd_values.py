"""Values that Java's compiler would refuse, by the type of the parameter that gets them."""

from __future__ import annotations

import datetime as dt
import enum
import warnings
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np

from compat_tests.api.expressions import names
from compat_tests.api.generate import Steps, groups
from compat_tests.api.names import python_class, python_name
from compat_tests.api.replay import Replay
from compat_tests.api.surface import Form, kinds

NAN = float("nan")


class Word(str):
    """A kind of text."""


class Letter(str, enum.Enum):
    K = "k"


class Number(enum.IntEnum):
    ONE = 1


class Thing(enum.Enum):
    K = "k"


class Count(int):
    """A kind of integer."""


ANY: tuple[Any, ...] = (5, "x", object(), True, b"x", 1.5, [], {}, str, lambda: None)
WHOLE: tuple[Any, ...] = (
    *(True, 1.5, NAN, float("inf"), "5", 2**63, -(2**63) - 1, np.float64(2.0), np.bool_(True)),
    *(Decimal(3), object(), dt.timedelta(seconds=1), b"3", [3]),
)
ODD: dict[str, tuple[Any, ...]] = {
    "String": (5, b"x", True, Thing.K, object(), ["x"], 1.5, str),
    "boolean": (0, 1, "true", 1.0, np.bool_(True), object()),
    "int": (*WHOLE, 2**31, -(2**31) - 1, None),
    "Integer": (*WHOLE, 2**31, -(2**31) - 1),
    "long": WHOLE,
    "Long": WHOLE,
    "Duration": (True, 1.5, NAN, "5", 2**63, -(2**63) - 1, Decimal(3), object(), [3], dt.time(1)),
    "Instant": (NAN, 2**63, object(), dt.date(2020, 1, 1)),
}
EQUAL: dict[str, tuple[tuple[Any, Any], ...]] = {
    "String": ((Word("k"), "k"), (Letter.K, "k"), (np.str_("k"), "k")),
    "int": ((Number.ONE, 1), (Count(3), 3)),
    "Integer": ((Number.ONE, 1), (Count(3), 3)),
    "long": ((Number.ONE, 1), (Count(3), 3), (2**63 - 1, 2**63 - 1)),
    "Duration": (
        (Number.ONE, 1),
        (dt.timedelta(microseconds=1), 0),
        (dt.timedelta(microseconds=-1), 0),
        (dt.timedelta(microseconds=1999), 1),
    ),
}
"""Values of a kind of the type, and the plain one that means the same."""


def odd_values(kind: str) -> tuple[Any, ...]:
    return ODD.get(kind, ANY)


def usual_calls() -> Iterator[tuple[Form, Steps]]:
    """Yield each form of the API that there is here, and the steps of its usual call."""
    forms = {str(form): form for kind in kinds().values() for form in kind.forms}
    for calls in groups().values():
        for name, steps in calls.items():
            form = forms.get(name.removesuffix(" / usual"))
            if form is not None and form.parameters and _is_here(form):
                yield form, steps


def _is_here(form: Form) -> bool:
    owner = python_class(form.owner)
    return owner is not None and (form.name == "<init>" or hasattr(owner, python_name(form.name)))


def called_with(form: Form, steps: Steps, position: int, value: Any) -> Any:
    """Call a form as usual, but for one argument."""
    replay = Replay()
    try:
        for step, expression in steps.items():
            if step == "result":
                break
            replay.known[step] = replay.value(expression)
        node = steps["result"]
        arguments = [replay.value(each) for each in node["args"]]
        last = arguments[-1]
        arguments[position] = value
        if str(form).endswith("...)") and arguments[-1] is last:
            arguments[-1:] = last
        target = replay.value(node["on"]) if "on" in node else python_class(form.owner)
        function = target if form.name == "<init>" else getattr(target, python_name(form.name))
    except Exception as error:
        replay.close()
        raise NotCalled from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            return function(*arguments)
    finally:
        replay.close()


class NotCalled(Exception):
    """What the call needs is not there."""


__all__ = ["EQUAL", "NotCalled", "called_with", "names", "odd_values", "usual_calls"]
