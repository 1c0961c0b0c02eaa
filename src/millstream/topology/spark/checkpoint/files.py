"""Files of a checkpoint, on this machine or on any file system of Hadoop's client."""

from __future__ import annotations

import os
import shutil
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.sql import SparkSession

from millstream.core.errors import StreamsException
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

    def create(self, path: str, text: str) -> bool:
        """Write a file atomically unless it exists; return whether it did not.

        Of several processes that create it at once, one gets True where the file system can do so:
        local ones and HDFS can, object stores cannot.
        """

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
        try:
            write_private(draft, text)
            draft.replace(file)
        except BaseException:
            # The next attempt may need an empty directory, as that of a savepoint.
            with suppress(OSError):
                draft.unlink()
            raise

    def create(self, path: str, text: str) -> bool:
        file = self._root / path
        private_directory(file.parent)
        draft = file.with_name(f"{file.name}.{uuid.uuid4().hex}.draft")
        try:
            write_private(draft, text)
            return self._linked(draft, file, text)
        finally:
            # Also of a disk that is full, where one that waits tries again and again.
            draft.unlink(missing_ok=True)

    def remove(self, path: str) -> None:
        target = self._root / path
        if target.is_dir():
            shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)

    def _linked(self, draft: Path, file: Path, text: str) -> bool:
        try:
            # A link, unlike a rename, never replaces a file.
            os.link(draft, file)
        except FileExistsError:
            return False
        except OSError:
            return self._create_without_links(file, text)
        return True

    def _create_without_links(self, file: Path, text: str) -> bool:
        """Create a file on a file system that has no links; a reader may see a part of it."""
        try:
            with file.open("x", encoding="utf-8") as new:
                new.write(text)
        except FileExistsError:
            return False
        return True


class RemoteFiles(Files):
    """The files of a checkpoint on any file system that Spark knows.

    Args:
        session: Any session.
        location: The checkpoint.

    Raises:
        StreamsException: Spark does not know this file system.
    """

    def __init__(self, session: SparkSession, location: str) -> None:
        jvm: Any = session._jvm
        context: Any = session._jsc
        self._path = jvm.org.apache.hadoop.fs.Path
        self._root = self._path(location)
        self._jvm, self._configuration = jvm, context.hadoopConfiguration()
        self._gateway: Any = session.sparkContext._gateway
        try:
            self._files = self._root.getFileSystem(self._configuration)
        except Py4JJavaError as error:
            raise StreamsException(
                f'Spark has no file system for "{location}"',
                detail=f"{str(error.java_exception).splitlines()[0]}.",
                hint="Correct the address, or give Spark the jars of this file system: spark.jars, "
                "or spark.jars.packages.",
            ) from error
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
        draft = self._drafted(f"{path}.draft", text)
        self._rename(draft, self._at(path), self._jvm.org.apache.hadoop.fs.Options.Rename.OVERWRITE)

    def create(self, path: str, text: str) -> bool:
        file = self._at(path)
        if self._files.exists(file):
            return False
        draft = self._drafted(f"{path}.{uuid.uuid4().hex}.draft", text)
        try:
            self._rename(draft, file, self._jvm.org.apache.hadoop.fs.Options.Rename.NONE)
        except Py4JJavaError as error:
            if "FileAlreadyExistsException" not in str(error.java_exception):
                raise
            self._files.delete(draft, False)
            return False
        return True

    def remove(self, path: str) -> None:
        self._files.delete(self._at(path), True)

    def _drafted(self, path: str, text: str) -> Any:
        draft = self._at(path)
        self._files.mkdirs(draft.getParent())
        stream = self._files.create(draft, True)
        try:
            try:
                stream.write(bytearray(text.encode()))
            finally:
                stream.close()
        except BaseException:
            with suppress(Py4JError):
                self._files.delete(draft, False)
            raise
        return draft

    def _rename(self, draft: Any, file: Any, option: Any) -> None:
        # Only a file context can replace a file in one step.
        context = self._jvm.org.apache.hadoop.fs.FileContext.getFileContext(
            self._root.toUri(), self._configuration
        )
        how = self._jvm.org.apache.hadoop.fs.Options.Rename
        options = self._gateway.new_array(how, 1)
        options[0] = option
        context.rename(draft, file, options)

    def _at(self, path: str) -> Any:
        return self._path(self._root, path) if path else self._root
