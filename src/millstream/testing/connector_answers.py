"""A look at what a connector answers to ``replay``: wrong records would look like wrong results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, SupportsIndex, TypeVar

from millstream.core.chunk import RawChunk
from millstream.core.errors import ClassCastException, MillstreamError, PluginError
from millstream.core.headers import Headers
from millstream.core.wording import a_kind, said
from millstream.plugins.connectors import Connector
from millstream.plugins.kinds import CONNECTORS
from millstream.plugins.registry import find

T = TypeVar("T")

_COLUMNS = ("offsets", "timestamps", "keys", "values", "headers")
_BYTES = (bytes, bytearray, memoryview, type(None))


def opened_connector(name: str, location: str, options: Mapping[str, Any]) -> Connector:
    """Return an installed plugin's connector.

    Raises:
        PluginError: There is none of that name, or it cannot be opened.
    """
    offered = find(CONNECTORS, name)
    made: Any = called(name, "open", lambda: offered.open(location, options))
    if not isinstance(made, Connector):
        raise PluginError(
            f'the open() of connector "{name}" returned {a_kind(made)}, which is no connector',
            hint="Return an instance of a class derived from Connector.",
        )
    return made


def topics_of(connector: Connector) -> list[str]:
    """Return the topics, each once, sorted."""
    found: Any = called(connector.name, "topics", connector.topics)
    if isinstance(found, str | bytes) or not isinstance(found, Iterable):
        raise _refusal(connector, "topics", a_kind(found), "a set of names")
    names = set(found)
    for name in names:
        if not isinstance(name, str):
            raise _refusal(connector, "topics", f"{a_kind(name)} as a name", "a set of texts")
    return sorted(names)


def chunks_of(connector: Connector, topic: str) -> Iterator[RawChunk]:
    """Yield the chunks of a topic."""
    found: Any = called(connector.name, "read", lambda: connector.read(topic))
    if not isinstance(found, Iterable):
        raise _refusal(connector, "read", a_kind(found), "an iterator of RawChunk")
    chunks = iter(found)
    while (chunk := called(connector.name, "read", lambda: next(chunks, None))) is not None:
        _check(connector, chunk)
        yield chunk


def called(name: str, method: str, call: Callable[[], T]) -> T:
    """Call a connector's method.

    Raises:
        PluginError: It raised; millstream's own errors go through.
    """
    try:
        return call()
    except MillstreamError:
        raise
    except Exception as error:
        raise PluginError(
            f'connector "{name}" failed in {method}()',
            detail=said(error),
            hint="Run the tests of millstream.testing.kit.ConnectorTests for it.",
        ) from error


def _check(connector: Connector, chunk: Any) -> None:
    if not isinstance(chunk, RawChunk):
        raise _refusal(connector, "read", f"{a_kind(chunk)} as a chunk", "RawChunk objects")
    columns = {name: getattr(chunk, name) for name in _COLUMNS}
    lengths = {name: len(column) for name, column in columns.items() if column is not None}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{length} {name}" for name, length in lengths.items())
        raise _refusal(connector, "read", f"a chunk of {shown}", "columns of the same length")
    for row in range(len(chunk)):
        time, headers = chunk.timestamps[row], None if chunk.headers is None else chunk.headers[row]
        for role, given, kinds, wanted in (
            ("timestamp", time, SupportsIndex, "milliseconds"),
            ("key", chunk.keys[row], _BYTES, "bytes, or None"),
            ("value", chunk.values[row], _BYTES, "bytes, or None"),
            ("header", headers, (Headers, type(None)), "Headers, or None"),
        ):
            if not isinstance(given, kinds):
                raise _refusal(connector, "read", f"{a_kind(given)} as a {role}", wanted)


def _refusal(connector: Connector, method: str, found: str, wanted: str) -> ClassCastException:
    kind = type(connector)
    return ClassCastException(
        f'{method}() of connector "{connector.name}" returned {found}',
        detail=f"The class is {kind.__module__}.{kind.__qualname__}.",
        hint=f"Return {wanted}.",
    )
