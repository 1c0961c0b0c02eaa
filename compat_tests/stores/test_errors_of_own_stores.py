"""Errors of users' own stores: each is told, with the store that it is of."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.stores.handing_on import HandsOn, SuppliesOver
from compat_tests.stores.test_users_stores import Supplier, results, with_own
from compat_tests.topology.driving import Piping
from millstream import (
    IllegalStateException,
    Materialized,
    ProcessorStateException,
    Stores,
    StreamsBuilder,
    StreamsException,
)


class OwnFlush(HandsOn):
    """Its own ``flush`` fails."""

    def flush(self) -> None:
        raise OSError("the disk is full")


@pytest.mark.parametrize("own", ["store", "bytes"])
def test_the_flush_of_a_store_that_hands_on_the_rest_is_called(own: str) -> None:
    """That of the store below was, and nothing said so."""
    if own == "store":
        supplier = Stores.inMemoryKeyValueStore("own")
        topology = with_own(OwnFlush(Stores.keyValueStoreBuilder(supplier, None, None).build()))
    else:
        stored = Materialized.as_(SuppliesOver(Stores.inMemoryKeyValueStore("own"), OwnFlush))
        builder = StreamsBuilder()
        builder.stream("in").groupByKey().count(stored).toStream().mapValues(str).to("out")
        topology = builder.build()
    piping = Piping(topology)
    with pytest.raises(ProcessorStateException, match='cannot flush store "own"') as caught:
        piping.pipe("in", "a", "1", 5)
    assert "the disk is full" in str(caught.value)


@pytest.mark.parametrize("lazily", [False, True])
@pytest.mark.parametrize(
    ("kind", "method"),
    [
        ("key-value", "put"),
        ("key-value", "get"),
        ("window", "put"),
        ("window", "fetch"),
        ("session", "findSessions"),
        ("session", "remove"),
    ],
)
def test_the_store_and_its_method_are_named(kind: str, method: str, lazily: bool) -> None:
    """The operator was named, and of the store only the line of its ``put``."""

    def broken() -> Any:
        yield 1 // 0

    def change(called: str, answer: Any) -> Any:
        if called != method:
            return answer
        return broken() if lazily and hasattr(answer, "hasNext") else 1 // 0

    with pytest.raises(StreamsException) as caught:
        results(kind, change)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert f'{method}() of store "s"' in str(caught.value)


def test_a_supplier_and_its_store_have_one_name() -> None:
    """Kafka finds no store then; here two such stores shared their entries."""

    class Misnamed(Supplier):
        def name(self) -> str:
            return "counts"

    builder = StreamsBuilder()
    stored = Materialized.as_(Misnamed(Stores.inMemoryKeyValueStore("other")))
    builder.stream("in").groupByKey().count(stored).toStream().mapValues(str).to("out")
    with pytest.raises(IllegalStateException, match='"counts" made a store with the name "other"'):
        Piping(builder.build())
