"""Odd arguments of addGlobalStore and addReadOnlyStateStore: refused at the call."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import (
    Consumed,
    MillstreamError,
    Serdes,
    Stores,
    StreamsBuilder,
    Topology,
    TopologyException,
)

TEXT = Serdes.String()
READ = Consumed.with_(TEXT, TEXT)
READS = TEXT.deserializer()


class Fills:
    def process(self, record: Any) -> None: ...


def builder() -> Any:
    store = Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("s"), TEXT, TEXT)
    return store.withLoggingDisabled()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((builder(), "t", READ, Fills()), "the supplier of addGlobalStore\\(\\) is a Fills"),
        ((builder(), "t", READ, 5), "the supplier of addGlobalStore\\(\\) is an int"),
        ((builder(), "t", READ, lambda one: one), "cannot be called with \\(\\)"),
        ((builder(), "t", TEXT, Fills), "consumed cannot be a StringSerde"),
        ((builder(), 5, READ, Fills), "topic cannot be an int"),
        ((5, "t", READ, Fills), "storeBuilder cannot be an int"),
    ],
)
def test_a_stream_builder_refuses_what_makes_no_global_store(arguments: Any, problem: str) -> None:
    with pytest.raises(MillstreamError, match=problem) as caught:
        StreamsBuilder().addGlobalStore(*arguments)
    assert caught.value.hint


@pytest.mark.parametrize("method", ["addGlobalStore", "addReadOnlyStateStore"])
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((builder(), "src", READS, READS, "t", "p", Fills()), 'the supplier of processor "p"'),
        ((builder(), "src", READS, READS, "t", "p", lambda: None), "generates single reference"),
        ((builder(), "src", READS, READS, 5, "p", Fills), "topic"),
        ((builder(), "src", READS, 5, "t", "p", Fills), "an int as a deserializer"),
        ((builder(), "src", TEXT, READS, "t", "p", Fills), "a StringSerde is no deserializer"),
        ((5, "src", READS, READS, "t", "p", Fills), "storeBuilder cannot be an int"),
    ],
)
def test_a_topology_refuses_what_makes_no_store(method: str, arguments: Any, problem: str) -> None:
    with pytest.raises(MillstreamError, match=problem) as caught:
        getattr(Topology(), method)(*arguments)
    assert caught.value.hint


def test_logging_of_a_global_store_is_switched_off() -> None:
    logged = Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("s"), TEXT, TEXT)
    topology = Topology().addSource("in", "words").addProcessor("p", Fills, "in")
    topology.addGlobalStore(logged, "src", READS, READS, "t", "g", Fills)
    assert not logged.loggingEnabled()
    with pytest.raises(TopologyException, match="A different GlobalStateStore has already been"):
        topology.addGlobalStore(logged, "src 2", READS, READS, "t2", "g2", Fills)
    with pytest.raises(TopologyException, match="Global StateStore s can be used by a Processor"):
        topology.connectProcessorAndStateStores("p", "s")


def test_a_supplier_of_one_processor_is_refused_when_the_topology_is_built() -> None:
    streams, only = StreamsBuilder(), Fills()
    streams.addGlobalStore(builder(), "t", READ, lambda: only)
    with pytest.raises(MillstreamError, match="must return a new object each time"):
        streams.build()
