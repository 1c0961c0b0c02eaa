"""Operators of somebody else's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from millstream.core.processor import Processor
from millstream.core.records import Record
from millstream.core.serdes import Serdes
from millstream.core.state import StoreBuilder
from millstream.plugins import (
    Chunk,
    ChunkProcessor,
    NodeInfo,
    NodeOverrides,
    OperatorTraits,
    StreamOperator,
    hookimpl,
)
from millstream.stores import Stores

AnyProcessor = Processor[Any, Any, Any, Any]


@dataclass(frozen=True)
class Sample(StreamOperator):
    """Every n-th record of each key."""

    every: int

    name = "sample"
    traits = OperatorTraits(by_key=True)

    def processor(self, node: NodeInfo) -> AnyProcessor:
        return SampleProcessor(self.every, f"{node.name}-counts")

    def stores(self, node: NodeInfo) -> Sequence[StoreBuilder[Any]]:
        supplier = Stores.persistentKeyValueStore(f"{node.name}-counts")
        return [Stores.keyValueStoreBuilder(supplier, node.key_serde, Serdes.Long())]


class SampleProcessor(AnyProcessor):
    def __init__(self, every: int, store: str) -> None:
        self._every = every
        self._store = store

    def init(self, context: Any) -> None:
        self._context = context
        self._counts = context.getStateStore(self._store)

    def process(self, record: Any) -> None:
        count = self._counts.get(record.key()) or 0
        self._counts.put(record.key(), count + 1)
        if count % self._every == 0:
            self._context.forward(record)


@dataclass(frozen=True)
class Shout(StreamOperator):
    """Made of other operations."""

    mark: str = "!"

    name = "shout"
    traits = OperatorTraits(changes_value=True)

    def processor(self, node: NodeInfo) -> AnyProcessor:
        raise AssertionError("it expands")

    def expand(self, upstream: Any) -> Any:
        return upstream.mapValues(lambda value: value.upper() + self.mark)


@dataclass(frozen=True)
class Differences(StreamOperator):
    """A table's updates as texts."""

    name = "differences"
    traits = OperatorTraits(of_tables=True, changes_value=True)

    def processor(self, node: NodeInfo) -> AnyProcessor:
        return DifferenceProcessor()


class DifferenceProcessor(AnyProcessor):
    def init(self, context: Any) -> None:
        self._context = context

    def process(self, record: Any) -> None:
        change = record.value()
        self._context.forward(record.withValue(f"{change.old}->{change.new}"))


@dataclass(frozen=True)
class Louder(StreamOperator):
    """By columns; its arguments say what it is called and how values are written."""

    mark: str = "!"
    serde: Any = None

    name = "louder"
    label = "LOUD"

    def overrides(self) -> NodeOverrides:
        return NodeOverrides(name="louder" if self.serde else None, value_serde=self.serde)

    def processor(self, node: NodeInfo) -> AnyProcessor:
        return LoudProcessor(self.mark, self.mark)


@dataclass(frozen=True)
class Uneven(StreamOperator):
    """By columns it does something else."""

    name = "uneven"

    def processor(self, node: NodeInfo) -> AnyProcessor:
        return LoudProcessor("!", "?")


class LoudProcessor(ChunkProcessor):
    def __init__(self, mark: str, mark_of_columns: str) -> None:
        self._marks = mark, mark_of_columns

    def init(self, context: Any) -> None:
        self._context = context

    def process(self, record: Any) -> None:
        self._context.forward(record.withValue(record.value() + self._marks[0]))

    def process_chunk(self, chunk: Chunk) -> None:
        values = [value + self._marks[1] for value in chunk.values]
        self._context.forward_chunk(chunk.replace(values=values))


@dataclass(frozen=True)
class Forgetful(StreamOperator):
    """What it has seen is in a field, and lost with its task."""

    name = "forgetful"

    def processor(self, node: NodeInfo) -> AnyProcessor:
        return SeenInField()


class SeenInField(ChunkProcessor):
    def init(self, context: Any) -> None:
        self._context = context
        self._seen: set[Any] = set()

    def process(self, record: Any) -> None:
        if record.key() not in self._seen:
            self._seen.add(record.key())
            self._context.forward(record)

    def process_chunk(self, chunk: Chunk) -> None:
        self._context.each(chunk)


@dataclass(frozen=True)
class Hasty(StreamOperator):
    """By columns it has seen what is in the run, and no more."""

    name = "hasty"

    def processor(self, node: NodeInfo) -> AnyProcessor:
        return SeenInRun()


class SeenInRun(SeenInField):
    def process_chunk(self, chunk: Chunk) -> None:
        first = {key: number for number, key in reversed([*enumerate(chunk.keys)])}
        self._context.forward_chunk(chunk.take(sorted(first.values())))


@dataclass(frozen=True)
class Bare(StreamOperator):
    """Headers are lost where records come one by one."""

    name = "bare"

    def processor(self, node: NodeInfo) -> AnyProcessor:
        return WithoutHeaders()


class WithoutHeaders(SeenInField):
    def process(self, record: Any) -> None:
        self._context.forward(Record(record.key(), record.value(), record.timestamp()))

    def process_chunk(self, chunk: Chunk) -> None:
        self._context.forward_chunk(chunk)


@hookimpl
def millstream_register_operators() -> list[type[StreamOperator]]:
    return [Sample, Shout, Differences, Louder]
