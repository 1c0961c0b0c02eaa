"""Copies of DataFrames that are not streaming, for queries that are."""

from __future__ import annotations

import re
from urllib.parse import quote

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from millstream.topology.spark.checkpoint.files import RemoteFiles

_WRITTEN = "_SUCCESS"
_PATTERN = re.compile(r"([\[\]{}*?\\])")
"""What is a pattern in a path that a streaming source reads."""


def snapshot_of(
    rows: DataFrame, directory: str, name: str, session: SparkSession, *, timed: bool
) -> DataFrame:
    """Return rows as a streaming DataFrame that has all of them in its first batch.

    The copy is named after its contents: the same rows are not read again after a restart.

    Args:
        rows: Records.
        directory: Where copies are kept, on any file system of Spark.
        name: Of the DataFrame.
        session: The session of the query.
        timed: Whether the rows have times of their own.
    """
    # The time of this call would make every copy another one.
    times = ["timestamp"] if timed else []
    hashes = F.xxhash64(F.to_json(F.struct("key", "value")), *times)
    found = rows.agg(F.count(F.lit(1)), F.sum(hashes.cast("decimal(38,0)"))).first()
    assert found is not None
    content = f"{found[0]}-{int(found[1] or 0) & ((1 << 64) - 1):016x}"
    place = f"{directory.rstrip('/')}/{quote(name, safe='')}/{content}"
    # Spark takes a location as it is written: of "a%20b" it makes no "a b".
    files = RemoteFiles(session, place)
    if not files.has(_WRITTEN):
        rows.write.mode("overwrite").parquet(place)
        if not files.has(_WRITTEN):
            # Hadoop's committer may be told to leave it out.
            files.write(_WRITTEN, "")
    return session.readStream.schema(rows.schema).parquet(_PATTERN.sub(r"\\\1", place))
