"""Place of the files about standby copies, and whether there are any."""

from __future__ import annotations

import shutil
from contextlib import suppress

from pyspark.sql import SparkSession

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import STEER_TASKS
from millstream.core.errors import ConfigException
from millstream.topology.spark.checkpoint.descriptor import local_path
from millstream.topology.spark.checkpoint.files import RemoteFiles
from millstream.topology.spark.checkpoint.origin import STANDBYS, WARMED
from millstream.topology.spark.job import Job


def standby_directory(config: StreamsConfig, spark: SparkSession, checkpoint: str, job: Job) -> str:
    """Return the directory of the files about standby copies; empty if none are kept.

    There are none in local mode, where one process runs all tasks, nor where Spark places tasks
    alone. Files that other checkpoints have left are deleted.

    Args:
        config: The application's configuration.
        spark: Any session.
        checkpoint: Location of the checkpoint.
        job: Facts about the application.

    Raises:
        ConfigException: There are to be standbys, and executors do not see the checkpoint's files.
    """
    master = spark.sparkContext.master or ""
    if master.split("[", maxsplit=1)[0] == "local" or not config.getBoolean(STEER_TASKS):
        return ""
    path = local_path(checkpoint)
    if path is None:
        if (replicas := config.getInt("num.standby.replicas")) > 0:
            raise ConfigException(
                f"Invalid value {replicas} for configuration num.standby.replicas: "
                f'executors have no directory in common, as the checkpoint is in "{checkpoint}"',
                hint="Leave it out, or put the checkpoint on a file system that is mounted on all "
                "machines.",
            )
        # As below. Whatever a file system says to that, it is no reason not to start.
        with suppress(Exception):
            RemoteFiles(spark, checkpoint).remove(WARMED)
        return ""
    # A driver that was killed may have left some.
    shutil.rmtree(path / WARMED, ignore_errors=True)
    root = path / STANDBYS
    for other in root.iterdir() if root.is_dir() else ():
        if other.name != job.checkpoint_id:
            shutil.rmtree(other, ignore_errors=True)
    return str((root / job.checkpoint_id).absolute())
