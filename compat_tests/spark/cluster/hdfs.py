"""HDFS on this machine: Hadoop's mini cluster with one data node, from jars of a lock."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark
import pytest

from compat_tests.smoke.proc import descendants, kill_all
from compat_tests.spark.cluster.standalone import free_port
from compat_tests.spark.support import happens_before_end
from millstream.jars import JarFetchError, jars, java_command

LOCK = Path(__file__).with_name("hdfs.lock")
_MAIN = "org.apache.hadoop.mapreduce.MiniHadoopClusterManager"


@contextmanager
def hdfs(directory: Path) -> Iterator[str]:
    """Run HDFS and give its URL; the test is skipped where its jars cannot be fetched.

    Args:
        directory: For its data and its log.
    """
    try:
        own = jars(LOCK)
    except JarFetchError as error:
        pytest.skip(f"the jars of HDFS cannot be fetched: {error.problem}")
    port = free_port()
    classes = [*own, *sorted((Path(pyspark.__file__).parent / "jars").glob("*.jar"))]
    command = [str(java_command()), "-Xmx500m", "-cp", ":".join(map(str, classes)), _MAIN]
    details, log = directory / "details.json", directory / "hdfs.log"
    # The details are written when it has started.
    command += ["-nomr", "-format", "-nnport", str(port), "-datanodes", "1"]
    command += ["-writeDetails", str(details)]
    directory.mkdir(parents=True)
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=directory, stdout=output, stderr=output)
        try:
            assert happens_before_end(process, details.exists), log.read_text()[-5000:]
            yield f"hdfs://127.0.0.1:{port}"
        finally:
            kill_all(descendants(process.pid))
            process.wait()
