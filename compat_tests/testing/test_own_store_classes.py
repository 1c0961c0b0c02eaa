"""Stores of users' own classes with manners of their own: frozen, with slots, with any name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from compat_tests.stores.own_builder import OwnBuilder
from millstream import (
    ClassCastException,
    KeyValueBytesStoreSupplier,
    Processor,
    Serdes,
    StateStore,
    Stores,
    StreamsBuilder,
)
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()


class Seen(StateStore):
    seen: set[str]

    def __init__(self) -> None:
        self.seen = set()

    def name(self) -> str:
        return "seen"

    def init(self, stateStoreContext: Any, root: Any) -> None:
        stateStoreContext.register(root, lambda key, value: None)

    def persistent(self) -> bool:
        return False

    def isOpen(self) -> bool:
        return True

    def close(self) -> None: ...


@dataclass(frozen=True)
class Frozen(Seen):
    seen: set[str] = field(default_factory=set)


class WithMethod(Seen):
    def partition(self) -> str:  # type: ignore[override]
        return "of the user"


class WithProperty(Seen):
    @property
    def partition(self) -> str:  # type: ignore[override]
        return "of the user"


class Answering(Seen):
    """It has whatever it is asked for."""

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: arguments


class Slots:
    __slots__ = ("seen",)

    def __init__(self) -> None:
        self.seen: set[str] = set()


for method in dir(StateStore):
    if not method.startswith("_") and callable(getattr(StateStore, method)):
        setattr(Slots, method, getattr(Seen, method))


class Add(Processor[str, str, None, None]):
    def init(self, context: Any) -> None:
        self._store = context.getStateStore("seen")

    def process(self, record: Any) -> None:
        self._store.seen.add(record.key())


@pytest.mark.parametrize("made", [Seen, Frozen, WithMethod, WithProperty, Answering, Slots])
def test_a_store_keeps_its_own_attributes(made: type[Any]) -> None:
    builder = StreamsBuilder()
    builder.addStateStore(OwnBuilder("seen", made))
    builder.stream("in").process(Add, "seen")
    config = {"default.key.serde": TEXT, "default.value.serde": TEXT}
    with TopologyTestDriver(builder.build(), config) as driver:
        driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer()).pipeInput("a", "b")
        store: Any = driver.getStateStore("seen")
        assert store.seen == {"a"}
        if made is WithMethod:
            assert store.partition() == "of the user"


class AsyncFlush(Seen):
    async def flush(self) -> None: ...  # type: ignore[override]


class AsyncRestore(Seen):
    def init(self, stateStoreContext: Any, root: Any) -> None:
        async def restore(key: bytes, value: bytes | None) -> None: ...

        stateStoreContext.register(root, restore)


class AsyncPut(Seen):
    async def put(self, key: bytes, value: bytes | None) -> None: ...

    async def get(self, key: bytes) -> None: ...


class LazyPut(AsyncPut):
    def put(self, key: bytes, value: bytes | None) -> Iterator[None]:  # type: ignore[override]
        yield


class Supplier(KeyValueBytesStoreSupplier):
    def __init__(self, made: type[Any]) -> None:
        self._made = made

    def name(self) -> str:
        return "seen"

    def get(self) -> Any:
        return self._made()

    def metricsScope(self) -> str:
        return "own"


@pytest.mark.parametrize("made", [AsyncFlush, AsyncRestore, AsyncPut, LazyPut])
def test_a_store_whose_methods_would_not_run_is_refused(made: type[Any]) -> None:
    builder = StreamsBuilder()
    if issubclass(made, AsyncPut):
        store = Stores.keyValueStoreBuilder(Supplier(made), TEXT, TEXT)
        builder.addStateStore(store)
    else:
        builder.addStateStore(OwnBuilder("seen", made))
    builder.stream("in").process(Add, "seen")
    config = {"default.key.serde": TEXT, "default.value.serde": TEXT}
    with pytest.raises(ClassCastException, match="cannot be an? (async|generator) function"):
        TopologyTestDriver(builder.build(), config)
