"""Files of users made ready for a run over history: a sorted file for each partition.

They are in the checkpoint, so an interrupted run goes on with the same records.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from millstream.core.errors import IllegalArgumentException, StreamsException
from millstream.topology.spark.backfill.bounds import Bound
from millstream.topology.spark.backfill.inputs import Inputs, as_text
from millstream.topology.spark.backfill.records import COLUMNS, records_of
from millstream.topology.spark.backfill.staged import Staged, StagedPartition
from millstream.topology.spark.checkpoint.descriptor import AS_NAMED
from millstream.topology.spark.checkpoint.files import Files
from millstream.topology.spark.checkpoint.origin import BACKFILL

_NOTE = f"{BACKFILL}/files.json"
_ROW_GROUP_BYTES = 4 << 20


def stage(
    session: SparkSession,
    files: Files,
    location: str,
    inputs: Inputs,
    sizes: Mapping[str, int],
    bounds: tuple[Bound, Bound],
) -> Staged:
    """Sort the records of files between two bounds, and note what was done.

    Args:
        session: The session of the query.
        files: The checkpoint.
        location: The checkpoint's location.
        inputs: The files of each topic.
        sizes: Partition counts of topics.
        bounds: Start and end.

    Raises:
        StreamsException: A file cannot be read, or a record is wrong.
    """
    files.remove(BACKFILL)
    found: dict[str, dict[int, StagedPartition]] = {}
    for number, (topic, paths) in enumerate(sorted(inputs.items())):
        place = f"{BACKFILL}/data-{number}"
        try:
            records, has_offsets = records_of(session, topic, sizes[topic], paths)
            within = _between(records, bounds[0].of(topic), bounds[1].of(topic), has_offsets)
            _write(within, f"{location}/{place}")
            found[topic] = _described(
                session, files, f"{location}/{place}", place, sizes[topic], has_offsets
            )
        except (PySparkException, Py4JJavaError) as error:
            raise StreamsException(
                f'cannot read the files for topic "{topic}"',
                detail=f"{', '.join(paths)}: {_first_line(error)}",
                hint="See docs/operating/backfill.md for the columns.",
            ) from error
    files.write(_NOTE, _text(inputs, found))
    return found


def staged(files: Files, inputs: Inputs) -> Staged | None:
    """Return what an earlier run has made of the same files; None if there was no such run.

    Raises:
        IllegalArgumentException: It was made of other files.
    """
    if not files.has(_NOTE):
        return None
    note = json.loads(files.text(_NOTE))
    if note["inputs"] != as_text(inputs):
        raise IllegalArgumentException(
            "the checkpoint was begun with other files",
            detail=f"They were {note['inputs']}.",
            hint="Give the same files, to go on; or delete the checkpoint, to begin anew.",
        )
    return {
        topic: {int(n): StagedPartition(**each) for n, each in own.items()}
        for topic, own in note["topics"].items()
    }


def remove_data(files: Files) -> None:
    """Delete what has been read; the note stays, so that a second run knows the files."""
    for name in files.names(BACKFILL):
        if name.startswith("data-"):
            files.remove(f"{BACKFILL}/{name}")


def _between(
    records: DataFrame,
    start: object,
    end: object,
    has_offsets: bool,
) -> DataFrame:
    """Return the records between bounds, with the time at which their turn is: ``turn``.

    A record waits for earlier ones of its partition: its turn is the running maximum.
    """
    turn = F.col("timestamp")
    if has_offsets:
        before = Window.partitionBy("partition").orderBy("offset")
        turn = F.max("timestamp").over(before.rowsBetween(Window.unboundedPreceding, 0))
    found = records.withColumn("turn", turn)
    for bound, is_end in ((start, False), (end, True)):
        if isinstance(bound, int):
            found = found.where((F.col("turn") < bound) if is_end else (F.col("turn") >= bound))
        elif isinstance(bound, Mapping) and has_offsets:
            for partition, offset in bound.items():
                at = F.col("offset") < offset if is_end else F.col("offset") >= offset
                found = found.where((F.col("partition") != partition) | at)
    return found


def _write(records: DataFrame, path: str) -> None:
    order = ("turn", "offset", "place")
    sorted_ = records.repartition("partition").sortWithinPartitions("partition", *order)
    writer = sorted_.select("turn", *COLUMNS).write.partitionBy("partition")
    # One file for each partition, whatever spark.sql.files.maxRecordsPerFile says.
    writer = writer.option("parquet.block.size", _ROW_GROUP_BYTES).option("maxRecordsPerFile", 0)
    writer.mode("overwrite").parquet(path)


def _described(
    session: SparkSession,
    files: Files,
    path: str,
    place: str,
    partitions: int,
    has_offsets: bool,
) -> dict[int, StagedPartition]:
    empty = StagedPartition(path="", records=0, following=None)
    found = dict.fromkeys(range(partitions), empty)
    directories = [n for n in files.names(place) if n.startswith("partition=")]
    if not directories:
        return found
    rows = session.read.options(**AS_NAMED).parquet(path).groupBy("partition")
    for row in rows.agg(F.count("*").alias("n"), F.max("offset").alias("last")).collect():
        directory = f"partition={row['partition']}"
        (name,) = [n for n in files.names(f"{place}/{directory}") if n.endswith(".parquet")]
        found[row["partition"]] = StagedPartition(
            path=f"{path}/{directory}/{name}",
            records=row["n"],
            following=row["last"] + 1 if has_offsets else None,
        )
    return found


def _text(inputs: Inputs, topics: Staged) -> str:
    plain = {
        topic: {
            str(n): {"path": each.path, "records": each.records, "following": each.following}
            for n, each in own.items()
        }
        for topic, own in topics.items()
    }
    return json.dumps({"version": 1, "inputs": as_text(inputs), "topics": plain})


def _first_line(error: BaseException) -> str:
    java = getattr(error, "java_exception", None)
    return str(error if java is None else java).strip().splitlines()[0]
