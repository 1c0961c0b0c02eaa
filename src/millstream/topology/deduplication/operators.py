"""Three forms of deduplication as operators."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from millstream.core.durations import to_millis
from millstream.core.errors import IllegalArgumentException
from millstream.core.state import StoreBuilder
from millstream.plugins import (
    NodeInfo,
    NodeOverrides,
    OperatorTraits,
    StreamOperator,
)
from millstream.topology.callables import KEY_VALUE
from millstream.topology.deduplication.carried import Carried, CarriedSerde
from millstream.topology.deduplication.ids import Ids, KeyAndSelectedIds, KeyIds
from millstream.topology.deduplication.processor import Deduplicate
from millstream.topology.deduplication.stores import SeenStoreBuilder
from millstream.topology.dsl.arguments import ABSENT, sort_options
from millstream.topology.dsl.functions import plain
from millstream.topology.dsl.kstream import KStream
from millstream.topology.dsl.options import Deduplicated, Named

AnyDeduplicated = Deduplicated[Any, Any]


class Deduplication(StreamOperator, ABC):
    """Base of the three forms: the store and its name."""

    label = "DEDUPLICATE"
    traits = OperatorTraits(by_key=True, keeps_null_keys=True)

    deduplicationInterval: Any
    deduplicated: Any

    @property
    def options(self) -> AnyDeduplicated:
        """The options that were given, or none of them."""
        (how,) = sort_options(self.name, {"deduplicated": self.deduplicated}, Deduplicated)
        return how or Deduplicated()

    @property
    def interval_ms(self) -> int:
        """The interval.

        Raises:
            IllegalArgumentException: It is negative.
        """
        millis = to_millis(self.deduplicationInterval, "deduplicationInterval")
        if millis < 0:
            raise IllegalArgumentException(
                f"deduplicationInterval is {millis} ms",
                detail=f"In {self.name}().",
                hint="Give 0 or more: with 0, records of the same time are duplicates.",
            )
        return millis

    def __post_init__(self) -> None:
        # A wrong argument shows where the method is called.
        self.overrides()
        _ = self.interval_ms

    def overrides(self) -> NodeOverrides:
        how = self.options
        return NodeOverrides(name=how.name, key_serde=self.key_serde(), value_serde=how.value_serde)

    def processor(self, node: NodeInfo) -> Deduplicate:
        return Deduplicate(self.ids(node), self.interval_ms, self.store_name(node))

    def stores(self, node: NodeInfo) -> Sequence[StoreBuilder[Any]]:
        store, ids = self.store_name(node), self.ids(node)
        return [SeenStoreBuilder(store=store, made_of=ids.made_of, id_serdes=ids.serdes())]

    def store_name(self, node: NodeInfo) -> str:
        """Return the user's name for the store, or one made of the node's."""
        return self.options.store_name or f"{node.name}-store"

    @abstractmethod
    def key_serde(self) -> Any:
        """Return the serde that was given for the stream's keys."""

    @abstractmethod
    def ids(self, node: NodeInfo) -> Ids:
        """Return the ids by which records are compared."""


@dataclass(frozen=True)
class DeduplicateByKey(Deduplication):
    """``deduplicateByKey(interval[, deduplicated])``: the key is the id."""

    deduplicationInterval: Any
    deduplicated: Any = ABSENT

    name = "deduplicateByKey"

    def key_serde(self) -> Any:
        return self.options.key_serde or self.options.id_serde

    def ids(self, node: NodeInfo) -> Ids:
        return KeyIds(node.key_serde)


@dataclass(frozen=True)
class DeduplicateByKeyValue(Deduplication):
    """``deduplicateByKeyValue(selector, interval[, deduplicated])``: key and id together."""

    idSelector: Any
    deduplicationInterval: Any
    deduplicated: Any = ABSENT

    name = "deduplicateByKeyValue"

    def __post_init__(self) -> None:
        plain(self.idSelector, "apply", "idSelector", KEY_VALUE)
        Deduplication.__post_init__(self)

    def key_serde(self) -> Any:
        return self.options.key_serde if self.options.id_serde is not None else None

    def ids(self, node: NodeInfo) -> Ids:
        how = self.options
        selector = plain(self.idSelector, "apply", "idSelector")
        return KeyAndSelectedIds(selector, node.key_serde, how.id_serde or how.key_serde)


@dataclass(frozen=True)
class DeduplicateAll(DeduplicateByKeyValue):
    """``deduplicate(selector, interval[, deduplicated])``: the id alone, over all partitions.

    The record goes to its id's partition, with its own key beside its value; there it is compared;
    then it has its key again.
    """

    name = "deduplicate"

    def expand(self, upstream: Any) -> Any:
        """Return the stream of records that are the first, with their own keys."""
        flow, how = upstream._flow, self.options
        serdes = {
            "key_serde": self.key_serde() or flow.key_serde,
            "value_serde": how.value_serde or flow.value_serde,
        }
        selector = plain(self.idSelector, "apply", "idSelector")
        under_id = upstream.map(partial(_under_id, selector), *self._named("-id"))
        first = under_id.deduplicateByKey(
            self.deduplicationInterval,
            Deduplicated(
                name=how.name,
                store_name=how.store_name,
                key_serde=how.id_serde or how.key_serde,
                value_serde=CarriedSerde(*serdes.values()),
            ),
        )
        own = first.map(_under_own_key, *self._named("-key"))
        return KStream(replace(own._flow, **serdes))

    def _named(self, suffix: str) -> list[Named]:
        name = self.options.name
        return [] if name is None else [Named.as_(name + suffix)]


def _under_id(selector: Callable[[Any, Any], Any], key: Any, value: Any) -> tuple[Any, Carried]:
    return selector(key, value), Carried(key, value)


def _under_own_key(_: Any, carried: Carried) -> Carried:
    return carried
