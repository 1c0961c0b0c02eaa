"""Contract of a connector, which reads and writes records without a broker."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from typing_extensions import Self

from millstream.core.chunk import RawChunk
from millstream.core.readable import Readable


class Connector(Readable, ABC):
    """Reads and writes topics as chunks of bytes, for ``millstream.testing.replay``.

    Applications on Spark do not use it: they read and write Kafka.
    """

    name: ClassVar[str]
    """Unique among the plugins; lower case."""

    @classmethod
    @abstractmethod
    def open(cls, location: str, options: Mapping[str, Any]) -> Self:
        """Open the topics at a location.

        Args:
            location: Location of the topics; its meaning depends on the connector.
            options: The application's configuration.
        """

    @abstractmethod
    def topics(self) -> set[str]:
        """Return the names of the topics that can be read."""

    @abstractmethod
    def read(self, topic: str) -> Iterator[RawChunk]:
        """Yield the records of a topic in the order of writing.

        Partitions may be mixed. Offsets increase within a partition. An unknown topic has none.
        """

    @abstractmethod
    def write(self, chunk: RawChunk) -> None:
        """Append records to the chunk's topic; later calls of ``read`` yield them."""

    def close(self) -> None:
        """Release everything; calling it twice is fine."""
