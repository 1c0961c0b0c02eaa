"""Contract of an operator: a step of a topology that is a method of streams or tables.

An operator is a class. Calling the method makes an instance of it: one use in one topology.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from millstream.core.errors import PluginError
from millstream.core.processor import Processor
from millstream.core.state import StoreBuilder


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorTraits:
    """What an operator does to the stream it stands in; the graph is built by it."""

    of_tables: bool = False
    """It is a method of ``KTable``; its processor is given the table's updates, as ``Change``.

    Without it, it is a method of ``KStream``, and is given records. Either way it returns a stream.
    """
    of_windows: bool = False
    """It is a method of ``TimeWindowedKStream`` and ``SessionWindowedKStream``; it must ``expand``.
    """
    by_key: bool = False
    """Equal keys have to meet in one task: a stream whose key has changed is repartitioned first.
    """
    keeps_null_keys: bool = False
    """Records without key go through that repartition topic, too; to any partition."""
    changes_key: bool = False
    """What it forwards may have other keys: later groupings and joins repartition the stream."""
    changes_value: bool = False
    """What it forwards may have values of another type: the serde for values is not passed on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeOverrides:
    """Name and serdes of a node that the operator's own arguments set."""

    name: str | None = None
    """The node's; None for one with a number."""
    key_serde: Any = None
    """Of the stream above and below; None for the serde that is known there already."""
    value_serde: Any = None
    """The same for values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeInfo:
    """The node of one use of an operator: its name, and the serdes of the stream above."""

    name: str
    """The node's: the user's, or one with a number. Begin the names of stores with it."""
    key_serde: Any = None
    """Of the stream above; None for the application's default."""
    value_serde: Any = None


class StreamOperator:
    """One use of an operator; subclasses are frozen dataclasses whose fields are the arguments.

    It overrides ``processor``, or ``expand``. What its own ``__init__`` or ``__post_init__`` raises
    reaches whoever called the method.

    Example:
        >>> @dataclass(frozen=True)
        ... class Sample(StreamOperator):
        ...     every: int
        ...     name = "sample"
        ...     def processor(self, node):
        ...         return SampleProcessor(self.every)

        With it installed, ``stream.sample(10)`` puts ``Sample(10)`` below ``stream``.
    """

    name: ClassVar[str]
    """Of the method; none that Kafka's streams have. Unique among the plugins."""
    label: ClassVar[str] = ""
    """In generated names of nodes, ``KSTREAM-LABEL-0000000001``; empty for the method's name."""
    traits: ClassVar[OperatorTraits] = OperatorTraits()

    def overrides(self) -> NodeOverrides:
        """Return what the arguments say about name and serdes; nothing unless overridden.

        A ``Named`` that comes last is the operator's name, and no argument of the class, unless the
        class overrides this method or has a field ``named``.
        """
        return NodeOverrides()

    def processor(self, node: NodeInfo) -> Processor[Any, Any, Any, Any]:
        """Return a new processor; one is made for each task.

        Raises:
            PluginError: The operator overrides neither this method nor ``expand``.
        """
        raise PluginError(
            f'operator "{self.name}" has neither a processor nor an expansion',
            detail=f"It was to be made for {node.name}.",
            hint="Override processor(node), or expand(upstream).",
        )

    def stores(self, node: NodeInfo) -> Sequence[StoreBuilder[Any]]:
        """Return the builders of the stores that its processors use; none unless overridden."""
        del node
        return ()

    def expand(self, upstream: Any) -> Any:
        """Return a stream or table made of other operations; None to be a node of its own.

        Args:
            upstream: The stream or table whose method was called.
        """
        del upstream
        return None
