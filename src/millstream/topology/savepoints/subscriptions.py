"""Subscriptions of a foreign-key join, told where the rows of the left table are now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from millstream.core.errors import ProcessorStateException
from millstream.core.partitioning import default_partition
from millstream.core.state.changelog_format import ChangelogFormat

_LENGTH = 4
_PARTITION = 4
_VERSION_BITS = 0x7F

PartitionOf = Callable[[bytes, int], int]
"""Given a key as the store's serde wrote it and the number of partitions, returns the partition."""


@dataclass(frozen=True, slots=True)
class LeftTable:
    """The left table of a join after a rescaling: answers go to the partitions of its rows."""

    partitions: int
    place: PartitionOf = default_partition
    """Given a primary key's bytes and the number of partitions, returns the partition."""

    def readdressed(
        self, layout: ChangelogFormat, keys: Sequence[bytes], values: Sequence[bytes]
    ) -> list[bytes]:
        """Return the values of subscriptions with the partitions that their answers go to.

        Args:
            layout: The format of the subscriptions' store.
            keys: ``length of the foreign key || it || primary key``.
            values: A subscription ends with the partition, from version 1 of its format on.

        Raises:
            ProcessorStateException: An entry is no subscription.
        """
        found = []
        for key, value in zip(keys, values, strict=True):
            record = layout.record_of(key, value)
            own = b"" if record is None else record.value or b""
            primary = key[_LENGTH + int.from_bytes(key[:_LENGTH], "big") :]
            if len(own) < 2 + _PARTITION or not value.endswith(own):
                raise ProcessorStateException(
                    "an entry of a store of subscriptions is damaged",
                    detail=f"Its key is 0x{key.hex()}.",
                    hint="Restore the savepoint from a copy, or take another one.",
                )
            if own[0] & _VERSION_BITS:
                number = self.place(primary, self.partitions)
                value = value[:-_PARTITION] + number.to_bytes(_PARTITION, "big", signed=True)
            found.append(value)
        return found
