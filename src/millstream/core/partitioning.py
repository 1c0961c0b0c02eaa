"""Partitioners and topic name extractors: Kafka's default and the user's."""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from millstream.core.readable import Readable

if TYPE_CHECKING:
    from millstream.core.record_context import RecordContext

K = TypeVar("K")
V = TypeVar("V")

SEED = 0x9747B28C
MIX = 0x5BD1E995
MASK = 0xFFFFFFFF


def murmur2(data: bytes) -> int:
    """Return Kafka's 32-bit hash of bytes, as Java's signed int.

    Example:
        >>> murmur2(b"foobar")
        -790332482

    Source: ``org.apache.kafka.common.utils.Utils.murmur2``.
    """
    length = len(data)
    words = length >> 2
    state = SEED ^ length
    for word in struct.unpack_from(f"<{words}I", data):
        mixed = word * MIX & MASK
        mixed ^= mixed >> 24
        state = state * MIX & MASK ^ mixed * MIX & MASK
    if length & 3:
        state = (state ^ int.from_bytes(data[words << 2 :], "little")) * MIX & MASK
    state = (state ^ state >> 13) * MIX & MASK
    state ^= state >> 15
    return state - 0x100000000 if state & 0x80000000 else state


def to_positive(number: int) -> int:
    """Return a 32-bit number with its sign bit cleared, which is not its absolute value."""
    return number & 0x7FFFFFFF


def default_partition(key: bytes, partitions: int) -> int:
    """Return the partition that every Kafka client chooses for a serialized key.

    Args:
        key: Not None: a record without a key may go to any partition.
        partitions: The topic's number of partitions.
    """
    return _positive_hash(key) % partitions


# Keys repeat in streams, and a hash costs ten times as much as a look-up.
@lru_cache(maxsize=1 << 16)
def _positive_hash(key: bytes) -> int:
    return to_positive(murmur2(key))


class StreamPartitioner(Readable, ABC, Generic[K, V]):
    """Chooses the partitions of a record; may be a callable with the same arguments.

    Source: ``processor.StreamPartitioner`` (KIP-837).
    """

    @abstractmethod
    def partitions(self, topic: str, key: K, value: V, numPartitions: int) -> set[int] | None:
        """Return the partitions to send to, from 0 to ``numPartitions - 1``.

        None stands for the default partitioner. The record is sent to every partition of the
        set; an empty set drops it.
        """


class TopicNameExtractor(Readable, ABC, Generic[K, V]):
    """Chooses the topic of a record; may be a callable with the same arguments.

    Source: ``processor.TopicNameExtractor``.
    """

    @abstractmethod
    def extract(self, key: K, value: V, recordContext: RecordContext) -> str:
        """Return the name of an existing topic."""


def instance_of(function: Any, method: str) -> Any:
    """Return an instance of a class that has the method; any other object unchanged.

    Example:
        >>> class Out:
        ...     def extract(self, key, value, recordContext):
        ...         return "out"
        >>> instance_of(Out, "extract").extract("k", "v", None)
        'out'
    """
    return function() if isinstance(function, type) and hasattr(function, method) else function
