"""Errors of broken promises, and a way to run the kit without a test runner."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


class BrokenPromise(AssertionError):
    """A plugin breaks the contract of its kind."""


def promise(kept: object, text: str, *facts: object) -> None:
    """Raise unless a promise was kept.

    Args:
        kept: Whether the promise was kept.
        text: The promise, as a sentence in the present tense.
        facts: Observations, shown after the text.

    Raises:
        BrokenPromise: The promise was not kept.
    """
    if not kept:
        seen = "".join(f"\n  {fact}" for fact in facts)
        raise BrokenPromise(f"broken promise: {text}{seen}")


@contextmanager
def keeping(text: str) -> Iterator[None]:
    """Turn any error of a ``with`` block into a broken promise."""
    try:
        yield
    except BrokenPromise:
        raise
    except Exception as error:
        raise BrokenPromise(f"broken promise: {text}\n  {error!r}") from error


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of one test of a suite."""

    test: str
    error: BaseException | None = None

    @property
    def passed(self) -> bool:
        """Whether the test raised nothing."""
        return self.error is None

    def message(self) -> str:
        """Return the failure: the text of a broken promise, else the error and its place."""
        if self.error is None:
            return ""
        for error in (self.error, self.error.__cause__):
            if isinstance(error, BrokenPromise):
                return str(error)
        place = traceback.extract_tb(self.error.__traceback__)[-1]
        return f"{type(self.error).__name__}: {self.error} ({place.filename}:{place.lineno})"


def test_names(suite: type[Any]) -> list[str]:
    """Return the names of a suite's tests, in their order in the source."""
    found: dict[str, None] = {}
    for cls in reversed(suite.__mro__):
        found.update((name, None) for name in vars(cls) if name.startswith("test_"))
    return list(found)


test_names.__test__ = False  # type: ignore[attr-defined]  # pytest would collect it as a test


def run_suite(suite: type[Any], only: Iterable[str] | None = None) -> Iterator[Outcome]:
    """Run the tests of a suite one after the other; yield their results.

    Args:
        suite: A class whose ``test_`` methods have no parameters.
        only: Names of the tests to run; all of them by default.
    """
    for name in test_names(suite) if only is None else only:
        try:
            getattr(suite(), name)()
        except Exception as error:  # noqa: BLE001 - any error of a plugin is a result
            yield Outcome(name, error)
        else:
            yield Outcome(name)
