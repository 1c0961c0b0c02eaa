"""Errors of broken promises, and a way to run the kit without a test runner."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


class BrokenPromise(AssertionError):
    """Something does not do what the contract of its kind says."""


def promise(kept: object, text: str, *facts: object) -> None:
    """Raise unless a promise was kept.

    Args:
        kept: True if it was.
        text: The promise, as a sentence in the present tense.
        facts: What was seen, to be shown after it.

    Raises:
        BrokenPromise: It was not.
    """
    if not kept:
        seen = "".join(f"\n  {fact}" for fact in facts)
        raise BrokenPromise(f"broken promise: {text}{seen}")


@contextmanager
def keeping(text: str) -> Iterator[None]:
    """Take any error within a ``with`` block for a broken promise."""
    try:
        yield
    except BrokenPromise:
        raise
    except Exception as error:
        raise BrokenPromise(f"broken promise: {text}\n  {error!r}") from error


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one test of a suite."""

    test: str
    error: BaseException | None = None

    @property
    def passed(self) -> bool:
        """True if nothing was raised."""
        return self.error is None

    def message(self) -> str:
        """Return what went wrong: a broken promise in its own words, else the error and place."""
        if self.error is None:
            return ""
        if isinstance(self.error, BrokenPromise):
            return str(self.error)
        place = traceback.extract_tb(self.error.__traceback__)[-1]
        return f"{type(self.error).__name__}: {self.error} ({place.filename}:{place.lineno})"


def test_names(suite: type[Any]) -> list[str]:
    """Return the names of a suite's tests, in the order in which they are written."""
    found: dict[str, None] = {}
    for cls in reversed(suite.__mro__):
        found.update((name, None) for name in vars(cls) if name.startswith("test_"))
    return list(found)


test_names.__test__ = False  # type: ignore[attr-defined]  # pytest takes it for a test


def run_suite(suite: type[Any], only: Iterable[str] | None = None) -> Iterator[Outcome]:
    """Run the tests of a suite one after the other; yield what became of each.

    Args:
        suite: A class whose ``test_`` methods take nothing.
        only: Names of the tests to run; all of them by default.
    """
    for name in test_names(suite) if only is None else only:
        try:
            getattr(suite(), name)()
        except Exception as error:  # noqa: BLE001 - whatever a plugin raises is an outcome
            yield Outcome(name, error)
        else:
            yield Outcome(name)
