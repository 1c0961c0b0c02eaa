"""What is refused in the constructor, or before broker and Spark are asked for anything."""

from __future__ import annotations

import os
import pwd
import shutil
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from queue import Queue
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark import SparkConf, SparkContext
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from compat_tests.spark.applications.test_checks_before_start import NO_SPARK, pass_through, started
from compat_tests.spark.support import Playground
from millstream import (
    ClassCastException,
    ConfigException,
    Consumed,
    KafkaStreams,
    KStream,
    Materialized,
    NullPointerException,
    Processor,
    Serdes,
    StreamsBuilder,
    StreamsConfig,
    StreamsException,
    Topology,
)
from millstream.core.errors import ProcessorStateException
from millstream.jars.errors import JavaNotFoundError
from millstream.testing import TopologyTestDriver
from millstream.topology.spark.driver import preflight
from millstream.topology.spark.driver.connector import connector_needed as connector
from millstream.topology.spark.driver.pickled import pickled

ENTRIES = {"application.id": "app", "bootstrap.servers": "127.0.0.1:9092"}
COPY = pass_through("in", "out")


def with_entries(**entries: Any) -> KafkaStreams:
    return KafkaStreams(
        COPY, ENTRIES | {key.replace("_", "."): value for key, value in entries.items()}
    )


@pytest.mark.parametrize(
    "servers",
    [
        "broker",
        "broker:",
        "a:1,broker",
        "broker:0",
        "broker:70000",
        "http://a/b:1",
        ":9092",
        "a b:1",
    ],
)
def test_an_address_without_a_port_is_refused(servers: str) -> None:
    with pytest.raises(ConfigException, match="Invalid url in bootstrap.servers") as caught:
        with_entries(bootstrap_servers=servers)
    assert "such as" in caught.value.hint


@pytest.mark.parametrize("servers", ["a:1", "a.b-c:9092, [::1]:9092", "PLAINTEXT://a:9", ["a:1"]])
def test_addresses_with_ports_are_taken(servers: Any) -> None:
    with_entries(bootstrap_servers=servers)


@pytest.mark.parametrize("count", [-2, 0, 10_001, 40_000])
def test_a_replication_factor_that_no_client_asks_for_is_refused(count: int) -> None:
    """It was a ValueError of another library."""
    with pytest.raises(ConfigException, match=f"value {count} for configuration replication"):
        with_entries(replication_factor=count)
    with_entries(replication_factor=-1)
    with_entries(replication_factor=3)


def test_an_unknown_store_is_refused_in_the_constructor() -> None:
    with pytest.raises(ConfigException, match="rocksbd for configuration default.dsl") as caught:
        with_entries(default_dsl_store="rocksbd")
    assert 'Did you mean "rocksdb"?' in caught.value.hint
    for known in ("rocksDB", "in_memory", "lmdb"):
        with_entries(default_dsl_store=known)


@pytest.mark.parametrize(
    ("topology", "config", "error", "said"),
    [
        (StreamsBuilder(), ENTRIES, ClassCastException, "Give builder.build()."),
        (ENTRIES, COPY, ClassCastException, "The topology comes first"),
        ("words", ENTRIES, ClassCastException, "topology cannot be a str"),
        (None, ENTRIES, NullPointerException, "topology cannot be null"),
        (COPY, None, NullPointerException, "config cannot be null"),
        (COPY, "app", ClassCastException, "config cannot be a str"),
    ],
)
def test_what_is_no_topology_or_configuration_is_refused(
    topology: Any, config: Any, error: type[Exception], said: str
) -> None:
    with pytest.raises(error) as caught:
        KafkaStreams(topology, config)
    assert said in str(caught.value)


@pytest.mark.parametrize("topology", [StreamsBuilder(), ENTRIES, None, "words"])
def test_the_driver_refuses_it_too(topology: Any) -> None:
    with pytest.raises((ClassCastException, NullPointerException), match="topology cannot be"):
        TopologyTestDriver(topology)


LOCK = threading.Lock()


class Holder(Processor[Any, Any, Any, Any]):
    def __init__(self, held: Any) -> None:
        self._held = held

    def process(self, record: Any) -> None:
        pass


class Client:
    def __init__(self) -> None:
        self.connection = [{"lock": LOCK}]

    def apply(self, value: Any) -> Any:
        return value


def by_function(stream: KStream[Any, Any]) -> Any:
    connection = threading.Lock()

    def helper(value: Any) -> Any:
        return connection.locked(), value

    return stream.mapValues(lambda value: helper(value))


def by_supplier(stream: KStream[Any, Any]) -> Any:
    held = threading.Lock()
    return stream.process(lambda: Holder(held))


def by_generator(stream: KStream[Any, Any]) -> Any:
    numbers = (n for n in range(3))
    return stream.filter(lambda key, value: bool(next(numbers)))


def by_event(stream: KStream[Any, Any]) -> Any:
    stop = threading.Event()
    return stream.filter(lambda key, value: not stop.is_set())


def by_queue(stream: KStream[Any, Any]) -> Any:
    return stream.foreach(partial(lambda seen, key, value: seen.put(value), Queue()))


def by_application(stream: KStream[Any, Any]) -> Any:
    streams = KafkaStreams(Topology().addSource("source", "in"), ENTRIES)
    return stream.filter(lambda key, value: streams.state().isRunningOrRebalancing())


@pytest.mark.parametrize(
    ("build", "operator", "culprit"),
    [
        (by_event, "FILTER", 'the variable "stop" of "by_event.<locals>.<lambda>"'),
        (by_event, "FILTER", ', a threading.Event, the attribute "'),
        (by_queue, "FOREACH", "In the arguments of a partial, a tuple, the attribute"),
        (by_application, "FILTER", 'the variable "streams" of "by_application.<locals>.<lambda>"'),
        (by_function, "MAPVALUES", 'the variable "connection" of "by_function.<locals>.helper"'),
        (by_supplier, "PROCESSOR", 'the variable "held" of "by_supplier.<locals>.<lambda>"'),
        (by_generator, "FILTER", 'the variable "numbers"'),
        (lambda s: s.mapValues(Client().apply), "MAPVALUES", "[0]['lock'] is a _thread.lock"),
    ],
)
def test_what_cannot_be_pickled_is_named_with_its_operator(
    build: Callable[[Any], Any], operator: str, culprit: str
) -> None:
    builder = StreamsBuilder()
    build(builder.stream("in"))
    with pytest.raises(StreamsException, match=f'operator "KSTREAM-{operator}') as caught:
        pickled(builder.build().plan(), StreamsConfig(ENTRIES))
    assert culprit in caught.value.detail
    assert "cannot be pickled" in caught.value.detail


def test_a_global_store_that_cannot_be_pickled_is_named() -> None:
    held = threading.Lock()
    serde = Serdes.serdeFrom(lambda topic, value: b"", lambda topic, value: held)
    builder = StreamsBuilder()
    builder.globalTable("in", Consumed.with_(Serdes.String(), serde), Materialized.as_("all"))
    with pytest.raises(StreamsException, match='global store "all"') as caught:
        pickled(builder.build().plan(), StreamsConfig(ENTRIES))
    assert 'the variable "held"' in caught.value.detail


def test_an_entry_that_cannot_be_pickled_is_named() -> None:
    with pytest.raises(StreamsException, match='the configuration entry "my.lock"'):
        pickled(COPY.plan(), StreamsConfig(ENTRIES | {"my.lock": LOCK}))


def test_a_function_that_cannot_be_pickled_is_refused_before_the_broker_is_asked(
    tmp_path: Path,
) -> None:
    builder = StreamsBuilder()
    by_function(builder.stream("in"))
    config = ENTRIES | {"state.dir": str(tmp_path), "bootstrap.servers": "127.0.0.1:1"}
    with pytest.raises(StreamsException, match="to Spark's workers"):
        started(builder.build(), config)


def test_no_java_is_refused_before_the_broker_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SparkContext, "_gateway", None)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    config = ENTRIES | {"state.dir": str(tmp_path / "state"), "bootstrap.servers": "127.0.0.1:1"}
    with pytest.raises(JavaNotFoundError, match="cannot find Java"):
        KafkaStreams(COPY, config).start()


def test_a_deleted_working_directory_is_told_before_spark_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(StreamsException, match="working directory of .* was deleted") as caught:
        with_entries(state_dir=str(tmp_path / "state")).start()
    assert "a directory that stays" in caught.value.hint


def test_a_state_directory_that_is_a_file_or_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/nowhere")):
        streams = with_entries(state_dir=str(place))
        with pytest.raises(
            ProcessorStateException, match="cannot write to the state dir"
        ) as caught:
            streams.start()
        assert caught.value.hint
        assert streams.state().name == "CREATED"


def test_a_user_without_a_name_is_told_before_java_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark would end with "basedir must be absolute" or "invalid null input: name"."""

    def nobody(number: int) -> None:
        raise KeyError(f"getpwuid(): uid not found: {number}")

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    monkeypatch.setattr(SparkContext, "_gateway", None)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    streams = with_entries(state_dir=str(tmp_path / "state"))
    with pytest.raises(StreamsException, match="has no name") as caught:
        streams.start()
    assert f"app:x:{os.getuid()}:{os.getgid()}::/tmp:/bin/sh" in caught.value.hint


def test_a_machine_without_a_directory_for_temporary_files_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container whose root is read-only, with only a volume for the state."""
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: [str(tmp_path / "no")])
    with pytest.raises(ProcessorStateException, match="no directory for temporary files") as caught:
        with_entries(state_dir=str(tmp_path / "state")).start()
    assert "Let TMPDIR name" in caught.value.hint


def test_a_full_disk_is_told_by_its_own_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=4096))
    with pytest.raises(ProcessorStateException, match="no room") as caught:
        preflight.check_directory(tmp_path / "state")
    assert caught.value.detail == "4,096 bytes are free."

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ProcessorStateException) as caught:
        preflight.check_directory(tmp_path / "state")
    assert "No space left on device" in caught.value.detail
    assert list((tmp_path / "state").iterdir()) == []


def test_missing_sink_and_dead_letter_topics_are_refused_by_a_setting(play: Playground) -> None:
    source = play.topic("in")
    config = play.config(
        millstream_sink_topics="refuse",
        errors_dead_letter_queue_topic_name=f"{play.name}-dead",
    )
    with pytest.raises(StreamsException, match="topics to write to do not exist") as caught:
        started(pass_through(source, f"{play.name}-out"), config)
    assert f'"{play.name}-out", "{play.name}-dead"' in caught.value.problem


def test_topics_that_the_broker_has_made_are_told_with_their_partitions(
    play: Playground, caplog: pytest.LogCaptureFixture
) -> None:
    source = play.topic("in")
    config = play.config(errors_dead_letter_queue_topic_name=f"{play.name}-dead")
    streams = KafkaStreams(pass_through(source, f"{play.name}-out"), config, spark=NO_SPARK)
    with pytest.raises((AssertionError, StreamsException)):
        streams.start()
    said = [each.getMessage() for each in caplog.records if "did not exist" in each.getMessage()]
    assert len(said) == 2
    assert all("has created it with " in text for text in said)


@pytest.mark.parametrize(
    ("spark", "what"),
    [
        ("local[2]", "a str"),
        ({"spark.master": "local[2]"}, "a dict"),
        (SparkConf(loadDefaults=False, _jvm=None), "a SparkConf"),
        (SparkSession.builder, "a Builder"),
    ],
    ids=["master", "entries", "conf", "builder"],
)
def test_what_is_no_session_is_refused_at_once(spark: Any, what: str) -> None:
    with pytest.raises(ClassCastException, match=f"spark cannot be {what}"):
        KafkaStreams(pass_through("a", "b"), ENTRIES, spark=spark)


@pytest.mark.parametrize("name", ["..", ".", "../other", "a/b", "a\0b"])
def test_an_application_id_that_is_a_path_is_refused(name: str) -> None:
    with pytest.raises(ConfigException, match="It must be the name of a directory"):
        KafkaStreams(pass_through("a", "b"), ENTRIES | {"application.id": name})


@pytest.mark.parametrize("place", [None, ""])
def test_no_state_directory_is_refused(place: Any) -> None:
    with pytest.raises(ConfigException, match=r"configuration state.dir: It must not be empty"):
        KafkaStreams(pass_through("a", "b"), ENTRIES | {"state.dir": place})


def test_a_session_without_the_connector_is_told_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    missing = AnalysisException("Failed to find data source: kafka. Please deploy the application")
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    with pytest.raises(StreamsException, match="has no Kafka connector") as caught, connector():
        raise missing
    assert "millstream jars spark --commas" in caught.value.hint
    assert "leave out the argument spark" in caught.value.hint
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "5")
    with pytest.raises(StreamsException) as caught, connector():
        raise missing
    assert 'spark-submit --jars "$(millstream jars spark --commas)"' in caught.value.hint
    assert "argument spark" not in caught.value.hint
    with pytest.raises(AnalysisException), connector():
        raise AnalysisException("Something else")


def test_a_topology_of_any_kind_is_taken() -> None:
    class Own(Topology):
        pass

    topology = Own().addSource("source", "in").addSink("sink", "out", "source")
    assert KafkaStreams(topology, ENTRIES).state().name == "CREATED"
