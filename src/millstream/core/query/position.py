"""Position of a store: the offset of its last processed record, per topic and partition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from millstream.core.arguments import of_type, text, whole
from millstream.core.errors import (
    ClassCastException,
    NullPointerException,
    UnsupportedOperationException,
)
from millstream.core.java_collections import bucket_order, hash_order, table_size
from millstream.core.java_text import java_map
from millstream.core.wording import a_kind


@dataclass(slots=True)
class Position:
    """Offsets by topic and partition, each inclusive; they never decrease.

    Example:
        >>> seen = Position.emptyPosition().withComponent("in", 0, 5).withComponent("in", 0, 3)
        >>> seen.getPartitionPositions("in")
        {0: 5}

    Source: KIP-796, ``query.Position``.
    """

    _offsets: dict[str, dict[int, int]] = field(default_factory=dict)
    _of_copy: int | None = field(default=None, compare=False)
    """How many topics there were when it was copied: Java's table, and so its text, has that size.
    """

    @staticmethod
    def emptyPosition() -> Position:
        """Return the position of a store without records."""
        return Position()

    @staticmethod
    def fromMap(map: Mapping[str, Mapping[int, int]] | None) -> Position:
        """Return a position with a copy of these offsets; an empty one for None."""
        if map is None:
            return Position()
        if not isinstance(map, Mapping):
            raise ClassCastException(
                f"map cannot be {a_kind(map)}", hint='Write {"topic": {partition: offset}}.'
            )
        copied = {topic: _checked(topic, offsets) for topic, offsets in map.items()}
        return Position(copied, len(copied))

    def withComponent(self, topic: str, partition: int, offset: int) -> Position:
        """Raise this position to an offset, unless it is higher already; return this object.

        Raises:
            NullPointerException: The topic is None.
        """
        name = text(topic, "topic")
        number, reached = whole(partition, "partition", 32), whole(offset, "offset")
        offsets = self._offsets.setdefault(name, {})
        offsets[number] = max(reached, offsets.get(number, reached))
        return self

    def merge(self, other: Position | None) -> Position:
        """Raise this position to the offsets of ``other`` that are higher; return this object."""
        of_type(other, Position, "other", "Give a Position.")
        for topic, offsets in ({} if other is None else other._offsets).items():
            for partition, offset in offsets.items():
                self.withComponent(topic, partition, offset)
        return self

    def copy(self) -> Position:
        """Return an independent copy."""
        copied = {topic: dict(offsets) for topic, offsets in self._offsets.items()}
        return Position(copied, len(copied))

    def getTopics(self) -> set[str]:
        """Return the topics that have offsets."""
        return set(self._offsets)

    def getPartitionPositions(self, topic: str) -> dict[int, int]:
        """Return the offset of each partition of a topic, a copy; empty for an unknown topic."""
        if topic is None:
            raise NullPointerException("topic can't be null")
        return dict(self._offsets.get(text(topic, "topic"), {}))

    def isEmpty(self) -> bool:
        """Tell whether there are no offsets."""
        return not self._offsets

    def __hash__(self) -> int:
        raise UnsupportedOperationException(
            "This mutable object is not suitable as a hash key",
            hint="Use its topics and offsets, or a list instead of a set.",
        )

    def __str__(self) -> str:
        copied = self._of_copy
        topics = 16 if copied is None else _power_from(int(1 + copied / 0.75))
        shown = {name: self._offsets[name] for name in hash_order(self._offsets, capacity=topics)}
        for topic, offsets in shown.items():
            count = len(offsets)
            size = table_size(count) if copied is None else _power_from(count + count // 2 + 1)
            shown[topic] = {p: offsets[p] for p in bucket_order(offsets, _int_hash, size)}
        return f"Position{{position={java_map(shown)}}}"

    def __repr__(self) -> str:
        return f"Position({self._offsets})"


def _power_from(least: int) -> int:
    return 1 << (least - 1).bit_length()


def _int_hash(number: int) -> int:
    return number & 0xFFFFFFFF


def _checked(topic: object, offsets: Any) -> dict[int, int]:
    """Return a copy of one topic's offsets."""
    hint = 'Write {"topic": {partition: offset}}.'
    text(topic, "topic", hint)
    if offsets is None:
        raise NullPointerException("the offsets of a topic cannot be null", hint=hint)
    of_type(offsets, Mapping, f'the offsets of "{topic}"', hint)
    return {whole(p, "partition", 32): whole(o, "offset") for p, o in offsets.items()}


@dataclass(frozen=True, slots=True)
class PositionBound:
    """Minimum position of a store for a query.

    Source: KIP-796, ``query.PositionBound``.
    """

    _position: Position

    @staticmethod
    def unbounded() -> PositionBound:
        """Return the bound that every store meets."""
        return PositionBound(Position())

    @staticmethod
    def at(position: Position) -> PositionBound:
        """Return the bound that a store meets from ``position`` on (inclusive)."""
        if position is None:
            raise NullPointerException("position can't be null")
        of_type(position, Position, "position", "Give a Position.")
        return PositionBound(position.copy())

    def isUnbounded(self) -> bool:
        """Tell whether every store meets it."""
        return self._position.isEmpty()

    def position(self) -> Position:
        """Return a copy of the minimum position."""
        return self._position.copy()

    def __str__(self) -> str:
        return f"PositionBound{{position={self._position}}}"

    def met_by(self, seen: Position, partition: int) -> bool:
        """Tell whether a store of one partition meets the bound in that partition."""
        for topic in self._position.getTopics():
            least = self._position.getPartitionPositions(topic).get(partition)
            if least is None:
                continue
            offset = seen.getPartitionPositions(topic).get(partition)
            if offset is None or offset < least:
                return False
        return True
