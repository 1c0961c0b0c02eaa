"""Checks before anything starts: arguments, addresses, stores, Java, directories."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from millstream.core.config import StreamsConfig
from millstream.core.config.client_keys import check_client_entries
from millstream.core.config.definition import invalid, not_blank
from millstream.core.config.own_keys import CHECKPOINT_LOCATION, LOG_FILE
from millstream.core.errors import (
    ClassCastException,
    ConfigException,
    IllegalArgumentException,
    NullPointerException,
    PluginError,
    ProcessorStateException,
    StreamsException,
    UnsupportedOperationException,
)
from millstream.core.file_names import directory_name
from millstream.core.loading import PLUGIN_NAMES, load_object
from millstream.core.metadata import HostInfo
from millstream.core.wording import a_kind
from millstream.jars import java_command
from millstream.plugins.registry import store_class
from millstream.topology.dsl.options.materialized import StoreType
from millstream.topology.given_topology import check_topology
from millstream.topology.spark.checkpoint.descriptor import local_path
from millstream.topology.spark.evolution.words import words_of
from millstream.topology.spark.private import private_directory
from millstream.topology.topology import Topology

_SERVER = re.compile(r"(?:[A-Z_]+://)?(?:\[[0-9A-Fa-f:.%]+\]|[^:\s\[\]/]+):([0-9]{1,5})")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_MAX_PORT = 65_535
_MOST_REPLICAS = 10_000
"""librdkafka asks for no more."""
_MIN_FREE_BYTES = 1 << 20
_NO_SESSIONS = (str, Mapping, SparkConf, SparkContext, SparkSession.Builder)
"""What is likely to be given as a session by mistake."""


def refuse_clients(others: tuple[Any, ...]) -> None:
    """Refuse what Kafka Streams takes after the configuration: what makes clients, and a clock.

    Raises:
        UnsupportedOperationException: Something is given.
    """
    if others:
        raise UnsupportedOperationException(
            f"KafkaStreams takes a topology and a configuration, not {a_kind(others[0])}",
            detail="The clients are Spark's and those of its workers; the clock is Spark's.",
            hint="Set the clients by consumer., producer. and admin. entries; give a session as "
            "spark=session; test with TopologyTestDriver, whose clock is a mock.",
        )


def check_arguments(topology: Any, config: Any) -> None:
    """Check the types of topology and configuration; the usual mistake is a StreamsBuilder.

    Raises:
        NullPointerException: An argument is None.
        ClassCastException: An argument has another type.
        UnsupportedOperationException: The topology reads or gives DataFrames.
        IllegalArgumentException: A repartition topic is to have no partition.
    """
    check_topology(topology)
    if topology.frames:
        names = [*topology.frames.inputs, *topology.frames.outputs]
        raise UnsupportedOperationException(
            f'KafkaStreams cannot run a topology with the DataFrame "{names[0]}"',
            detail="A topology between DataFrames runs in the query that its result is written "
            "with.",
            hint="Write what toDataFrame() returns: frame.writeStream...start().",
        )
    _check_partitions(topology)
    if config is None:
        raise NullPointerException("config cannot be null")
    if not isinstance(config, StreamsConfig | Mapping):
        raise ClassCastException(
            f"config cannot be {a_kind(config)}",
            hint="Give a dict of entries, or a StreamsConfig.",
        )


def _check_partitions(topology: Topology) -> None:
    for topic, partitions in topology.plan().repartition_topics.items():
        if partitions is not None and partitions < 1:
            raise IllegalArgumentException(
                "Number of partitions must be at least 1.",
                detail=f'The repartition topic "{topic}" has {partitions}.',
                hint="Give Repartitioned.numberOfPartitions() a number above 0, or leave it out: "
                "then the topic has as many as what it is written from.",
            )


def check_session(spark: Any) -> None:
    """Check that what was given as ``spark`` is a session of this process.

    Raises:
        ClassCastException: It is something else, such as a master's address or a SparkContext.
    """
    remote = type(spark).__module__.startswith("pyspark.sql.connect")
    if not remote and not isinstance(spark, _NO_SESSIONS):
        return
    raise ClassCastException(
        f"spark cannot be {a_kind(spark)}",
        detail=f"It is a {type(spark).__module__}.{type(spark).__qualname__}.",
        hint='Give a SparkSession of this process, or none, and "spark.master" in the '
        "configuration.",
    )


def check_config(config: StreamsConfig) -> None:
    """Check entries that would fail only after Spark has started.

    Raises:
        ConfigException: An address has no port, no plugin provides a store, the schema registry
            is one of tests, ``rocksdb.config.setter`` names something else, local files would have
            no place in ``state.dir``, or a path begins with ``~`` or is a URL.
    """
    registry = config.originals().get("schema.registry.url", "")
    if str(registry).startswith("mock://"):
        raise invalid(
            "schema.registry.url",
            registry,
            "a mock registry cannot be used on Spark",
            hint="It is memory of one process, and Spark's workers are others. Use mock:// with "
            "TopologyTestDriver, and here the address of a real registry: "
            "`millstream broker --registry` starts one.",
        )
    _check_local_places(config)
    replicas = config.getInt("replication.factor")
    if replicas != -1 and not 0 < replicas <= _MOST_REPLICAS:
        raise invalid(
            "replication.factor",
            replicas,
            f"Value must be from 1 to {_MOST_REPLICAS}, or -1 for the default of the brokers",
        )
    if (pause := config.getLong("poll.ms")) < 0:
        # Kafka's consumer refuses it in its first poll.
        raise invalid("poll.ms", pause, "Value must be at least 0")
    _check_servers(config)
    check_client_entries(config)
    for key in PLUGIN_NAMES.intersection(config.originals()):
        load_object(config.get(key), key)
    not_blank("spark.master", config.originals().get("spark.master"))
    # Else it is first asked where a store opens: in a worker, when the query runs.
    config.made("rocksdb.config.setter")
    words_of(config)
    # Without a port it would fail when the query has started.
    HostInfo.buildFromEndpoint(config.getString("application.server"))
    kind = config.getString("default.dsl.store")
    if kind not in {each.value for each in StoreType}:
        try:
            store_class(kind)
        except PluginError as error:
            raise invalid(
                "default.dsl.store", kind, error.problem, hint=f"{error.detail} {error.hint}"
            ) from error


def _check_local_places(config: StreamsConfig) -> None:
    name = config.getString("application.id")
    if directory_name(name) != name.replace("%", "%25"):
        raise invalid(
            "application.id",
            name,
            "It must be the name of a directory",
            hint="It names local directories, which would be outside of state.dir. Use letters, "
            "digits, '.', '_' and '-'.",
        )
    if not config.getString("state.dir"):
        raise invalid(
            "state.dir",
            config.getString("state.dir"),
            "It must not be empty",
            hint="Give a directory for local files, or leave the entry out.",
        )
    for key in ("state.dir", LOG_FILE, CHECKPOINT_LOCATION):
        _not_of_a_shell(key, config.getString(key))
    for key in ("state.dir", LOG_FILE):
        _no_url(key, config.getString(key))


def _check_servers(config: StreamsConfig) -> None:
    for server in config.getList("bootstrap.servers"):
        found = _SERVER.fullmatch(str(server).strip())
        if found is None or not 0 < int(found[1]) <= _MAX_PORT:
            host = str(server).strip().rpartition("//")[2].partition(":")[0] or "broker"
            raise ConfigException(
                f"Invalid url in bootstrap.servers: {server}",
                detail="It is not of the form host:port.",
                hint=f"Write the broker's host and port, such as {host}:9092.",
            )


def _not_of_a_shell(key: str, given: str | None) -> None:
    if given is not None and given.split("/")[0].startswith("~"):
        raise invalid(
            key,
            given,
            "Only a shell replaces ~ by a home directory",
            hint=f'Write the whole path: "{os.path.expanduser(given)}". A directory whose name '
            f'begins so is "./{given}".',
        )


def _no_url(key: str, given: str | None) -> None:
    if given is None or _URL.match(given) is None:
        return
    path = local_path(given)
    raise invalid(
        key,
        given,
        "It must be a path of this machine, and not a URL",
        hint=f'Write "{path}".'
        if path is not None
        else f"On another file system there may be the checkpoint, with {CHECKPOINT_LOCATION}.",
    )


def check_places(spark: SparkSession, config: StreamsConfig, directories: Iterable[Path]) -> None:
    """Check that Spark finds an application's directories where millstream does.

    Raises:
        ConfigException: The checkpoint would be on two file systems.
        ProcessorStateException: The JVM would use directories of another name.
    """
    check_file_names(spark, directories)
    check_default_files(spark, config)


def check_default_files(spark: SparkSession, config: StreamsConfig) -> None:
    """Check that Spark's default file system is not another one than a checkpoint's path means.

    Raises:
        ConfigException: It is.
    """
    given = config.getString(CHECKPOINT_LOCATION)
    if not given or urlsplit(given).scheme:
        return
    java: Any = spark.sparkContext._jsc
    default = str(java.hadoopConfiguration().get("fs.defaultFS") or "file:///")
    if not default.startswith("file:"):
        there = f"{default.rstrip('/')}/{given.lstrip('/')}"
        raise invalid(
            CHECKPOINT_LOCATION,
            given,
            f"It names no file system, and Spark's default is {default}",
            hint=f'Write "{there}", or "file://{Path(given).absolute()}" for a directory that is '
            "mounted on every machine.",
        )


def check_java() -> None:
    """Check that there is a working directory, and, unless Spark's JVM runs, a Java and a user.

    Raises:
        JavaNotFoundError: There is no Java, or it is too old.
        StreamsException: The directory was deleted, or this process's user has no name.
    """
    _check_working_directory()
    if SparkContext._gateway is None and "PYSPARK_GATEWAY_PORT" not in os.environ:
        java_command()
        _check_user()


def _check_working_directory() -> None:
    """Check that there is a working directory: Spark, its JVM and its workers begin in it.

    Raises:
        StreamsException: It was deleted.
    """
    try:
        Path.cwd()
    except FileNotFoundError as error:
        raise StreamsException(
            "the working directory of this process was deleted",
            detail="Spark's JVM and its Python workers begin in it.",
            hint="Start the program from a directory that stays, such as / with full paths.",
        ) from error


def _check_user() -> None:
    """Check that this process's user has a name.

    Hadoop's classes ask the system for it while Spark starts, and fail without: in a container that
    runs with a number for a user, with errors that do not say so.

    Raises:
        StreamsException: There is no name.
    """
    try:
        pwd.getpwuid(os.getuid())
    except KeyError as error:
        line = f"app:x:{os.getuid()}:{os.getgid()}::/tmp:/bin/sh"
        raise StreamsException(
            f"cannot start Spark's JVM: user {os.getuid()} of this process has no name",
            detail="There is no entry for that number in /etc/passwd, and Hadoop's classes, which "
            "Spark needs, ask for its name.",
            hint="Add one where the container is made or begins, with a home that can be written: "
            f'echo "{line}" >> /etc/passwd',
        ) from error


def check_file_names(spark: SparkSession, directories: Iterable[Path]) -> None:
    """Check that the JVM can name the directories of an application on this machine.

    Raises:
        ProcessorStateException: It would use directories of another name.
    """
    jvm: Any = spark.sparkContext._jvm
    encoding = str(jvm.java.lang.System.getProperty("sun.jnu.encoding"))
    for each in directories:
        try:
            str(each).encode(encoding)
        except (UnicodeEncodeError, LookupError) as error:
            raise ProcessorStateException(
                f"Spark's JVM cannot name the directory {each}",
                detail=f"By the locale that it was started with it has names of files in "
                f"{encoding}, and would use another directory.",
                hint="Start the program with LC_ALL=C.UTF-8, or let state.dir and "
                "millstream.checkpoint.location have names in ASCII.",
            ) from error


def check_temporary() -> None:
    """Check that there is a directory for temporary files, which Spark cannot be without.

    Raises:
        ProcessorStateException: None can be written.
    """
    try:
        tempfile.gettempdir()
    except FileNotFoundError as error:
        raise ProcessorStateException(
            "no directory for temporary files can be written",
            detail=f"{error.strerror}. Spark keeps its shuffled data there while it runs.",
            hint="Let TMPDIR name a directory that the program may write to; in a container with a "
            "root that is read-only, mount one.",
        ) from error


def check_directory(directory: Path) -> None:
    """Create the directory of an application's state and check that it is writable.

    Raises:
        ProcessorStateException: It cannot be created or written, or the disk is full.
    """
    probe = directory / f".probe-{os.getpid()}"
    try:
        private_directory(directory)
        try:
            # Small enough for any usable disk, and unbuffered, so that the write itself fails.
            with probe.open("wb", buffering=0) as file:
                file.write(b"\0" * 4096)
                os.fsync(file.fileno())
        finally:
            probe.unlink(missing_ok=True)
        free = shutil.disk_usage(directory).free
    except OSError as error:
        raise ProcessorStateException(
            f"cannot write to the state directory {directory}",
            detail=f"{error.strerror or error} ({error.filename or directory}).",
            hint="Let state.dir name a directory that the program may write to, on a disk with "
            "room.",
        ) from error
    if free < _MIN_FREE_BYTES:
        raise ProcessorStateException(
            f"no room in the state directory {directory}",
            detail=f"{free:,} bytes are free.",
            hint="Make room, or let state.dir name a directory on another disk.",
        )
