"""The contract of an operator: a step of a topology that appears as a method of streams or tables.

An operator is a class. Calling the method makes an instance of it: one use in one topology.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from millstream.core.processor import Processor
from millstream.core.state import StoreBuilder


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorTraits:
    """What an operator does to the stream it stands in; the graph is built by it."""

    of_tables: bool = False
    """It is a method of ``KTable``; its processor is given the table's updates, as ``Change``.

    Without it, it is a method of ``KStream``, and is given records. Either way it returns a stream.
    """
    by_key: bool = False
    """Equal keys have to meet in one task: a stream whose key has changed is repartitioned first.
    """
    changes_key: bool = False
    """What it forwards may have other keys: later groupings and joins repartition the stream."""
    changes_value: bool = False
    """What it forwards may have values of another type: the serde for values is not passed on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorPlace:
    """Where in a topology an operator stands."""

    name: str
    """The node's: the user's, or one with a number. Begin the names of stores with it."""
    key_serde: Any = None
    """Of the stream above; None for the application's default."""
    value_serde: Any = None


class StreamOperator(ABC):
    """One use of an operator; subclasses are frozen dataclasses whose fields are the arguments.

    Example:
        >>> @dataclass(frozen=True)
        ... class Sample(StreamOperator):
        ...     every: int
        ...     name = "sample"
        ...     def processor(self, place):
        ...         return SampleProcessor(self.every)

        With it installed, ``stream.sample(10)`` puts ``Sample(10)`` below ``stream``.
    """

    name: ClassVar[str]
    """Of the method; none that Kafka's streams have. Unique among the plugins."""
    traits: ClassVar[OperatorTraits] = OperatorTraits()

    @abstractmethod
    def processor(self, place: OperatorPlace) -> Processor[Any, Any, Any, Any]:
        """Return a new processor; one is made for each task."""

    def stores(self, place: OperatorPlace) -> Sequence[StoreBuilder[Any]]:
        """Return the builders of the stores that its processors use; none unless overridden."""
        del place
        return ()

    def expand(self, upstream: Any) -> Any:
        """Return a stream or table made of other operations; None to be a node of its own.

        Args:
            upstream: The ``KStream`` or ``KTable`` whose method was called.
        """
        del upstream
        return None
