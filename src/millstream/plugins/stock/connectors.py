"""Connectors: a dictionary of topics in memory, and a folder of JSON lines."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from typing_extensions import Self

from millstream.core.chunk import RawChunk
from millstream.core.errors import IllegalArgumentException
from millstream.core.headers import Header, Headers
from millstream.plugins.connectors import Connector

CHUNK_RECORDS = 1_000
_SUFFIX = ".jsonl"


class MemoryConnector(Connector):
    """Topics in this object; the location is ignored."""

    name = "memory"

    def __init__(self) -> None:
        self._topics: dict[str, list[RawChunk]] = {}

    @classmethod
    def open(cls, location: str, options: Mapping[str, Any]) -> Self:
        """Return a connector without topics."""
        return cls()

    def topics(self) -> set[str]:
        return set(self._topics)

    def read(self, topic: str) -> Iterator[RawChunk]:
        return iter(list(self._topics.get(topic, ())))

    def write(self, chunk: RawChunk) -> None:
        self._topics.setdefault(chunk.topic, []).append(chunk)


class FilesConnector(Connector):
    """A folder with a file of JSON lines for each topic, ``TOPIC.jsonl``.

    A line has ``key``, ``value`` and ``timestamp`` (epoch milliseconds), and ``headers`` as pairs
    if there are any. Keys and values are texts, ``{"base64": ...}`` if the bytes are not UTF-8, or
    null. Offsets are line numbers.
    """

    name = "files"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def open(cls, location: str, options: Mapping[str, Any]) -> Self:
        """Open a folder; create it if it does not exist."""
        folder = Path(location)
        folder.mkdir(parents=True, exist_ok=True)
        return cls(folder)

    def topics(self) -> set[str]:
        """Return the names of the files."""
        return {path.name.removesuffix(_SUFFIX) for path in self._folder.glob(f"*{_SUFFIX}")}

    def read(self, topic: str) -> Iterator[RawChunk]:
        """Yield the lines of a topic's file, a thousand at a time.

        Raises:
            IllegalArgumentException: A line is not as described.
        """
        path = self._folder / f"{topic}{_SUFFIX}"
        if path.exists():
            with path.open(encoding="utf-8") as lines:
                yield from _chunks(topic, path, lines)

    def write(self, chunk: RawChunk) -> None:
        """Append lines to the topic's file."""
        headers = chunk.headers or [None] * len(chunk.keys)
        rows = zip(chunk.keys, chunk.values, chunk.timestamps, headers, strict=True)
        with (self._folder / f"{chunk.topic}{_SUFFIX}").open("a", encoding="utf-8") as file:
            for row in rows:
                file.write(json.dumps(_line(*row), ensure_ascii=False) + "\n")


def _chunks(topic: str, path: Path, lines: TextIO) -> Iterator[RawChunk]:
    rows: list[dict[str, Any]] = []
    first = 0
    for number, line in enumerate(lines):
        try:
            rows.append(_row(json.loads(line)))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise IllegalArgumentException(
                f'cannot read line {number + 1} of "{path}"',
                detail=f"{type(error).__name__}: {error}.",
                hint='Write {"key": ..., "value": ..., "timestamp": ...}.',
            ) from error
        if len(rows) == CHUNK_RECORDS:
            yield _chunk(topic, first, rows)
            first, rows = number + 1, []
    if rows:
        yield _chunk(topic, first, rows)


def _chunk(topic: str, first: int, rows: list[dict[str, Any]]) -> RawChunk:
    headers = [row["headers"] for row in rows]
    return RawChunk(
        topic,
        0,
        list(range(first, first + len(rows))),
        [row["timestamp"] for row in rows],
        [row["key"] for row in rows],
        [row["value"] for row in rows],
        headers if any(headers) else None,
    )


def _row(line: dict[str, Any]) -> dict[str, Any]:
    pairs = line.get("headers") or ()
    found = Headers([Header(name, _bytes(value)) for name, value in pairs])
    return {
        "key": _bytes(line["key"]),
        "value": _bytes(line["value"]),
        "timestamp": int(line["timestamp"]),
        "headers": found if pairs else None,
    }


def _line(
    key: bytes | None, value: bytes | None, timestamp: int, headers: Headers | None
) -> dict[str, Any]:
    line: dict[str, Any] = {"key": _shown(key), "value": _shown(value), "timestamp": timestamp}
    pairs = [(header.key(), _shown(header.value())) for header in headers or ()]
    return {**line, "headers": pairs} if pairs else line


def _bytes(shown: Any) -> bytes | None:
    if shown is None:
        return None
    if isinstance(shown, str):
        return shown.encode()
    return base64.b64decode(shown["base64"], validate=True)


def _shown(data: bytes | None) -> Any:
    if data is None:
        return None
    try:
        return bytes(data).decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}
