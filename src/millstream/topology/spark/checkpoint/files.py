"""Files of a checkpoint, on this machine or on any file system of Hadoop's client."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Protocol

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from millstream.topology.spark.private import private_directory, write_private


class Files(Protocol):
    """Operations on the files of a checkpoint; paths are relative to it."""

    def names(self, directory: str) -> list[str]:
        """Return the names in a directory; none if it does not exist."""

    def has(self, path: str) -> bool:
        """Return whether a file or directory exists."""

    def text(self, path: str) -> str:
        """Return the text of a file.

        Raises:
            OSError: The file cannot be read.
            UnicodeDecodeError: The file is not UTF-8 text.
        """

    def write(self, path: str, text: str) -> None:
        """Write a file atomically."""

    def remove(self, path: str) -> None:
        """Delete a file, or a directory with its contents, if it exists."""


class LocalFiles(Files):
    """The files of a checkpoint on this machine's own file system, which need no Spark.

    Args:
        root: The checkpoint's directory.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def names(self, directory: str) -> list[str]:
        path = self._root / directory
        return [each.name for each in path.iterdir()] if path.is_dir() else []

    def has(self, path: str) -> bool:
        return (self._root / path).exists()

    def text(self, path: str) -> str:
        return (self._root / path).read_text("utf-8")

    def write(self, path: str, text: str) -> None:
        file = self._root / path
        private_directory(file.parent)
        draft = file.with_name(f"{file.name}.draft")
        write_private(draft, text)
        draft.replace(file)

    def remove(self, path: str) -> None:
        target = self._root / path
        if target.is_dir():
            shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)


class RemoteFiles(Files):
    """The files of a checkpoint on any file system that Spark knows.

    Args:
        session: Any session.
        location: The checkpoint.
    """

    def __init__(self, session: SparkSession, location: str) -> None:
        jvm: Any = session._jvm
        context: Any = session._jsc
        self._path = jvm.org.apache.hadoop.fs.Path
        self._root = self._path(location)
        self._jvm, self._configuration = jvm, context.hadoopConfiguration()
        self._gateway: Any = session.sparkContext._gateway
        self._files = self._root.getFileSystem(self._configuration)
        self._io = jvm.org.apache.commons.io.IOUtils

    def names(self, directory: str) -> list[str]:
        path = self._at(directory)
        if not self._files.exists(path):
            return []
        return [status.getPath().getName() for status in self._files.listStatus(path)]

    def has(self, path: str) -> bool:
        return bool(self._files.exists(self._at(path)))

    def text(self, path: str) -> str:
        try:
            stream = self._files.open(self._at(path))
            try:
                return bytes(self._io.toByteArray(stream)).decode()
            finally:
                stream.close()
        except Py4JJavaError as error:
            raise OSError(str(error.java_exception)) from error

    def write(self, path: str, text: str) -> None:
        """Write a file; atomically if the file system's rename is atomic."""
        file, draft = self._at(path), self._at(f"{path}.draft")
        self._files.mkdirs(file.getParent())
        stream = self._files.create(draft, True)
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()
        self._rename(draft, file)

    def remove(self, path: str) -> None:
        self._files.delete(self._at(path), True)

    def _rename(self, draft: Any, file: Any) -> None:
        # Only a file context can replace a file in one step.
        context = self._jvm.org.apache.hadoop.fs.FileContext.getFileContext(
            self._root.toUri(), self._configuration
        )
        how = self._jvm.org.apache.hadoop.fs.Options.Rename
        options = self._gateway.new_array(how, 1)
        options[0] = how.OVERWRITE
        context.rename(draft, file, options)

    def _at(self, path: str) -> Any:
        return self._path(self._root, path) if path else self._root
