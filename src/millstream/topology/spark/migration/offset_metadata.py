"""Metadata that Kafka Streams commits with an offset: partition time, and times of processors.

Base64 of ``version u8 | partition time i64 | count i32 | (length i32 | name | time i64)...``, big
endian. Version 1 has only the partition time.

Source: ``processor.internals.TopicPartitionMetadata``, ``ProcessorMetadata``.
"""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

from confluent_kafka import TopicPartition

UNKNOWN_TIME = -1
_VERSION = 2
_HEAD = struct.Struct(">Bq")
_INT = struct.Struct(">i")
_LONG = struct.Struct(">q")
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")


@dataclass(frozen=True, slots=True)
class OffsetMetadata:
    """What is known of a partition besides its offset."""

    partition_time: int = UNKNOWN_TIME
    processors: Mapping[str, int] = field(default_factory=dict)
    """Store of a windowed aggregation that emits on close -> the close time it has emitted to."""

    def text(self) -> str:
        """Return the metadata of a committed offset."""
        parts = [_HEAD.pack(_VERSION, self.partition_time)]
        if self.processors:
            parts.append(_INT.pack(len(self.processors)))
            for name, time in self.processors.items():
                data = name.encode()
                parts += [_INT.pack(len(data)), data, _LONG.pack(time)]
        return base64.b64encode(b"".join(parts)).decode()

    @staticmethod
    def of_text(text: str | None) -> OffsetMetadata:
        """Read the metadata of a committed offset; of other programs', nothing is known.

        librdkafka copies the text without its terminating zero, so that anything may follow.

        >>> OffsetMetadata.of_text(OffsetMetadata(12, {"sums": 7}).text() + "?")
        OffsetMetadata(partition_time=12, processors={'sums': 7})
        """
        found = _BASE64.match(text or "")
        data = _decoded(found.group() if found else "")
        if len(data) < _HEAD.size:
            return OffsetMetadata()
        version, time = _HEAD.unpack_from(data)
        if version not in (1, _VERSION):
            return OffsetMetadata()
        return OffsetMetadata(time, _processors(data) if version == _VERSION else {})


def metadata_of(place: TopicPartition) -> OffsetMetadata:
    """Return the metadata of a committed offset, as the client gives it."""
    try:
        return OffsetMetadata.of_text(place.metadata)
    except UnicodeDecodeError as error:
        return OffsetMetadata.of_text(error.object.decode(errors="replace"))


def _decoded(text: str) -> bytes:
    return base64.b64decode(text[: len(text) // 4 * 4])


def _processors(data: bytes) -> dict[str, int]:
    """Return the times of processors; none if what follows the partition time is something else."""
    found: dict[str, int] = {}
    try:
        at = _HEAD.size
        (count,) = _INT.unpack_from(data, at)
        at += _INT.size
        for _ in range(count):
            (length,) = _INT.unpack_from(data, at)
            name = data[at + _INT.size : at + _INT.size + length]
            at += _INT.size + length
            (found[name.decode()],) = _LONG.unpack_from(data, at)
            at += _LONG.size
    except (struct.error, UnicodeDecodeError):
        return {}
    return found
