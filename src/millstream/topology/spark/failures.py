"""Errors on their way from a worker to the driver, of which Spark carries only the text."""

from __future__ import annotations

import base64
import json
import linecache
import re
import sys
import traceback
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from millstream.core import errors
from millstream.core.errors import MillstreamError, StreamsException
from millstream.topology.spark.damage import damage_from
from millstream.topology.spark.user_frames import user_frames

_MARK = re.compile(r"\[\[millstream:([A-Za-z0-9+/=]+)\]\]")
_PYTHON = "Traceback (most recent call last):"
_MOST_LINES = 3


class WorkerFailure(Exception):
    """Wraps a worker's error with what the driver needs to make it again."""

    def __init__(self, error: BaseException) -> None:
        self._facts = _facts(error)
        super().__init__(f"{error}\n[[millstream:{_encoded(self._facts)}]]")


class RemoteError(Exception):
    """Stands for an error of a worker whose class is not known here, with its class and text."""


@contextmanager
def reported() -> Iterator[None]:
    """Let an error leave the worker so that ``failure_from`` can read it."""
    try:
        yield
    except WorkerFailure:
        raise
    except Exception as error:
        raise WorkerFailure(error) from error


def failure_from(text: str) -> StreamsException:
    """Return the error of a worker, or of Spark itself, from the text of a query's failure.

    Its cause is the user's own error, as far as there is one and its class is known here.
    """
    found = _MARK.search(text)
    if found is None:
        failure = damage_from(text) or StreamsException(
            "the Spark query failed", detail=_short(text)
        )
        failure.__cause__ = RemoteError(text) if text else None
        return failure
    facts = json.loads(zlib.decompress(base64.b64decode(found[1])))
    failure = _made_again(facts)
    failure.more = tuple(("at", _shown(*frame)) for frame in facts["frames"])
    return failure


def trace_from(text: str) -> str:
    """Return the whole trace of the worker, or the text itself if it has none."""
    found = _MARK.search(text)
    if found is None:
        return text
    trace: str = json.loads(zlib.decompress(base64.b64decode(found[1])))["trace"]
    return trace


def _facts(error: BaseException) -> dict[str, Any]:
    root = _root(error)
    facts: dict[str, Any] = {
        "class": type(error).__name__,
        "text": str(error),
        "frames": [*user_frames(root)],
        "trace": "".join(traceback.format_exception(type(error), error, error.__traceback__)),
    }
    if root is not error:
        facts["cause"] = {
            "module": type(root).__module__,
            "name": type(root).__qualname__,
            "text": str(root),
            "args": [arg for arg in root.args if isinstance(arg, str | int | float | bool)],
            "whole": all(isinstance(arg, str | int | float | bool) for arg in root.args),
        }
    if isinstance(error, MillstreamError):
        facts |= {"problem": error.problem, "detail": error.detail, "hint": error.hint}
    return facts


def _root(error: BaseException) -> BaseException:
    """Return the error that is not ours, or else the first one."""
    seen = {id(error)}
    while (
        isinstance(error, MillstreamError)
        and error.__cause__ is not None
        and id(error.__cause__) not in seen
    ):
        error = error.__cause__
        seen.add(id(error))
    return error


def _encoded(facts: Mapping[str, Any]) -> str:
    return base64.b64encode(zlib.compress(json.dumps(facts).encode())).decode()


def _made_again(facts: Mapping[str, Any]) -> StreamsException:
    known = getattr(errors, facts["class"], None)
    if not (isinstance(known, type) and issubclass(known, MillstreamError)):
        failure = StreamsException(f"{facts['class']}: {facts['text']}")
        failure.__cause__ = _cause(facts)
        return failure
    texts = {"detail": facts["detail"], "hint": facts["hint"]}
    if issubclass(known, StreamsException):
        failure = known(facts["problem"], **texts)
        failure.__cause__ = _cause(facts)
        return failure
    failure = StreamsException(facts["problem"], **texts)
    failure.__cause__ = known(facts["problem"], **texts)
    return failure


def _cause(facts: Mapping[str, Any]) -> BaseException | None:
    cause = facts.get("cause")
    if cause is None:
        return None
    found: Any = sys.modules.get(cause["module"])
    for part in cause["name"].split("."):
        found = getattr(found, part, None)
    # A user's class may do anything.
    with suppress(Exception):
        if isinstance(found, type) and issubclass(found, Exception) and cause["whole"]:
            # Not by its constructor, which may ask for anything.
            error = found.__new__(found, *cause["args"])
            error.args = tuple(cause["args"])
            if str(error) == cause["text"]:
                return error
    return RemoteError(f"{cause['name']}: {cause['text']}")


def _shown(file: str, line: int, function: str, source: str) -> str:
    text = linecache.getline(file, line).strip() or source
    return f"{file}:{line} in {function}" + (f": {text}" if text else "")


def _short(text: str) -> str:
    """Return the lines of Spark's text that say what happened, without traces."""
    if _PYTHON in text:
        lines = text[text.rindex(_PYTHON) :].splitlines()[1:]
        said = [line for line in lines if line and not line.startswith((" ", "\t"))]
        return said[0] if said else text.splitlines()[0]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "\n".join(
        [line for line in lines if not line.startswith(("at ", "==", "..."))][:_MOST_LINES]
    )
