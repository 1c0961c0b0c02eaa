"""Errors on their way from a worker to the driver, of which Spark carries only the text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

from millstream.core import errors
from millstream.core.errors import MillstreamError, StreamsException

_MARK = re.compile(r"\[\[millstream:(\{.*?\})\]\]")


class WorkerFailure(Exception):
    """Wraps a worker's error with what the driver needs to make it again."""

    def __init__(self, error: BaseException) -> None:
        facts = {"class": type(error).__name__, "text": str(error)}
        if isinstance(error, MillstreamError):
            facts |= {"problem": error.problem, "detail": error.detail, "hint": error.hint}
        super().__init__(f"{error}\n[[millstream:{json.dumps(facts)}]]")


@contextmanager
def reported() -> Iterator[None]:
    """Let an error leave the worker so that ``failure_from`` can read it."""
    try:
        yield
    except Exception as error:
        raise WorkerFailure(error) from error


def failure_from(text: str) -> StreamsException:
    """Return the error of a worker, or of Spark itself, from the text of a query's failure."""
    found = _MARK.search(text)
    if found is None:
        return StreamsException("the Spark query failed", detail=_first_lines(text))
    facts = json.loads(found[1])
    known = getattr(errors, facts["class"], None)
    if not (isinstance(known, type) and issubclass(known, MillstreamError)):
        return StreamsException(f"{facts['class']}: {facts['text']}")
    if issubclass(known, StreamsException):
        return known(facts["problem"], detail=facts["detail"], hint=facts["hint"])
    wrapped = StreamsException(facts["problem"], detail=facts["detail"], hint=facts["hint"])
    wrapped.__cause__ = known(facts["problem"], detail=facts["detail"], hint=facts["hint"])
    return wrapped


def _first_lines(text: str, limit: int = 20) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return "\n".join(lines[:limit])
