"""StreamsConfig and TopologyConfig."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from datetime import timedelta
from typing import Any

import pytest

from millstream import KafkaStreams, Topology
from millstream.core.config import StreamsConfig, TopologyConfig
from millstream.core.config.clients import plain_admin_settings, plain_consumer_settings
from millstream.core.errors import ConfigException, IllegalArgumentException, StreamsException
from millstream.core.handlers import LogAndContinueExceptionHandler, ProcessingExceptionHandler
from millstream.core.serdes import LongSerde, Serdes, StringSerde
from millstream.core.timestamps import WallclockTimestampExtractor
from millstream.testing import TopologyTestDriver

LOG_AND_CONTINUE = "org.apache.kafka.streams.errors.LogAndContinueExceptionHandler"
REQUIRED = {"application.id": "app", "bootstrap.servers": "a:1, b:2"}


def config(**entries: Any) -> Any:
    return StreamsConfig(REQUIRED | {k.replace("_", "."): v for k, v in entries.items()})


def with_entry(key: Any, value: Any) -> Any:
    return StreamsConfig(REQUIRED | {key: value})


def test_defaults_are_kafkas() -> None:
    plain = config()
    assert plain.getLong(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG) == 30_000
    assert plain.getLong(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG) == 10 * 1024 * 1024
    assert plain.getString(StreamsConfig.PROCESSING_GUARANTEE_CONFIG) == "at_least_once"
    assert plain.getString(StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG) == "none"
    assert plain.getList(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG) == ["a:1", "b:2"]
    assert plain.getLong(StreamsConfig.WINDOW_SIZE_MS_CONFIG) is None
    assert plain.default_key_serde() is None
    assert plain.originals() == REQUIRED


def test_every_key_has_a_constant() -> None:
    names = set(map(str, vars(StreamsConfig).values()))
    assert [key for key in StreamsConfig.configDef() if key not in names] == []


@pytest.mark.parametrize(
    ("key", "value", "parsed"),
    [
        ("commit.interval.ms", " 5 ", 5),
        ("commit.interval.ms", timedelta(seconds=2), 2000),
        ("num.stream.threads", "3", 3),
        ("enable.metrics.push", "FALSE", False),
        ("bootstrap.servers", ["x:1"], ["x:1"]),
        ("security.protocol", "sasl_ssl", "sasl_ssl"),
        (
            "topology.optimization",
            "merge.repartition.topics, single.store.self.join",
            "merge.repartition.topics, single.store.self.join",
        ),
    ],
)
def test_entries_are_parsed(key: Any, value: Any, parsed: Any) -> None:
    assert with_entry(key, value).get(key) == parsed


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        (
            "commit.interval.ms",
            -1,
            "Invalid value -1 for configuration commit.interval.ms: Value must be at least 0",
        ),
        (
            "commit.interval.ms",
            "x",
            "Invalid value x for configuration commit.interval.ms: Not a number of type LONG",
        ),
        (
            "commit.interval.ms",
            None,
            "Invalid value null for configuration commit.interval.ms: Value must be non-null",
        ),
        (
            "commit.interval.ms",
            1.5,
            (
                "Invalid value 1.5 for configuration commit.interval.ms: Expected value to be "
                "a 64-bit integer, but it was a float"
            ),
        ),
        (
            "num.stream.threads",
            2**31,
            (
                "Invalid value 2147483648 for configuration num.stream.threads: It does not "
                "fit into a 32-bit integer"
            ),
        ),
        (
            "processing.guarantee",
            "exactly_once",
            (
                "Invalid value exactly_once for configuration processing.guarantee: String must "
                "be one of: at_least_once, exactly_once_v2"
            ),
        ),
        (
            "enable.metrics.push",
            "yes",
            (
                "Invalid value yes for configuration enable.metrics.push: Expected value to be "
                "either true or false"
            ),
        ),
        (
            "topology.optimization",
            "all,none",
            (
                '"all,none" is not a valid optimization config. Acceptable values are: "none", '
                '"all", or a comma separated list of specific optimizations: '
                "(reuse.ktable.source.topics, merge.repartition.topics, single.store.self.join)."
            ),
        ),
        (
            "default.key.serde",
            "nope.Nope",
            (
                "Invalid value nope.Nope for configuration default.key.serde: Class nope.Nope "
                "could not be found."
            ),
        ),
        (
            "default.key.serde",
            "../nope",
            (
                "Invalid value ../nope for configuration default.key.serde: Class ../nope "
                "could not be found."
            ),
        ),
    ],
)
def test_wrong_entries_are_refused_by_key_and_value(key: Any, value: Any, text: Any) -> None:
    with pytest.raises(ConfigException) as caught:
        with_entry(key, value)
    assert caught.value.problem == text


def test_required_entries() -> None:
    with pytest.raises(ConfigException) as caught:
        StreamsConfig({"bootstrap.servers": "x:1"})
    assert str(caught.value) == (
        'Missing required configuration "application.id" which has no default value.'
    )


@pytest.mark.parametrize(
    "value",
    [
        "org.apache.kafka.common.serialization.Serdes$StringSerde",
        "millstream.core.serdes.StringSerde",
        "millstream.core.serdes:StringSerde",
        StringSerde,
        StringSerde(),
        Serdes.String,
    ],
)
def test_classes_may_be_names_classes_or_objects(value: Any) -> None:
    assert isinstance(with_entry("default.key.serde", value).defaultKeySerde(), StringSerde)


def test_serdes_are_configured() -> None:
    entries = {"default.value.serde": StringSerde, "value.serializer.encoding": "latin-1"}
    serde = StreamsConfig(REQUIRED | entries).defaultValueSerde()
    assert serde.serializer().serialize("t", "é") == b"\xe9"
    with pytest.raises(ConfigException, match="Please specify a key serde"):
        config().defaultKeySerde()


def test_what_is_no_serde_is_refused() -> None:
    with pytest.raises(ConfigException) as caught:
        with_entry("default.key.serde", int).default_key_serde()
    assert str(caught.value) == (
        "Invalid value int for configuration default.key.serde: it has no method serializer()"
    )


def test_handlers_are_made_configured_and_found_under_the_old_key() -> None:
    found = StreamsConfig(
        REQUIRED
        | {
            "default.deserialization.exception.handler": LOG_AND_CONTINUE,
        }
    ).deserializationExceptionHandler()
    assert isinstance(found, LogAndContinueExceptionHandler)
    found = config().deserializationExceptionHandler()
    assert type(found).__name__ == "LogAndFailExceptionHandler"


def test_callables_stand_for_handlers_and_extractors() -> None:
    answer = ProcessingExceptionHandler.Response.resume()
    entries = {
        "processing.exception.handler": lambda context, record, exception: answer,
        "default.timestamp.extractor": lambda record, partition_time: partition_time + 1,
    }
    found = StreamsConfig(REQUIRED | entries)
    assert found.processingExceptionHandler().handleError(None, None, None) is answer
    assert found.defaultTimestampExtractor().extract(None, 4) == 5


def test_extractors_by_javas_name() -> None:
    name = "org.apache.kafka.streams.processor.WallclockTimestampExtractor"
    found = with_entry("default.timestamp.extractor", name)
    assert found.getClass("default.timestamp.extractor") is WallclockTimestampExtractor


def test_exactly_once_commits_more_often() -> None:
    assert config(processing_guarantee="exactly_once_v2").getLong("commit.interval.ms") == 100
    with pytest.raises(IllegalArgumentException, match="Transaction timeout 10000 was set lower"):
        config(processing_guarantee="exactly_once_v2", commit_interval_ms=20_000)


def test_the_cache_has_two_keys() -> None:
    assert config(cache_max_bytes_buffering=5).cache_bytes() == 5
    assert config(cache_max_bytes_buffering=5, statestore_cache_max_bytes=6).cache_bytes() == 6


def test_clients_settings() -> None:
    found = StreamsConfig(
        REQUIRED
        | {
            "processing.guarantee": "exactly_once_v2",
            "fetch.max.bytes": 5,
            "spark.sql.shuffle.partitions": 2,
            StreamsConfig.consumerPrefix("max.poll.records"): 7,
            StreamsConfig.mainConsumerPrefix("max.poll.records"): 8,
            StreamsConfig.producerPrefix("linger.ms"): 9,
            StreamsConfig.producerPrefix("enable.idempotence"): False,
        }
    )
    assert plain_consumer_settings(found, "main.consumer.", exactly_once=True) == {
        "bootstrap.servers": "a:1,b:2",
        "fetch.max.bytes": 5,
        "auto.offset.reset": "earliest",
        "max.poll.records": 8,
        "group.protocol": "classic",
        "enable.auto.commit": "false",
        "allow.auto.create.topics": "false",
        "isolation.level": "read_committed",
    }
    assert found.getRestoreConsumerConfigs("c")["max.poll.records"] == 7
    assert found.getProducerConfigs("p")["linger.ms"] == 9
    assert plain_admin_settings(found) == {
        "bootstrap.servers": "a:1,b:2",
        "enable.metrics.push": True,
    }


def test_other_clients_get_no_settings_of_javas_assignor() -> None:
    entries = {
        "topic.segment.bytes": 5,
        "main.consumer.isolation.level": "read_uncommitted",
        "main.consumer.bootstrap.servers": "z:1",
        "processing.guarantee": "exactly_once_v2",
        "partition.assignment.strategy": "x",
        "acks": "all",
        "own.setting": 1,
    }
    config = StreamsConfig(REQUIRED | entries)
    found = plain_consumer_settings(config, "main.consumer.", exactly_once=True)
    assert found.keys() & entries.keys() == {"own.setting"}
    assert found["isolation.level"] == "read_committed"
    assert found["bootstrap.servers"] == "a:1,b:2"


def test_a_likely_slip_is_warned_of(caplog: Any) -> None:
    with caplog.at_level(logging.WARNING):
        StreamsConfig(
            REQUIRED
            | {
                "commit.intervall.ms": 5,
                "consumer.commit.intervall.ms": 5,
                "something.else": 1,
            }
        )
    assert [record.getMessage() for record in caplog.records] == [
        'configuration key "commit.intervall.ms" has no effect: did you mean "commit.interval.ms"?'
    ]


@pytest.mark.parametrize(
    "slip",
    ["commit_interval_ms", "COMMIT_INTERVAL_MS_CONFIG", "Commit.Interval.Ms", "commit-interval-ms"],
)
def test_a_key_in_another_spelling_is_warned_of(slip: str, caplog: Any) -> None:
    with caplog.at_level(logging.WARNING):
        StreamsConfig(REQUIRED | {slip: 5})
    assert [record.getMessage() for record in caplog.records] == [
        f'configuration key "{slip}" has no effect: did you mean "commit.interval.ms"?'
    ]


def test_unknown_keys_pass_through_but_cannot_be_asked_for_by_type() -> None:
    found = with_entry("spark.master", "local[2]")
    assert found.originalsWithPrefix("spark.") == {"master": "local[2]"}
    assert found.originalsWithPrefix("spark.", False) == {"spark.master": "local[2]"}
    with pytest.raises(ConfigException) as caught:
        found.get("comit.interval.ms")
    assert caught.value.hint == 'Did you mean "commit.interval.ms"?'


def test_optimizations() -> None:
    verify = StreamsConfig.verifyTopologyOptimizationConfigs
    assert verify("none") == set()
    assert len(verify(StreamsConfig.OPTIMIZE)) == 3
    assert verify("merge.repartition.topics") == {StreamsConfig.MERGE_REPARTITION_TOPICS}


def test_client_tags() -> None:
    entries = {"client.tag.zone": "a", "rack.aware.assignment.tags": "zone"}
    assert StreamsConfig(REQUIRED | entries).getClientTags() == {"zone": "a"}
    with pytest.raises(ConfigException, match=r"Contains invalid value \[rack\]"):
        with_entry("rack.aware.assignment.tags", "rack")


def test_topologies_heed_their_own_entries_only_with_a_name() -> None:
    application = config(max_task_idle_ms=5)
    assert TopologyConfig(application).maxTaskIdleMs == 5
    named = TopologyConfig(
        "t", application, {"max.task.idle.ms": 7, "default.dsl.store": "in_memory"}
    )
    assert (named.maxTaskIdleMs, named.resolveDslStoreSuppliers()) == (7, "in_memory")
    unnamed = TopologyConfig(None, application, {"max.task.idle.ms": 7})
    assert (unnamed.maxTaskIdleMs, unnamed.resolveDslStoreSuppliers()) == (5, None)
    assert named.getTaskConfig().maxTaskIdleMs == 7
    assert named.isNamedTopology()
    assert not unnamed.isNamedTopology()


def test_long_serde_class_is_found() -> None:
    assert with_entry("default.value.serde", LongSerde).getClass("default.value.serde") is LongSerde


class Misconfigured(StringSerde):
    def configure(self, configs: Any, isKey: bool) -> None:
        raise RuntimeError("no schema registry")


def test_a_serde_that_cannot_be_configured_is_named() -> None:
    for role, key in (("key", "default.key.serde"), ("value", "default.value.serde")):
        with pytest.raises(StreamsException) as caught:
            getattr(with_entry(key, Misconfigured), f"default{role.capitalize()}Serde")()
        assert caught.value.problem == f"Failed to configure {role} serde Misconfigured"
        assert isinstance(caught.value.__cause__, RuntimeError)
        assert "no schema registry" in caught.value.detail


def test_no_wrapper_is_a_class_too() -> None:
    wrapper = config().getClass(StreamsConfig.PROCESSOR_WRAPPER_CLASS_CONFIG)
    assert wrapper.__name__ == "NoOpProcessorWrapper"
    assert TopologyConfig(config()).processor_wrapper() is None


def test_an_empty_application_id_is_for_the_test_driver_only() -> None:
    topology = Topology().addSource("source", "in").addSink("sink", "out", "source")
    entries = {"application.id": "", "bootstrap.servers": "a:1"}
    TopologyTestDriver(
        topology, entries | {"default.key.serde": StringSerde, "default.value.serde": StringSerde}
    ).close()
    with pytest.raises(ConfigException, match=r"application\.id"):
        KafkaStreams(topology, entries)


def test_the_configuration_needs_no_directory_for_temporary_files() -> None:
    """The test driver writes none, and an application may have a state.dir."""
    program = """
import tempfile
tempfile._candidate_tempdir_list = lambda: ["/nowhere"]
from millstream import StreamsConfig
entries = {"application.id": "a", "bootstrap.servers": "b:1"}
print(StreamsConfig(entries).getString("state.dir"))
"""
    environment = {**os.environ, "TMPDIR": "/elsewhere"}
    done = subprocess.run(  # noqa: S603 - this Python, with the program above
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "/elsewhere/kafka-streams\n"
