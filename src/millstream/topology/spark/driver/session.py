"""Spark session of an application."""

from __future__ import annotations

import logging
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkConf, SparkContext
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from millstream.core.config.own_keys import CLASS_ARCHIVE
from millstream.core.durations import to_millis
from millstream.core.errors import ConfigException, StreamsException
from millstream.core.wording import a_kind
from millstream.jars import jars
from millstream.topology.spark.driver.archive_options import OFF
from millstream.topology.spark.driver.class_archives import JAVA_OPTIONS
from millstream.topology.spark.driver.fork_ahead import start_ahead
from millstream.topology.spark.driver.jvm import hide_calls, launched_jvm, with_log
from millstream.topology.spark.driver.local_permissions import without_processes
from millstream.topology.spark.driver.on_this_machine import (
    ATTEMPTS,
    MAX_FAILURES,
    on_this_machine,
    with_retries,
)
from millstream.topology.spark.driver.spark_defaults import spark_defaults
from millstream.topology.spark.driver.spark_environment import check_spark_environment
from millstream.topology.spark.driver.sql_settings import (
    OFFSET_LOG,
    OFFSET_LOG_FORMAT,
    PROVIDER,
    check_sql_settings,
)
from millstream.topology.spark.driver.submit_arguments import others_only, submit_arguments
from millstream.topology.spark.logs import LogOptions
from millstream.topology.spark.private import UMASK, private_children
from millstream.topology.spark.worker_pools import import_path, importable_daemon

log = logging.getLogger(__name__)

_JARS, _PYTHON, _REUSE = "spark.jars", "spark.pyspark.python", "spark.python.worker.reuse"
_MASTER, _SQL, _SHUFFLE = "spark.master", "spark.sql.", "spark.sql.shuffle.partitions"
_UNCHANGEABLE = ("CANNOT_MODIFY_STATIC_CONFIG", "CANNOT_MODIFY_CONFIG")
_STATE = "spark.sql.streaming.stateStore"
_MAINTENANCE = f"{_STATE}.maintenanceInterval"
_CHECKPOINT_MANAGER = (
    "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
)

SQL_SETTINGS: dict[str, str] = {
    PROVIDER: "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    f"{_STATE}.rocksdb.changelogCheckpointing.enabled": "true",
    f"{_STATE}.rocksdb.trackTotalNumberOfRows": "false",
    f"{_STATE}.rocksdb.boundedMemoryUsage": "true",
    f"{_STATE}.checkpointFormatVersion": "2",
    OFFSET_LOG: OFFSET_LOG_FORMAT,
    # A store that opens elsewhere replays what was committed since the last snapshot that this
    # uploads: by Spark's default of a minute, more than a hundred files after short batches.
    _MAINTENANCE: "15s",
    # Spark would refuse a checkpoint without the query's id, which it can make anew; what counts is
    # checked before (checkpoint/log.py).
    "spark.sql.streaming.checkpoint.verifyMetadataExists.enabled": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    # Any limit ends the wait for a query that is being stopped: it would go on after close().
    "spark.sql.streaming.stopTimeout": "0",
    "spark.sql.streaming.numRecentProgressUpdates": "4",
    # Spark would print the options of sources, which may hold passwords.
    "spark.sql.redaction.options.regex": r"(?i)url|jaas|password|secret|token|keystore|\.key",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "16384",
    # Any limit makes Spark measure the Arrow batch at every row, which costs ten times as much as
    # writing it.
    "spark.sql.execution.arrow.maxBytesPerBatch": "2147483647",
    "spark.sql.execution.arrow.transformWithStateInPySpark.maxRecordsPerBatch": "16",
}
"""Settings of the streaming query; an application's own ``spark.sql.`` entries win."""

_NEW_SESSION: dict[str, str] = {
    "spark.driver.memory": "2g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.speculation": "false",
    "spark.shuffle.compress": "false",
    # A task that reads what a killed executor had waits so long before it asks whether that one is
    # alive; a live one is waited for as long as by Spark's defaults, 3 times 5 s.
    "spark.shuffle.io.retryWait": "50ms",
    "spark.shuffle.io.maxRetries": "300",
    # So long a standalone driver takes tasks of an executor that it has ended for running, in wait
    # for a reason that comes at once or never.
    "spark.standalone.executorRemoveDelayOnDisconnection": "1s",
    # The history is for the web UI, which is off; each batch would add 30 kB and more.
    "spark.sql.ui.retainedExecutions": "2",
    "spark.sql.streaming.ui.enabled": "false",
    # For every column pyspark would ask the JVM for settings, and where IPython is installed import
    # it, to say in errors which line of millstream made the column.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.ui.retainedJobs": "8",
    "spark.ui.retainedStages": "16",
    "spark.ui.retainedTasks": "256",
    "spark.ui.retainedDeadExecutors": "8",
    # For the checkpoint; otherwise every user of the machine may read the stores.
    "spark.hadoop.fs.permissions.umask-mode": f"{UMASK:03o}",
    # Spark's default manager starts a process for every rename on a local disk.
    "spark.sql.streaming.checkpointFileManagerClass": _CHECKPOINT_MANAGER,
}


def new_session(
    config: Mapping[str, Any], application_id: str, log: LogOptions | None = None
) -> SparkSession:
    """Return the session of this process, created with an application's ``spark.`` entries.

    Args:
        config: The application's configuration.
        application_id: Its name in Spark.
        log: Options of the JVM's log; None for Spark's own.

    Raises:
        JarError: The Kafka connector's jars are missing, or there is no Java.
        ConfigException: It would be a session of Spark Connect.
        StreamsException: The JVM does not start, or Spark refuses a setting.
    """
    hide_calls()
    settings = session_settings(
        spark_entries(config), submitted(), application_id, list(map(str, jars("spark")))
    )
    check_spark_environment(settings)
    if settings[_MASTER].strip().startswith("local"):
        import_path()  # What is wrong with it is told before a JVM starts.
    os.environ["PYSPARK_PYTHON"] = worker_python(settings, os.environ.get("PYSPARK_PYTHON"))
    archive = str(config.get(CLASS_ARCHIVE, OFF)).lower() != OFF
    settings = on_this_machine(settings, archive=archive)
    # The JVM passes it on to its Python workers.
    with private_children(), importable_daemon(), others_only():
        if log is not None:
            settings = with_log(settings, log)
        start_ahead(settings, os.environ["PYSPARK_PYTHON"])
        launched_jvm(settings, log)
        settings = with_jars(settings, SparkConf().get(_JARS, ""))
        builder = SparkSession.builder
        # Else the settings of a session that others use would be changed: the query has its own.
        for key, value in () if _is_made() else settings.items():
            builder = builder.config(key, value)
        session = _started(builder)
    without_processes(session)
    return session


def _is_made() -> bool:
    """Return whether this process has a session, which pyspark's builder returns."""
    made = SparkSession._instantiatedSession
    return made is not None and made.sparkContext._jsc is not None


def _started(builder: Any) -> SparkSession:
    """Return the session of a builder.

    Raises:
        StreamsException: Spark refuses a setting, as that does not go with another one.
    """
    try:
        session: SparkSession = builder.getOrCreate()
    except Py4JJavaError as error:
        # Java's text is the class and what it says; the frames after it are Spark's own.
        first, *_ = str(error.java_exception.toString()).splitlines()
        raise StreamsException(
            "Spark does not start",
            detail=f"Spark says: {first.partition(': ')[2] or first}",
            hint="Look whether spark.master answers, and at the other spark. entries of the "
            "configuration and of spark-defaults.conf; the log has what Spark said before.",
        ) from error
    return session


def submitted() -> dict[str, str]:
    """Return the settings of ``spark-submit``, if it has started this process.

    Else they are those of ``spark-defaults.conf``, which ``spark-submit`` reads as well, and of
    ``PYSPARK_SUBMIT_ARGS``, which pyspark gives to it.

    Raises:
        ConfigException: The file cannot be read.
    """
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        return spark_defaults() | submit_arguments()
    # It has a JVM already, which knows them.
    SparkContext._ensure_initialized()
    return dict(SparkConf().getAll())


def session_settings(
    given: Mapping[str, str], submitted: Mapping[str, str], application_id: str, jars: Sequence[str]
) -> dict[str, str]:
    """Return the settings of a new session.

    Args:
        given: The ``spark.`` entries of the application's configuration; they win.
        submitted: The settings of ``spark-submit``, of ``PYSPARK_SUBMIT_ARGS`` or of
            ``spark-defaults.conf``, which win over what is set here.
        application_id: The application's name in Spark, unless it has another.
        jars: The Kafka connector's jars; one that is given under the same name is not given twice.
    """
    settings = {"spark.master": "local[*]"} | _NEW_SESSION | dict(submitted) | dict(given)
    # The name that spark-submit gives is that of the program's file, if it was told none.
    name = submitted.get("spark.app.name", "")
    if "spark.app.name" not in given and (not name or name.endswith(".py")):
        settings["spark.app.name"] = application_id
    everything = [*_listed(given.get(_JARS)), *_listed(submitted.get(_JARS)), *jars]
    settings[_JARS] = _once_by_name(everything)
    return settings


def with_jars(settings: Mapping[str, str], found: str | None) -> dict[str, str]:
    """Return settings whose jars are also those that a JVM has found at its start.

    They are those of ``spark.jars.packages``: executors get what ``spark.jars`` names.
    """
    everything = [*_listed(settings.get(_JARS)), *_listed(found)]
    return {**settings, _JARS: _once_by_name(everything)}


def _once_by_name(jars: Iterable[str]) -> str:
    by_name: dict[str, str] = {}
    for each in jars:
        by_name.setdefault(each.rpartition("/")[2], each)
    return ",".join(by_name.values())


def worker_python(settings: Mapping[str, str], chosen: str | None) -> str:
    """Return the Python that workers run.

    Args:
        settings: The session's settings.
        chosen: What the environment says; on this machine alone it is this process's Python.
    """
    is_local = settings["spark.master"].strip().split("[")[0] == "local"
    return settings.get(_PYTHON) or (None if is_local else chosen) or sys.executable


def check_worker_python(python: str) -> None:
    """Check that the driver can run the workers' Python: Spark asks it what a stage keeps.

    Raises:
        ConfigException: It cannot.
    """
    if shutil.which(python) is None:
        raise ConfigException(
            f'"{python}", the Python of Spark\'s workers, cannot be run here',
            detail=f"Spark runs it on the driver's machine as well, in {os.getcwd()}, and there is "
            "no such program.",
            hint=f"Check {_PYTHON} and PYSPARK_PYTHON. A file that is shipped to the executors "
            "(--files env.pex) must be in the driver's working directory, too, and executable.",
        )


def _listed(text: str | None) -> list[str]:
    return [each.strip() for each in (text or "").split(",") if each.strip()]


def query_session(
    spark: SparkSession, config: Mapping[str, Any], shuffle_partitions: int, *, alike: bool = False
) -> SparkSession:
    """Return a session of the same Spark application with the settings the line needs.

    Args:
        spark: The session.
        config: The application's configuration.
        shuffle_partitions: The number of tasks.
        alike: Whether it begins with all that the other one has: settings, views, functions, the
            current database. So it must where what the user has made is computed in it.

    Raises:
        ConfigException: The Python of the workers is not on this machine, or Spark is to keep state
            in a way that its stateful operators refuse.
    """
    hide_calls()
    check_worker_python(spark.sparkContext.pythonExec)
    if spark.sparkContext.getConf().get(_REUSE, "true").strip().lower() == "false":
        log.warning(
            "%s is false: each task of each batch starts a Python worker, which makes producers "
            "and opens stores anew, and builds stores in memory from the checkpoint",
            _REUSE,
        )
    session = _copied(spark) if alike else spark.newSession()
    given = {k: v for k, v in spark_entries(config).items() if k.startswith(_SQL)}
    check_sql_settings(given)
    settings = SQL_SETTINGS | _with_standbys(config) | given
    settings[_SHUFFLE] = str(shuffle_partitions)
    for key, value in settings.items():
        if not _is_static(session, key):
            _set(session, key, value)
    return session


def _copied(spark: SparkSession) -> SparkSession:
    """Return a copy of a session, as Spark makes one for each streaming query."""
    java: Any = spark._jsparkSession
    return type(spark)(spark.sparkContext, java.cloneSession())


def warn_of_a_shared_session(session: SparkSession, config: Mapping[str, Any]) -> None:
    """Name, in one warning, the entries that a session made before does not take.

    Args:
        session: The query's session, with the settings that can be changed.
        config: The application's configuration.
    """
    made = dict(session.sparkContext.getConf().getAll())
    failures = made.get(MAX_FAILURES, ATTEMPTS)
    lost = []
    for key, value in spark_entries(config).items():
        has = session.conf.get(key, None) if key.startswith(_SQL) else made.get(key)
        if key != _SHUFFLE and not _holds(key, value, has, failures):
            lost.append(key)
    if lost:
        log.warning(
            "entries of the configuration without effect, as the application runs in a Spark "
            "session that was made without them: %s. Applications of one process share its session",
            ", ".join(sorted(lost)),
        )


def _holds(key: str, value: str, has: str | None, failures: str) -> bool:
    """Tell whether a session has an entry; that of an application has a little more in some."""
    if has is None or value == has:
        return value == has
    if key == _MASTER:
        return with_retries(value, failures) == has
    parts = _listed(value) if key == _JARS else [value]
    return key in (_JARS, JAVA_OPTIONS) and all(part in has for part in parts)


def _set(session: SparkSession, key: str, value: str) -> None:
    try:
        session.conf.set(key, value)
    except AnalysisException as error:
        # Static, and without a value in this session.
        if error.getCondition() not in _UNCHANGEABLE:
            raise


def _with_standbys(config: Mapping[str, Any]) -> dict[str, str]:
    """Return what else is set where a lost task is to go on at once: fewer changes to replay."""
    if not int(config.get("num.standby.replicas") or 0):
        return {}
    return {_MAINTENANCE: "5s", f"{_STATE}.minDeltasForSnapshot": "5"}


def spark_entries(config: Mapping[str, Any]) -> dict[str, str]:
    """Return the entries for Spark as the texts that it reads.

    Raises:
        ConfigException: One is None, or an object that has no text.
    """
    return {key: _text(key, value) for key, value in config.items() if key.startswith("spark.")}


def _text(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ",".join(_text(key, each) for each in value)
    if isinstance(value, timedelta):
        return f"{to_millis(value, key)}ms"
    if not isinstance(value, str | int | float | os.PathLike):
        raise ConfigException(
            f"Invalid value {'null' if value is None else value} for configuration {key}: "
            f"Expected value to be a string, but it was {a_kind(value)}",
            hint="Give text, a number, a truth value, a path, a timedelta or a list of these; or "
            "leave the entry out.",
        )
    return str(value)


def _is_static(session: SparkSession, key: str) -> bool:
    return not session.conf.isModifiable(key) and session.conf.get(key, None) is not None
