"""Files of state that Spark reads: none is passed over, whatever the session's settings say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from millstream.topology.spark.checkpoint.descriptor import AS_NAMED


@pytest.mark.parametrize("damage", [Path.unlink, lambda file: file.write_bytes(b"PAR1")])
def test_a_file_that_is_damaged_or_gone_is_an_error(
    spark: SparkSession, tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    """In a session for a lake of data the entries of a changed program's stores were gone."""
    mine = spark.newSession()
    for name in ("Corrupt", "Missing"):
        mine.conf.set(f"spark.sql.files.ignore{name}Files", "true")
    place = tmp_path / "seed"
    mine.range(100).repartition(2).write.parquet(str(place))
    rows = mine.read.options(**AS_NAMED).schema("id bigint").parquet(str(place))
    damage(next(place.glob("*.parquet")))
    with pytest.raises(Exception, match=r"FAILED_READ_FILE|does not exist|FILE_NOT_EXIST"):
        rows.agg(F.sum("id")).collect()
