"""A commit calls the flush of a user's own store, also where it hands on the rest."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.stores.test_users_stores import Supplier, with_own
from compat_tests.topology.driving import Piping
from millstream import Materialized, ProcessorStateException, Stores, StreamsBuilder


class OwnFlush:
    """Hands on what it has not to the store below."""

    def __init__(self, below: Any) -> None:
        self.below = below

    def __getattr__(self, name: str) -> Any:
        return getattr(self.below, name)

    def flush(self) -> None:
        raise OSError("the disk is full")


@pytest.mark.parametrize("own", ["store", "bytes"])
def test_the_flush_of_a_store_that_hands_on_the_rest_is_called(own: str) -> None:
    """That of the store below was, and nothing said so."""

    class Flushing(Supplier):
        def get(self) -> Any:
            return OwnFlush(self.inner.get())

    if own == "store":
        supplier = Stores.inMemoryKeyValueStore("own")
        topology = with_own(OwnFlush(Stores.keyValueStoreBuilder(supplier, None, None).build()))
    else:
        stored = Materialized.as_(Flushing(Stores.inMemoryKeyValueStore("own")))
        builder = StreamsBuilder()
        builder.stream("in").groupByKey().count(stored).toStream().mapValues(str).to("out")
        topology = builder.build()
    piping = Piping(topology)
    with pytest.raises(ProcessorStateException, match='cannot flush store "own"') as caught:
        piping.pipe("in", "a", "1", 5)
    assert "the disk is full" in str(caught.value)
