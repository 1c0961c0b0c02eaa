"""Place of the files of segments, and whether new ones are written."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import SparkSession

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import SEGMENT_FILES
from millstream.topology.spark.checkpoint.descriptor import segments_of
from millstream.topology.spark.driver.line import LineOptions
from millstream.topology.spark.job import Job

_KEPT = "spark.sql.streaming.minBatchesToRetain"


def with_segment_files(
    job: Job, config: StreamsConfig, options: LineOptions, session: SparkSession
) -> Job:
    """Return a job whose tasks have their segments in files beside Spark's state.

    Args:
        job: Facts about the application.
        config: The application's configuration.
        options: Settings of the query; they say where the checkpoint is.
        session: A session with the settings of queries.
    """
    directory = segments_of(options.checkpoint)
    return replace(
        job,
        segments=directory,
        writes_segments=bool(directory) and config.getBoolean(SEGMENT_FILES),
        kept_batches=int(session.conf.get(_KEPT) or 100),
    )
