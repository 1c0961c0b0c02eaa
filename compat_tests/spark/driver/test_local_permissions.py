"""Permissions of the JVM's local files: the same as Hadoop sets, without a process for each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from millstream.topology.spark.driver.local_permissions import without_processes


@pytest.mark.parametrize("mode", [0o640, 0o600, 0o755, 0o777, 0o000, 0o1777])
def test_a_files_permissions_are_those_that_were_asked_for(
    spark: SparkSession, tmp_path: Path, mode: int
) -> None:
    assert without_processes(spark)
    jvm: Any = spark._jvm
    configuration = spark._jsc.hadoopConfiguration()
    root = jvm.java.net.URI("file:///")
    files = jvm.org.apache.hadoop.fs.FileSystem.get(root, configuration)
    made = jvm.org.apache.hadoop.fs.Path(str(tmp_path / "made"))
    files.create(made).close()
    permission = jvm.org.apache.hadoop.fs.permission.FsPermission(mode)
    files.setPermission(made, permission)
    assert (tmp_path / "made").stat().st_mode & 0o7777 == mode


def test_it_is_set_by_java_itself_and_files_have_checksums(
    spark: SparkSession, tmp_path: Path
) -> None:
    assert without_processes(spark)
    assert without_processes(spark), "it stays"
    jvm: Any = spark._jvm
    configuration = spark._jsc.hadoopConfiguration()
    files = jvm.org.apache.hadoop.fs.FileSystem.get(jvm.java.net.URI("file:///"), configuration)
    assert files.getRawFileSystem().getClass().getName() == "millstream.RawLocalFiles"
    files.create(jvm.org.apache.hadoop.fs.Path(str(tmp_path / "made"))).close()
    assert (tmp_path / ".made.crc").exists()


def test_another_jvm_stays_as_it_is() -> None:
    class Other:
        """A session whose JVM has other classes."""

    other: Any = Other()
    assert not without_processes(other)
