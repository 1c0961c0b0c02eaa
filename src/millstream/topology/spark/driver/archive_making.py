"""Making of an archive of Java's classes beside an application that was started without one."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkContext

from millstream.topology.spark.driver.archive_options import USED, WANTED
from millstream.topology.spark.driver.class_archives import (
    OPTIONS_OF_ENVIRONMENT,
    finish,
    only_maker,
    tidy,
    unfinished,
    usable,
)
from millstream.topology.spark.driver.free_memory import free_memory
from millstream.topology.spark.driver.query import Report
from millstream.topology.spark.scratch import scratch_directory

log = logging.getLogger(__name__)

PATIENCE_S = 30.0
BATCHES = 5
"""When an application's classes are taken to be loaded."""
MEMORY_BYTES = 2 << 30
"""What must be free of the memory: Java takes some hundred MB, and a container may kill for it."""
ROOM_BYTES = 1 << 30
"""What must be free on the disk: state needs it more."""
_LOOK_S = 1.0
_LIMIT_S = 600.0
_END_S = 5.0
_POLL_S = 0.1
_NICE = "10"


@dataclass(frozen=True, slots=True)
class LaunchedJvm:
    """What an archive is made of: facts about a JVM that runs."""

    java: Path
    class_path: str
    flags: tuple[str, ...]
    """Options that the archive must have in common with it."""
    classes: Path
    """List of the classes that it has loaded."""
    archive: Path
    """The archive that it would have used."""


class ArchiveMaking:
    """Makes the archive for this process's JVM once an application has run for a while.

    Args:
        patience_s: Time since the first look.
        batches: Number of batches that must have been seen to end since then.
    """

    def __init__(self, patience_s: float = PATIENCE_S, batches: int = BATCHES) -> None:
        self._patience_s = patience_s
        self._batches = batches
        self._begun_at: float | None = None
        self._look_at = 0.0
        self._last: Report | None = None
        self._ended = 0
        self._over = False
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def look(self, report: Callable[[], Report | None]) -> None:
        """Begin if it is time; called many times a second.

        Args:
            report: Returns Spark's last report.
        """
        now = time.monotonic()
        if self._over or now < self._look_at:
            return
        self._look_at = now + _LOOK_S
        if self._begun_at is None:
            self._begun_at = now
            self._over = not _is_wanted()
            return
        try:
            last = report()
        except Exception:  # noqa: BLE001 - what is wrong with the query is told elsewhere
            return
        # The next batch's number is also that of a report that there was nothing to do.
        if last is not None and last[2] and last != self._last:
            self._last, self._ended = last, self._ended + 1
        if self._ended >= self._batches and now - self._begun_at >= self._patience_s:
            self._over = True
            self._thread = threading.Thread(target=self._make, name="class-archive", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End what runs; an archive that is not finished is given up."""
        self._over = True
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(_END_S)

    def _make(self) -> None:
        try:
            with tempfile.TemporaryDirectory(dir=scratch_directory()) as scratch:
                make_archive(launched(Path(scratch)), self._stopped)
        except Exception as error:  # noqa: BLE001 - an application runs as well without it
            if not self._stopped.is_set():
                log.warning("no archive of Java's classes was made: %s", error)


def make_archive(jvm: LaunchedJvm, stopped: threading.Event | None = None) -> bool:
    """Make an archive, unless another process makes one; return whether it is there.

    Args:
        jvm: The JVM that it is for.
        stopped: Set to give up.

    Raises:
        OSError: The folder is another user's, or the disk is full.
        RuntimeError: Java cannot make it.
    """
    folder, stopped = jvm.archive.parent, stopped or threading.Event()
    with only_maker(folder) as alone:
        if not alone or usable(jvm.archive):
            return alone
        tidy(folder)
        if reason := _refused(jvm, folder):
            log.info("no archive of Java's classes is made: %s", reason)
            return False
        began, path = time.monotonic(), unfinished(jvm.archive)
        try:
            if not _run(_command(jvm, path), folder, stopped):
                return False
            finish(path, jvm.archive)
        finally:
            path.unlink(missing_ok=True)
        tidy(folder)
        log.info(
            "archive of Java's classes made path=%s bytes=%s seconds=%.1f",
            jvm.archive,
            jvm.archive.stat().st_size,
            time.monotonic() - began,
        )
        return True


def launched(scratch: Path) -> LaunchedJvm:
    """Return what the archive of this process's JVM is made of; it wants one.

    Args:
        scratch: Directory for the list of its classes.

    Raises:
        RuntimeError: This Java does not tell its classes.
    """
    jvm: Any = SparkContext._jvm
    properties = jvm.java.lang.System
    classes = scratch / "loaded.classes"
    _list_classes(classes)
    return LaunchedJvm(
        java=Path(properties.getProperty("java.home"), "bin", "java"),
        class_path=properties.getProperty("java.class.path"),
        flags=_flags(),
        classes=classes,
        archive=Path(properties.getProperty(WANTED)),
    )


def _list_classes(path: Path) -> None:
    """Let the JVM write the list of the classes that it has loaded so far: some 30 ms.

    It is what Java's own command ``VM.cds static_dump`` begins with. The command would then start
    a Java that nobody can end, with all options of the application's.
    """
    jvm: Any = SparkContext._jvm
    gateway: Any = SparkContext._gateway
    try:
        kinds = gateway.new_array(jvm.java.lang.Class, 1)
        kinds[0] = jvm.java.lang.Class.forName("java.lang.String")
        values = gateway.new_array(jvm.java.lang.Object, 1)
        values[0] = str(path)
        kind = jvm.java.lang.Class.forName("jdk.internal.misc.CDS")
        method = kind.getDeclaredMethod("dumpClassList", kinds)
        method.setAccessible(True)
        method.invoke(None, values)
    except Py4JJavaError as error:
        raise RuntimeError(f"this Java does not tell its classes: {error.java_exception}") from None


def _is_wanted() -> bool:
    """Tell whether this process's JVM wants an archive; delete one that it has refused."""
    jvm: Any = SparkContext._jvm
    # A session of the user's may be in no JVM of this process, or it has just ended.
    with suppress(Exception):
        used = jvm.java.lang.System.getProperty(USED)
        if used and _flag("UseSharedSpaces") == "false":
            log.info("Java refused the archive of its classes; the next start makes one")
            Path(used).unlink(missing_ok=True)
        return bool(jvm.java.lang.System.getProperty(WANTED))
    return False


def _flags() -> tuple[str, ...]:
    names = ("UseCompressedOops", "UseCompressedClassPointers", "UseCompactObjectHeaders")
    marks = {"true": "+", "false": "-"}
    found = [f"-XX:{marks[on]}{name}" for name in names if (on := _flag(name)) in marks]
    if (alignment := _flag("ObjectAlignmentInBytes")) is not None:
        found.append(f"-XX:ObjectAlignmentInBytes={alignment}")
    return tuple(found)


def _flag(name: str) -> str | None:
    """Return the value of an option of the JVM; None if this Java does not have it."""
    jvm: Any = SparkContext._jvm
    with suppress(Exception):
        kind = jvm.java.lang.Class.forName("com.sun.management.HotSpotDiagnosticMXBean")
        bean = jvm.java.lang.management.ManagementFactory.getPlatformMXBean(kind)
        return str(bean.getVMOption(name).getValue())
    return None


def _refused(jvm: LaunchedJvm, folder: Path) -> str:
    """Return why Java could not make an archive, or should not; empty if it can."""
    for entry in jvm.class_path.split(os.pathsep):
        if os.path.isdir(entry) and os.listdir(entry):
            return f"Java makes none for a class path with the directory {entry}"
    memory = free_memory()
    if memory is not None and memory < MEMORY_BYTES:
        return f"only {memory:,} bytes of memory are free"
    free = shutil.disk_usage(folder).free
    return f"only {free:,} bytes are free in {folder}" if free < ROOM_BYTES else ""


def _command(jvm: LaunchedJvm, path: Path) -> list[str]:
    nice = shutil.which("nice")
    return [
        *([nice, "-n", _NICE] if nice else []),
        str(jvm.java),
        "-Xshare:dump",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-XX:+IgnoreUnrecognizedVMOptions",
        *jvm.flags,
        f"-XX:SharedClassListFile={jvm.classes}",
        f"-XX:SharedArchiveFile={path}",
        "-Xlog:disable",
        "-Xlog:all=error:stderr",
        "-cp",
        jvm.class_path,
    ]


def _run(command: list[str], folder: Path, stopped: threading.Event) -> bool:
    """Run Java; return False if it was stopped.

    Raises:
        RuntimeError: It has failed.
    """
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        # Ctrl-C in a terminal is for the application, which ends this process when it closes.
        start_new_session=True,
        # Options of the user's for all JVMs, such as a debugger, are not for this one.
        env={k: v for k, v in os.environ.items() if k not in OPTIONS_OF_ENVIRONMENT},
    )
    give_up = time.monotonic() + _LIMIT_S
    while True:
        try:
            _, said = process.communicate(timeout=_POLL_S)
            break
        except subprocess.TimeoutExpired:
            if stopped.is_set() or time.monotonic() > give_up:
                process.kill()
    if stopped.is_set():
        return False
    if process.returncode:
        last = " ".join(said.split()[-40:])
        raise RuntimeError(f"Java ended with status {process.returncode}: {last}")
    return True
