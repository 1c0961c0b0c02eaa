"""Contexts of the current record: source coordinates, event time, headers and raw bytes."""

from __future__ import annotations

from millstream.core.headers import Headers
from millstream.core.readable import Readable
from millstream.core.records import RecordMetadata


class SourceContext(Readable):
    """Source coordinates, event time, headers and raw bytes of a record; never changed in place."""

    __slots__ = (
        "_headers",
        "_offset",
        "_partition",
        "_raw_key",
        "_raw_value",
        "_timestamp",
        "_topic",
    )

    _shown = ("_topic", "_partition", "_offset", "_timestamp")

    def __init__(
        self,
        topic: str | None,
        partition: int,
        offset: int,
        timestamp: int,
        headers: Headers | None = None,
        raw_key: bytes | None = None,
        raw_value: bytes | None = None,
    ) -> None:
        self._topic = topic
        self._partition = partition
        self._offset = offset
        self._timestamp = timestamp
        self._headers = headers
        self._raw_key = raw_key
        self._raw_value = raw_value

    def topic(self) -> str | None:
        """Return the source topic; None inside a punctuator."""
        return self._topic

    def partition(self) -> int:
        """Return the source partition; -1 inside a punctuator."""
        return self._partition

    def offset(self) -> int:
        """Return the source offset; -1 inside a punctuator."""
        return self._offset

    def timestamp(self) -> int:
        """Return the event time in epoch milliseconds."""
        return self._timestamp

    def headers(self) -> Headers:
        """Return the record's headers."""
        if self._headers is None:
            self._headers = Headers()
        return self._headers

    def sourceRawKey(self) -> bytes | None:
        """Return the key's bytes as they came from the source topic."""
        return self._raw_key

    def sourceRawValue(self) -> bytes | None:
        """Return the value's bytes as they came from the source topic."""
        return self._raw_value


class RecordContext(SourceContext):
    """The context of the current record.

    Source: ``processor.api.RecordContext`` and Kafka's ``ProcessorRecordContext``.
    """

    __slots__ = ()

    def moved(self, timestamp: int, headers: Headers | None) -> RecordContext:
        """Return the same coordinates with another time and other headers."""
        return RecordContext(
            self._topic,
            self._partition,
            self._offset,
            timestamp,
            headers,
            self._raw_key,
            self._raw_value,
        )

    def metadata(self) -> RecordMetadata:
        """Return topic, partition and offset."""
        return RecordMetadata(self._topic, self._partition, self._offset)
