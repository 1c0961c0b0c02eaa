"""Size of a run of the tests: ``MILLSTREAM_TESTS`` is ``light``, ``long``, or not set.

``make check`` runs the light form, ``make test`` the usual one. Tests that repeat at length what
quicker ones show are marked ``long`` and run only with ``long``: ``tox run -e long``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypeVar

import pytest

T = TypeVar("T")

FORM = os.environ.get("MILLSTREAM_TESTS", "")
LIGHT, LONG = FORM == "light", FORM == "long"
DEEP = os.environ.get("MILLSTREAM_HYPOTHESIS") == "deep"
"""Whether Hypothesis searches at random, where it tries the same examples each time otherwise."""

STRIDE = 4
KILLS = int(os.environ.get("MILLSTREAM_KILLS", "1"))
"""How often a program is killed at random moments; ``tox run -e kills`` sets it to 20."""


def some(cases: Sequence[T]) -> Sequence[T]:
    """Return all cases, or every fourth one in the light form."""
    return cases[::STRIDE] if LIGHT else cases


def witnesses(cases: Sequence[Any], stride: int) -> list[Any]:
    """Return parameters of a test of which every ``stride``-th runs always; the rest is long."""
    return [
        pytest.param(case, marks=[pytest.mark.long] if number % stride else [])
        for number, case in enumerate(cases)
    ]
