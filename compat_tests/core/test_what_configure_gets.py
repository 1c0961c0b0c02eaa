"""What `configure` gets: the entries that were given, as Kafka Streams' `originals()`.

A Java program has printed what each of these classes gets from Kafka Streams 4.3.1: a map of its
own with the entries as they were given, without defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from millstream import (
    BuiltInDslStoreSuppliers,
    DefaultProductionExceptionHandler,
    LogAndContinueExceptionHandler,
    LogAndContinueProcessingExceptionHandler,
    Materialized,
    ProcessorWrapper,
    Serde,
    Serdes,
    Serializer,
    StreamsBuilder,
    StreamsConfig,
    Topology,
    TopologyConfig,
)
from millstream.testing import TopologyTestDriver

GOT: dict[str, Any] = {}


def note(who: str, configs: Any) -> None:
    GOT[who] = dict(configs)
    configs["a change of its own"] = 1


class OwnSerde(Serde[str]):
    def configure(self, configs: Mapping[str, Any], isKey: bool) -> None:
        note(f"serde {isKey}", configs)

    def serializer(self) -> Any:
        return Serdes.String().serializer()

    def deserializer(self) -> Any:
        return Serdes.String().deserializer()


class Reading(LogAndContinueExceptionHandler):
    def configure(self, configs: Mapping[str, Any]) -> None:
        note("reading", configs)


class Processing(LogAndContinueProcessingExceptionHandler):
    def configure(self, configs: Mapping[str, Any]) -> None:
        note("processing", configs)


class Writing(DefaultProductionExceptionHandler):
    def configure(self, configs: Mapping[str, Any]) -> None:
        note("writing", configs)


class Wrapper(ProcessorWrapper[Any, Any, Any, Any]):
    def configure(self, configs: Mapping[str, Any]) -> None:
        note("wrapper", configs)

    def wrapProcessorSupplier(self, processorName: str, processorSupplier: Any) -> Any:
        return ProcessorWrapper.asWrapped(processorSupplier)

    def wrapFixedKeyProcessorSupplier(self, processorName: str, processorSupplier: Any) -> Any:
        return ProcessorWrapper.asWrappedFixedKey(processorSupplier)


CONFIG: dict[str, Any] = {
    "application.id": "app",
    "bootstrap.servers": "x:1",
    "my.key": 5,
    "commit.interval.ms": "7",
    "default.key.serde": OwnSerde,
    "default.value.serde": OwnSerde,
    "deserialization.exception.handler": Reading,
    "processing.exception.handler": Processing,
    "production.exception.handler": Writing,
    "processor.wrapper.class": Wrapper,
}


@pytest.fixture(autouse=True)
def _new() -> None:
    GOT.clear()


def test_each_gets_the_entries_as_they_were_given() -> None:
    builder = StreamsBuilder(TopologyConfig(StreamsConfig(CONFIG)))
    builder.stream("in").groupByKey().count(Materialized.as_("s"))
    with TopologyTestDriver(builder.build(CONFIG), CONFIG):
        pass
    halves = {"serde True", "serde False"}
    assert set(GOT) == {"reading", "processing", "writing", "wrapper"} | halves
    for who, configs in GOT.items():
        assert configs == CONFIG, who
        kinds = (type(configs["my.key"]), type(configs["commit.interval.ms"]))
        assert kinds == (int, str)


class Role(Serializer[str]):
    """Writes for what it was configured."""

    role = b""

    def configure(self, configs: Mapping[str, Any], isKey: bool) -> None:
        self.role = b"key" if isKey else b"value"

    def serialize(self, topic: str, data: str | None) -> bytes | None:
        return self.role


class Uncopied(Role):
    def __deepcopy__(self, memo: Any) -> Any:
        raise TypeError("it has a lock")


@pytest.mark.parametrize(("half", "keys"), [(Role, b"key"), (Uncopied, b"value")])
def test_one_object_may_be_both_default_serdes(
    half: type[Role], keys: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    both = Serdes.serdeFrom(half(), Serdes.String().deserializer())
    entries = CONFIG | {"default.key.serde": both, "default.value.serde": both}
    config = StreamsConfig(entries)
    for _ in range(2):
        values, found = config.defaultValueSerde(), config.defaultKeySerde()
        assert values is both
        assert values.serializer().serialize("t", "x") == b"value"
        assert found.serializer().serialize("t", "x") == keys
    assert ("Give each entry an object of its own" in caplog.text) is (half is Uncopied)
    same = Serdes.serdeFrom(lambda topic, data: data, lambda topic, data: data)
    entries |= {"default.key.serde": same, "default.value.serde": same}
    assert StreamsConfig(entries).defaultKeySerde() is same


class Suppliers(BuiltInDslStoreSuppliers.InMemoryDslStoreSuppliers):
    def configure(self, configs: Mapping[str, Any]) -> None:
        note("suppliers", configs)


def counted(materialized: Any, topology_config: TopologyConfig | None = None) -> Topology:
    builder = StreamsBuilder() if topology_config is None else StreamsBuilder(topology_config)
    builder.stream("in").groupByKey().count(materialized)
    return builder.build()


def test_suppliers_of_stores_are_configured_where_the_application_names_them() -> None:
    """As in 4.3.1: by the factory of a store, not by TopologyConfig or for a program's own."""
    config = CONFIG | {"dsl.store.suppliers.class": Suppliers}
    with TopologyTestDriver(counted(Materialized.as_("s")), config):
        assert GOT["suppliers"] == config
    GOT.clear()
    of_topology = TopologyConfig(StreamsConfig(config))
    for topology in (
        counted(Materialized.as_("s").withStoreType(Suppliers())),
        counted(Materialized.as_("s"), of_topology),
    ):
        with TopologyTestDriver(topology, CONFIG):
            pass
        assert "suppliers" not in GOT


def test_a_processor_is_shown_parsed_entries_and_defaults() -> None:
    """`appConfigs()` has the values, too: 77 of them there."""
    config = StreamsConfig({"application.id": "app", "bootstrap.servers": "x:1", "my.key": 5})
    assert config.originals() == {"application.id": "app", "bootstrap.servers": "x:1", "my.key": 5}
    assert config.values()["num.stream.threads"] == 1
