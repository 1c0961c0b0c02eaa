"""Copies of DataFrames that are not streaming, for queries that are."""

from __future__ import annotations

from urllib.parse import quote

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from millstream.topology.spark.driver.savepoints import files_at


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
    if not files_at(place, session).has("_SUCCESS"):
        rows.write.mode("overwrite").parquet(place)
    return session.readStream.schema(rows.schema).parquet(place)
