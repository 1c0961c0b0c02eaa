"""Permissions of files that the JVM writes on a local disk, set without a process for each file.

Hadoop sets a new file's permissions by a ``chmod`` process where it has no native library, and
pyspark has none. A batch writes about five files, and each has one with its checksums: that is a
sixth of the processor time of a small batch. Here Java's own call does the same.
"""

from __future__ import annotations

import logging
from typing import Any

from pyspark.sql import SparkSession

from millstream.topology.spark.compiled_java import compiled

log = logging.getLogger(__name__)

_RAW = "org.apache.hadoop.fs.RawLocalFileSystem"
_OURS = "millstream.RawLocalFiles"
_SOURCE = f"""
package millstream;

public class RawLocalFiles extends {_RAW} {{
    public void setPermission(
        org.apache.hadoop.fs.Path path, org.apache.hadoop.fs.permission.FsPermission permission
    ) throws java.io.IOException {{
        if (permission.getStickyBit()) {{
            super.setPermission(path, permission);
            return;
        }}
        String text = permission.getUserAction().SYMBOL
            + permission.getGroupAction().SYMBOL + permission.getOtherAction().SYMBOL;
        java.nio.file.Files.setPosixFilePermissions(
            pathToFile(path).toPath(),
            java.nio.file.attribute.PosixFilePermissions.fromString(text)
        );
    }}
}}
"""


def without_processes(session: SparkSession) -> bool:
    """Let the driver's JVM set permissions itself; return whether it does.

    Only Hadoop's own local file system is changed. Where anything is not as it is in Spark's usual
    distribution, all stays as it is: the processes cost time and nothing else.
    """
    try:
        jvm: Any = session._jvm
        context: Any = session._jsc
        configuration = context.hadoopConfiguration()
        if jvm.org.apache.hadoop.io.nativeio.NativeIO.isAvailable():
            return False
        root = jvm.java.net.URI("file:///")
        files = jvm.org.apache.hadoop.fs.FileSystem.get(root, configuration)
        raw = files.getRawFileSystem()
        if raw.getClass().getName() != _RAW:
            return bool(raw.getClass().getName() == _OURS)
        ours = compiled(session, _SOURCE, _OURS)
        ours.initialize(root, configuration)
        field = jvm.java.lang.Class.forName("org.apache.hadoop.fs.FilterFileSystem")
        field = field.getDeclaredField("fs")
        field.setAccessible(True)
        field.set(files, ours)
    except Exception as error:  # noqa: BLE001 - nothing depends on it
        log.debug("the JVM sets permissions by processes: %s", error)
        return False
    return True
