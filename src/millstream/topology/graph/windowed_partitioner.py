"""Partitioner of windowed keys by the inner key, so that a key's windows stay together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millstream.core.partitioning import StreamPartitioner, default_partition
from millstream.core.serdes import WindowedSerializer
from millstream.core.windows import Windowed


class WindowedPartitioner(StreamPartitioner[Any, Any]):
    """What a sink of windowed keys uses unless it is given a partitioner.

    Source: Kafka's ``WindowedStreamPartitioner``.
    """

    def __init__(self, serializer: WindowedSerializer) -> None:
        self._serializer = serializer

    def partition_column(
        self, topic: str, keys: Sequence[Windowed[Any]], values: Sequence[Any], count: int
    ) -> list[int | None]:
        """Return the partitions of many keys."""
        inner = self._serializer.base_key_column(topic, keys)
        return [None if key is None else default_partition(key, count) for key in inner]

    def partitions(
        self, topic: str, key: Windowed[Any] | None, value: Any, numPartitions: int
    ) -> set[int] | None:
        """Return the partition of the key inside."""
        if key is None:
            return None
        inner = self._serializer.serializeBaseKey(topic, key)
        return None if inner is None else {default_partition(inner, numPartitions)}
