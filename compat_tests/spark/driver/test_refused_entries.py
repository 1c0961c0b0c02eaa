"""Entries and numbers that would be found wrong only when a query runs, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.spark.applications.test_checks_before_start import pass_through
from millstream import (
    ConfigException,
    IllegalArgumentException,
    KafkaStreams,
    Repartitioned,
    RocksDBConfigSetter,
    RocksDBOptions,
    Serdes,
    StreamsBuilder,
    Topology,
    TopologyTestDriver,
)
from millstream.topology.spark.driver.line import trigger_of

TEXT = Serdes.String()
SERDES = {"default.key.serde": TEXT, "default.value.serde": TEXT}
ENTRIES = {"application.id": "app", "bootstrap.servers": "127.0.0.1:9092", **SERDES}
COPY = pass_through("in", "out")


class NoSetter: ...


class Setter(RocksDBConfigSetter):
    def setConfig(self, storeName: str, options: RocksDBOptions, configs: Any) -> None: ...

    def close(self, storeName: str, options: RocksDBOptions) -> None: ...


@pytest.mark.parametrize("host", [KafkaStreams, TopologyTestDriver])
def test_a_setter_of_rocksdb_is_checked_before_a_store_opens(host: Any) -> None:
    with pytest.raises(ConfigException, match=r"NoSetter for .* rocksdb.config.setter: it has no"):
        host(COPY, ENTRIES | {"rocksdb.config.setter": NoSetter})
    host(COPY, ENTRIES | {"rocksdb.config.setter": Setter}).close()


@pytest.mark.parametrize("master", ["", " "])
def test_an_empty_master_is_named(master: str) -> None:
    with pytest.raises(ConfigException, match=r"for configuration spark\.master: It must not be"):
        KafkaStreams(COPY, ENTRIES | {"spark.master": master})


def test_a_negative_pause_between_ticks_is_named() -> None:
    """With punctuations by the wall clock it was `the Spark query failed`."""
    with pytest.raises(ConfigException, match=r"-5 for configuration poll\.ms: Value must be at"):
        KafkaStreams(COPY, ENTRIES | {"poll.ms": -5})
    KafkaStreams(COPY, ENTRIES | {"poll.ms": 0})


@pytest.mark.parametrize("interval_ms", [0, 30_000, 2**63 - 1])
def test_the_longest_interval_of_commits_is_one_that_spark_takes(interval_ms: int) -> None:
    number, unit = trigger_of(interval_ms).split()
    assert unit == "milliseconds"
    assert int(number) * 1000 < 2**63
    assert int(number) == interval_ms or int(number) > 2**49


def repartitioned(partitions: int) -> Topology:
    builder = StreamsBuilder()
    how: Any = Repartitioned.numberOfPartitions(partitions)
    builder.stream("in").repartition(how).to("out")
    return builder.build()


@pytest.mark.parametrize("partitions", [0, -1])
def test_a_topic_without_partitions_is_refused_where_there_is_a_broker(partitions: int) -> None:
    """Kafka Streams' test driver takes it, and its applications fail when they have begun."""
    topology = repartitioned(partitions)
    with TopologyTestDriver(topology, SERDES):
        pass
    with pytest.raises(
        IllegalArgumentException, match=r"partitions must be at least 1\."
    ) as caught:
        KafkaStreams(topology, ENTRIES)
    assert f'"KSTREAM-REPARTITION-0000000001-repartition" has {partitions}.' in caught.value.detail
    KafkaStreams(repartitioned(1), ENTRIES)
