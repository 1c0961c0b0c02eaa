"""Errors of workers, encoded into the text that Spark passes to the driver, and decoded there."""

from __future__ import annotations

import base64
import itertools
import json
import linecache
import math
import re
import sys
import traceback
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from msgspec import Meta
from typing_extensions import Required, TypedDict

from millstream.core import errors
from millstream.core.errors import MillstreamError, ProcessorStateException, StreamsException
from millstream.core.processor import TaskId
from millstream.core.typed_json import read_json
from millstream.core.wording import printable
from millstream.topology.spark.clients.rights import not_allowed_in
from millstream.topology.spark.damage import damage_from
from millstream.topology.spark.full_disk import FREE_SPACE, full_disk_from
from millstream.topology.spark.gone_records import gone_records_from
from millstream.topology.spark.grown_topics import grown_topic_from
from millstream.topology.spark.user_frames import user_frames

_MARK = re.compile(r"\[\[millstream:([A-Za-z0-9+/=]+)\]\]")
_PYTHON = "Traceback (most recent call last):"
_STATE_CALLS = "stateful_processor_api_client.py"
_MOST_LINES = 3
_MOST_BYTES = 16 << 20
_MOST_CAUSES = 10
_MOST_BITS = 1024
_MOST_TEXT = 1 << 18
_PARTS = ("problem", "detail", "hint")
_OURS = [each for each in vars(errors).values() if isinstance(each, type)]

E = TypeVar("E", bound=MillstreamError)


class WorkerFailure(Exception):
    """Wraps a worker's error, encoded so that the driver can rebuild it."""

    def __init__(self, error: BaseException) -> None:
        self._facts = _facts(error)
        super().__init__(f"{_sendable(_said(error))}\n[[millstream:{_encoded(self._facts)}]]")


class RemoteError(Exception):
    """Class name and text of a worker's error whose class the driver does not know."""


@contextmanager
def reported() -> Iterator[None]:
    """Raise an error of the block in the form that ``failure_from`` reads.

    ``sys.exit`` in a user's function is an error too, as the worker process belongs to Spark; and
    what else is no ``Exception``, such as a cancelled task of asyncio or a panic of Rust code.
    """
    try:
        yield
    except (WorkerFailure, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001 - it is raised, in another form
        reason = lost_state(error) or error
        # Spark encodes the whole trace after it has told the JVM of one, which waits for it.
        raise WorkerFailure(reason) from _encodable(error)


def lost_state(error: BaseException) -> ProcessorStateException | None:
    """Return the error for a call of Spark's state that the JVM did not answer; None for others.

    The JVM logs the reason itself; Python sees only a closed connection.
    """
    if not isinstance(error, EOFError | ConnectionError):
        return None
    frames = traceback.extract_tb(error.__traceback__)
    if not any(Path(frame.filename).name == _STATE_CALLS for frame in frames):
        return None
    lost = ProcessorStateException(
        "cannot read or write the task's state in Spark",
        detail="Spark's JVM closed the connection; its own error is in the log, before this one.",
        hint="Check whether the checkpoint's disk is full or the JVM ran out of memory, and start "
        "again: processing continues after the last committed batch.",
    )
    lost.__cause__ = error
    return lost


def failure_from(text: str) -> StreamsException:
    """Return the error of a worker, or of Spark itself, from the text of a query's failure.

    Its causes are the causes in the worker, with their own classes where the driver knows them;
    otherwise a ``RemoteError`` with class name and text.
    """
    facts = _facts_in(text)
    if facts is None:
        failure = (
            full_disk_from(text)
            or not_allowed_in(text)
            or gone_records_from(text)
            or grown_topic_from(text)
            or damage_from(text)
            or StreamsException("the Spark query failed", detail=_short(text))
        )
        failure.__cause__ = RemoteError(text) if text else None
        return failure
    failure = _rebuilt_chain(facts.errors)
    if any(full_disk_from(each["text"]) is not None for each in facts.errors):
        failure.hint = FREE_SPACE
    failure.more += tuple(("at", _shown(*frame)) for frame in facts.frames)
    return failure


def trace_from(text: str) -> str:
    """Return the whole trace of the worker, or the text itself if it has none."""
    facts = _facts_in(text)
    return text if facts is None else facts.trace


def _facts(error: BaseException) -> dict[str, Any]:
    chain = _chain(error)
    facts = {
        "errors": [_fields(each) for each in chain],
        "frames": [*user_frames(_raised_by_user(chain))],
        "trace": _trace(error),
    }
    found: dict[str, Any] = _sendable(facts)
    return found


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(type(error), error, error.__traceback__))


def _sendable(facts: Any) -> Any:
    """Return texts, also those within lists and dicts, as UTF-8 can write them, and not too long.

    An error may quote half of a pair of surrogates: a record's, or of a file name in another code.
    """
    if isinstance(facts, str):
        return printable(facts[:_MOST_TEXT])
    if isinstance(facts, list | tuple):
        return [_sendable(each) for each in facts]
    if isinstance(facts, dict):
        return {name: _sendable(each) for name, each in facts.items()}
    return facts


def _encodable(error: BaseException) -> BaseException | None:
    trace = _trace(error)
    return error if printable(trace) == trace else None


def _fields(error: BaseException) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "module": str(type(error).__module__),
        "name": type(error).__qualname__,
        "text": _said(error),
        "args": [arg for arg in error.args if _is_plain(arg)],
        "whole": all(map(_is_plain, error.args)),
    }
    if isinstance(error, MillstreamError):
        fields |= {part: str(getattr(error, part, "")) for part in _PARTS}
        fields["more"] = [[str(label), str(text)] for label, text in error.more]
    if isinstance(error, StreamsException) and isinstance(error.taskId(), TaskId):
        fields["task"] = str(error.taskId())
    return fields


def _is_plain(arg: object) -> bool:
    """Tell whether JSON can carry an argument; no NaN, and no number of thousands of digits."""
    if isinstance(arg, float):
        return math.isfinite(arg)
    if isinstance(arg, int):
        return arg.bit_length() <= _MOST_BITS
    return arg is None or isinstance(arg, str)


def _said(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as problem:  # noqa: BLE001 - a user's class may raise anything
        return f"(its text cannot be read: {type(problem).__name__})"


def _chain(error: BaseException) -> list[BaseException]:
    """Return an error, its cause, the cause of that, and so on."""
    found: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and len(found) <= _MOST_CAUSES:
        if any(each is following for each in found):
            break
        found.append(following)
        following = following.__cause__
    return found


def _raised_by_user(chain: list[BaseException]) -> BaseException:
    """Return the first error outside millstream, else the last one: it has the user's lines."""
    return next((each for each in chain if not isinstance(each, MillstreamError)), chain[-1])


def _encoded(facts: Mapping[str, Any]) -> str:
    return base64.b64encode(zlib.compress(json.dumps(facts).encode())).decode()


class _Error(TypedDict, total=False):
    module: Required[str]
    name: Required[str]
    text: Required[str]
    args: Required[list[Any]]
    whole: Required[bool]
    problem: str
    detail: str
    hint: str
    more: list[tuple[str, str]]
    task: str


@dataclass(frozen=True, slots=True)
class _Facts:
    """What a worker tells of an error."""

    errors: Annotated[list[_Error], Meta(min_length=1)]
    frames: list[tuple[str, int, str, str]]
    trace: str


def _facts_in(text: str) -> _Facts | None:
    """Return what a worker has told of its error; None if there is nothing.

    An error of a user's function may quote a record, which may have anything in it: what was added
    last is the worker's own.
    """
    for encoded in reversed(_MARK.findall(text)):
        with suppress(ValueError, zlib.error):
            return read_json(_unpacked(base64.b64decode(encoded)), _Facts)
    return None


def _unpacked(data: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    found = unpacker.decompress(data, _MOST_BYTES)
    if not unpacker.eof:
        raise ValueError("it is too large")
    return found


def _rebuilt_chain(fields: Sequence[_Error]) -> StreamsException:
    """Return the errors of a chain, each the cause of the one before; the first is ours."""
    chain = [_rebuilt_error(each) for each in fields]
    first = chain[0]
    if type(first) not in _OURS or not isinstance(first, StreamsException):
        said = fields[0].get("problem") or f"{fields[0]['name']}: {fields[0]['text']}"
        chain.insert(0, _with_parts(StreamsException(), {**fields[0], "problem": said}))
    for above, below in itertools.pairwise(chain):
        above.__cause__ = below
    made = chain[0]
    assert isinstance(made, StreamsException)
    return made


def _rebuilt_error(fields: Mapping[str, Any]) -> BaseException:
    found: Any = sys.modules.get(fields["module"])
    for part in fields["name"].split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type) or found.__module__ != fields["module"]:
        found = None
    if found in _OURS:
        ours: MillstreamError = found()
        return _with_parts(ours, fields)
    # A user's class may raise anything.
    with suppress(Exception):
        if found is not None and issubclass(found, Exception) and fields["whole"]:
            # Not by its constructor, which may need any arguments.
            error = found.__new__(found, *fields["args"])
            if isinstance(error, MillstreamError):
                MillstreamError.__init__(error)
                _with_parts(error, fields)
            error.args = tuple(fields["args"])
            if isinstance(error, Exception) and str(error) == fields["text"]:
                return error
    return RemoteError(f"{fields['name']}: {fields['text']}")


def _with_parts(error: E, fields: Mapping[str, Any]) -> E:
    # Some constructors add words to the problem; this text already has them.
    error.problem, error.detail, error.hint = (fields.get(part, "") for part in _PARTS)
    error.args = (error.problem,)
    error.more = tuple((label, text) for label, text in fields.get("more", ()))
    if isinstance(error, StreamsException):
        error.setTaskId(TaskId.parse(fields["task"]) if fields.get("task") else None)
    return error


def _shown(file: str, line: int, function: str, source: str) -> str:
    text = source
    # The name of a file may be any text.
    with suppress(ValueError):
        text = linecache.getline(file, line).strip() or source
    return f"{file}:{line} in {function}" + (f": {text}" if text else "")


def _short(text: str) -> str:
    """Return the lines of Spark's text without stack traces."""
    if _PYTHON in text:
        lines = text[text.rindex(_PYTHON) :].splitlines()[1:]
        said = [line for line in lines if line and not line.startswith((" ", "\t"))]
        return said[0] if said else text.splitlines()[0]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "\n".join(
        [line for line in lines if not line.startswith(("at ", "==", "..."))][:_MOST_LINES]
    )
