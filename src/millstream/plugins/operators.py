"""Contract of an operator plugin: a class that becomes a method of streams or tables.

A call of the method creates an instance of the class, for one use in one topology.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from millstream.core.errors import PluginError
from millstream.core.processor import Processor
from millstream.core.readable import Readable
from millstream.core.state import StoreBuilder


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorTraits:
    """Effects of an operator on its stream; the graph is built by them."""

    of_tables: bool = False
    """It is a method of ``KTable``; its processor gets the table's updates.

    A record's value is a ``Change``: ``new`` and ``old``, None where there is no row, and
    ``is_latest``, which is False for an update of a versioned table that is older than its row.

    Without it, it is a method of ``KStream``; its processor gets records. Both return a stream.
    """
    of_windows: bool = False
    """It is a method of ``TimeWindowedKStream`` and ``SessionWindowedKStream``; it must ``expand``.
    """
    by_key: bool = False
    """Equal keys have to meet in one task: a stream whose key has changed is repartitioned first.
    """
    keeps_null_keys: bool = False
    """That repartition topic also gets records with null keys; to any partition."""
    changes_key: bool = False
    """It may change keys: later groupings and joins repartition the stream."""
    changes_value: bool = False
    """It may change the type of values: the value serde is not passed on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeOverrides:
    """Name and serdes of a node, as set by the operator's arguments."""

    name: str | None = None
    """The node's name; None for a generated one."""
    key_serde: Any = None
    """Key serde of the streams above and below; None for the stream's current one."""
    value_serde: Any = None
    """Value serde, likewise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeInfo:
    """The node of one use of an operator: its name, and the serdes of the stream above."""

    name: str
    """The node's name, the user's or generated. Store names should begin with it."""
    key_serde: Any = None
    """Key serde of the stream above; None for the application's default."""
    value_serde: Any = None


class StreamOperator(Readable):
    """One use of an operator; subclasses are frozen dataclasses whose fields are the arguments.

    It overrides ``processor`` or ``expand``. The caller of the method gets the errors of its
    ``__init__`` and ``__post_init__``.

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
    """The method's name, not one of Kafka's. Unique among the plugins."""
    label: ClassVar[str] = ""
    """Part of generated node names, ``KSTREAM-LABEL-0000000001``; empty: the method's name."""
    traits: ClassVar[OperatorTraits] = OperatorTraits()

    def overrides(self) -> NodeOverrides:
        """Return the name and serdes set by the arguments; none unless overridden.

        A last argument of type ``Named`` is the operator's name, not an argument of the class,
        unless the class overrides this method or has a field ``named``.
        """
        return NodeOverrides()

    def processor(self, node: NodeInfo) -> Processor[Any, Any, Any, Any]:
        """Return a new processor; called once for each task.

        Raises:
            PluginError: The operator overrides neither this method nor ``expand``.
        """
        raise PluginError(
            f'operator "{self.name}" has neither a processor nor an expansion',
            detail=f"The node is {node.name}.",
            hint="Override processor(node), or expand(upstream).",
        )

    def stores(self, node: NodeInfo) -> Sequence[StoreBuilder[Any]]:
        """Return the builders of the stores that its processors use; none unless overridden."""
        del node
        return ()

    def expand(self, upstream: Any) -> Any:
        """Return a stream or table made of other operations; None for a node of its own.

        Args:
            upstream: The stream or table whose method was called.
        """
        del upstream
        return None
