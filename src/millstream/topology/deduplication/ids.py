"""Ids by which duplicates are found: the bytes of a key, or of a key and an id."""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.errors import NullPointerException, StreamsException
from millstream.core.serdes import Serde, serializer_call
from millstream.core.serdes.base import serialize_column
from millstream.core.serdes.checks import no_serde, serializer_of
from millstream.topology.operators.folding import identities, numbered
from millstream.topology.operators.operator import AnyRecord, runs
from millstream.topology.operators.returned import Returned

_LENGTH = struct.Struct(">i")
NO_ID = -1

Columns = Sequence[list[Any]]


class Ids(ABC):
    """Finds the id of a record, whose bytes are compared and stored."""

    made_of: str
    """What it is made of, in words."""

    @abstractmethod
    def serdes(self) -> dict[str, Any]:
        """Return the serdes that were given; None is the application's default for keys."""

    @abstractmethod
    def bind(self, context: Any, topic: str) -> None:
        """Take serdes that were not given from the configuration.

        Args:
            context: Of the processor.
            topic: What serializers are told.
        """

    @abstractmethod
    def of(self, record: AnyRecord) -> bytes | None:
        """Return a record's id; None if it has none and is never a duplicate."""

    def first_ones(self, chunk: Chunk, each: Callable[[Chunk], None]) -> Chunk:
        """Let ``each`` process records one by one, as long as ids may change; return the others."""
        del each
        return chunk

    @abstractmethod
    def columns(self, context: Any, chunk: Chunk) -> Iterator[tuple[Chunk, Columns]]:
        """Yield the runs of a chunk between failures of a user's function, with what ids are of."""

    @abstractmethod
    def bytes_of(self, columns: Columns) -> tuple[list[int], list[bytes]]:
        """Return a number for each record, equal for equal ids, and the ids by number.

        The number is ``NO_ID`` for a record without one.
        """

    def slots(self, columns: Columns) -> tuple[list[int], list[bytes]]:
        """Return what ``bytes_of`` does, for columns in which a None may stand anywhere."""
        if not any(None in column for column in columns):
            return self.bytes_of(columns)
        rows = zip(*columns, strict=True)
        whole = [index for index, row in enumerate(rows) if None not in row]
        numbers, ids = self.bytes_of([[column[index] for index in whole] for column in columns])
        slots = [NO_ID] * len(columns[0])
        for index, number in zip(whole, numbers, strict=True):
            slots[index] = number
        return slots, ids


class KeyIds(Ids):
    """The key is the id."""

    made_of = "the key"

    def __init__(self, serde: Serde[Any] | None) -> None:
        self._part = IdSerde(serde)

    def serdes(self) -> dict[str, Any]:
        return {"id": self._part.given}

    def bind(self, context: Any, topic: str) -> None:
        self._part.bind(context, topic)

    def of(self, record: AnyRecord) -> bytes | None:
        return None if record._key is None else self._part.one(record._key)

    def columns(self, context: Any, chunk: Chunk) -> Iterator[tuple[Chunk, Columns]]:
        yield chunk, [chunk.keys]

    def bytes_of(self, columns: Columns) -> tuple[list[int], list[bytes]]:
        return identities(columns[0], self._part.many)


class KeyAndSelectedIds(Ids):
    """Key and what a function returns together are the id."""

    made_of = "the key and what a function returns"

    def __init__(
        self,
        selector: Callable[[Any, Any], Any],
        key_serde: Serde[Any] | None,
        id_serde: Serde[Any] | None,
    ) -> None:
        self._selector = selector
        self._selected = Returned()
        self._key = IdSerde(key_serde)
        self._id = IdSerde(id_serde)

    def serdes(self) -> dict[str, Any]:
        return {"id key": self._key.given, "id": self._id.given}

    def bind(self, context: Any, topic: str) -> None:
        self._key.bind(context, topic)
        self._id.bind(context, topic)

    def of(self, record: AnyRecord) -> bytes | None:
        found = self._selected.noted(self._selector(record._key, record._value))
        if record._key is None or found is None:
            return None
        return _joined(self._key.one(record._key), self._id.one(found))

    def first_ones(self, chunk: Chunk, each: Callable[[Chunk], None]) -> Chunk:
        return self._selected.first_ones(chunk, each)

    def columns(self, context: Any, chunk: Chunk) -> Iterator[tuple[Chunk, Columns]]:
        for run, found in runs(context, chunk, self._selector, chunk.keys, chunk.values):
            self._selected.are_many(found, context)
            yield run, [run.keys, found]

    def bytes_of(self, columns: Columns) -> tuple[list[int], list[bytes]]:
        keys, found = map(list, columns)
        return numbered(map(_joined, self._key.many(keys), self._id.many(found)))


class IdSerde:
    """A serde of keys or ids, bound to a topic."""

    def __init__(self, serde: Serde[Any] | None) -> None:
        self.given = serde

    def bind(self, context: Any, topic: str) -> None:
        """Fill in the application's default for keys.

        Raises:
            StreamsException: There is none.
        """
        serde = self.given or context.keySerde()
        if serde is None:
            raise StreamsException(
                "a deduplication has no serde for its ids",
                detail=f'They are to be written as for topic "{topic}".',
                hint="Give Deduplicated an idSerde or a keySerde, or set default.key.serde.",
            ) from no_serde("key")
        self._topic = topic
        self._serializer = serializer_of(serde, "that of a deduplication's keys or ids")
        self._call = serializer_call(self._serializer)

    def one(self, data: Any) -> bytes:
        """Return the bytes of one object."""
        found = self._call(self._topic, None, data)
        if found is None:
            raise self._no_bytes()
        return found

    def many(self, column: Sequence[Any]) -> list[bytes]:
        """Return the bytes of many."""
        found = serialize_column(self._serializer, self._topic, column)
        ids = [data for data in found if data is not None]
        if len(ids) < len(found):
            raise self._no_bytes()
        return ids

    def _no_bytes(self) -> NullPointerException:
        """Return the error for an id without bytes: all such records would be duplicates."""
        return NullPointerException(
            "the id of a deduplication cannot be null",
            detail=f"{type(self._serializer).__qualname__} returned None for one that is not; the "
            f'topic is "{self._topic}".',
            hint="Return bytes for every id; a record whose id is None passes.",
        )


def _joined(key: bytes, found: bytes) -> bytes:
    return _LENGTH.pack(len(key)) + key + found
