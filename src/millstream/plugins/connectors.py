"""Contract of a connector, which reads and writes records without a broker."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from typing_extensions import Self

from millstream.core.chunk import RawChunk


class Connector(ABC):
    """Topics as chunks of bytes, somewhere; used by ``millstream.testing.replay``.

    Not for an application on Spark, which reads and writes Kafka.
    """

    name: ClassVar[str]
    """Unique among the plugins; lower case."""

    @classmethod
    @abstractmethod
    def open(cls, location: str, options: Mapping[str, Any]) -> Self:
        """Open what lies at a location.

        Args:
            location: Where the topics are; what that means is the connector's affair.
            options: The application's configuration.
        """

    @abstractmethod
    def topics(self) -> set[str]:
        """Return the names of the topics that can be read."""

    @abstractmethod
    def read(self, topic: str) -> Iterator[RawChunk]:
        """Yield the records of a topic, in the order in which they were written.

        Partitions do not matter. Offsets rise within a partition. An unknown topic has no records.
        """

    @abstractmethod
    def write(self, chunk: RawChunk) -> None:
        """Append records to the chunk's topic; ``read`` shows them from then on."""

    def close(self) -> None:  # noqa: B027 - doing nothing is a right answer
        """Release everything; calling it twice is fine."""
