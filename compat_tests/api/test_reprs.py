"""Every public object has a readable ``repr``: none says only its class and its address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from compat_tests.api.generate import groups
from compat_tests.api.names import python_class
from compat_tests.api.replay import Replay
from millstream import (
    Consumed,
    JsonSerde,
    KafkaStreams,
    Processor,
    Serdes,
    Serializer,
    StoreBuilder,
    Stores,
    StreamsBuilder,
    StreamsConfig,
    StreamsMetrics,
    Topology,
    TopologyTestDriver,
    ValueMapper,
)
from millstream.testing import MockProcessorContext, TestRecord
from millstream.testing.broker import EmbeddedBroker, KafkaCluster

CALLS = groups()
OPAQUE = re.compile(r"<[^<>]* object at 0x")
CONFIG = {"application.id": "app", "bootstrap.servers": "localhost:9"}


def made(owner: str) -> Iterator[Any]:
    """All that the calls of a class make or are made on, in the calls that Kafka was asked."""
    for steps in CALLS[owner].values():
        replay = Replay()
        for step, expression in steps.items():
            try:
                value = replay.known[step] = replay.value(expression)
            except Exception:  # noqa: BLE001, S112 - such a call has a test of its own
                continue
            yield value
        replay.close()


@pytest.mark.parametrize("owner", [each for each in CALLS if python_class(each) is not None])
def test_what_the_api_makes_can_be_read(owner: str) -> None:
    opaque = {type(each).__name__ for each in made(owner) if OPAQUE.search(repr(each))}
    assert opaque == set()


class Mine(Serializer[str]):
    def serialize(self, topic: str, data: str | None) -> bytes | None:
        return None


class Works(Processor[str, str, str, str]):
    def process(self, record: Any) -> None:
        pass


class Unready(StoreBuilder[Any]):
    """A user's own that cannot say its name yet."""

    def name(self) -> str:
        raise RuntimeError("not ready")


Unready.__abstractmethods__ = frozenset()


def test_own_classes_and_what_users_make_of_them_can_be_read() -> None:
    text = Serdes.String()
    assert repr(text.serializer()) == "StringSerializer()"
    assert repr(JsonSerde().deserializer()) == "JsonDeserializer()"
    assert (repr(Mine()), repr(Works())) == ("Mine()", "Works()")
    assert repr(Unready()) == "Unready()"  # type: ignore[abstract]
    assert repr(KafkaCluster(["a:1", "b:2"])) == "KafkaCluster('a:1,b:2')"
    assert repr(EmbeddedBroker(port=20_001)) == "EmbeddedBroker('127.0.0.1:20001')"
    assert repr(StreamsMetrics()) == "StreamsMetrics()"
    assert repr(ValueMapper.of(str.upper)) == repr(str.upper)
    assert repr(TestRecord("k", 1, 5)) == (
        "TestRecord(key='k', value=1, headers=Headers(), timestamp=5)"
    )
    assert repr(MockProcessorContext()) == (
        "MockProcessorContext(task_id=0_0, forwards=[], punctuators=[])"
    )


def test_streams_and_tables_tell_their_place() -> None:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    table = stream.groupByKey().count()
    assert repr(stream) == "KStream('KSTREAM-SOURCE-0000000000')"
    assert repr(stream.groupByKey()) == "KGroupedStream('KSTREAM-SOURCE-0000000000')"
    assert repr(table) == "KTable('KSTREAM-AGGREGATE-0000000002')"
    assert repr(builder.table("rows")).startswith("KTable('KTABLE-SOURCE-")
    assert repr(builder.globalTable("all")).startswith("GlobalKTable(store='all-STATE-STORE-")
    assert repr(builder) == "StreamsBuilder(4 operations)"
    assert repr(stream.split()).endswith(", branches=0)")


def test_topologies_drivers_and_stores_tell_their_names() -> None:
    topology = Topology().addSource("source", "in").addProcessor("p", Works, "source")
    builder = Stores.keyValueStoreBuilder(
        Stores.inMemoryKeyValueStore("kept"), Serdes.String(), Serdes.String()
    )
    topology.addStateStore(builder, "p")
    assert repr(topology) == "Topology(source, p)"
    assert repr(builder) == "KeyValueBuilder('kept')"
    assert repr(topology.describe()) == str(topology.describe())
    read = {"default.key.serde": Serdes.String(), "default.value.serde": Serdes.String()}
    with TopologyTestDriver(topology, CONFIG | read) as driver:
        assert repr(driver) == "TopologyTestDriver('app')"
        assert repr(driver.getKeyValueStore("kept")) == "SerdeKeyValueStore('kept')"
        assert repr(driver.getKeyValueStore("kept").all()) == "Entries()"


def test_no_entry_of_a_configuration_is_shown_but_its_name() -> None:
    secret = CONFIG | {"sasl.jaas.config": 'password="hidden";', "ssl.key.password": "hidden"}
    config = StreamsConfig(secret)
    assert repr(config) == "StreamsConfig(application.id='app', 4 entries)"
    builder = StreamsBuilder()
    builder.stream("in", Consumed.with_(Serdes.String(), Serdes.String())).to("out")
    streams = KafkaStreams(builder.build(), config)
    assert repr(streams) == "KafkaStreams('app', CREATED)"
