"""Java programs of the benchmarks, compiled at first use, and kept in the cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.vs_kafka_streams.errors import BenchmarkError
from millstream.jars import cache_dir, jars, java_command


def java_program(folder: Path, main: str, libraries: Sequence[Path] | None = None) -> list[str]:
    """Return the command that runs a program with Kafka Streams on its class path.

    Args:
        folder: The folder of its sources.
        main: Its class, which is in the default package.
        libraries: Jars on its class path; by default those of Kafka Streams.

    Raises:
        BenchmarkError: It cannot be compiled.
    """
    found = jars("streams") if libraries is None else list(libraries)
    classpath = os.pathsep.join(map(str, [_compiled(folder, main, found), *found]))
    quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"
    return [java_command(), quiet, "-cp", classpath, main]


def _compiled(folder: Path, main: str, libraries: Sequence[Path]) -> Path:
    sources = sorted(folder.glob("*.java"))
    lock = " ".join(path.name for path in libraries)
    text = b"".join(source.read_bytes() for source in sources)
    key = hashlib.sha256(text + lock.encode()).hexdigest()[:16]
    classes = cache_dir() / "benchmarks" / key
    if not (classes / f"{main}.class").exists():
        classes.parent.mkdir(parents=True, exist_ok=True)
        # Into place in one step: what an interrupted compiler leaves is never taken for a program.
        with TemporaryDirectory(prefix=".javac-", dir=classes.parent) as scratch:
            _compile(sources, libraries, Path(scratch, key)).rename(classes)
    return classes


def _compile(sources: Sequence[Path], libraries: Sequence[Path], target: Path) -> Path:
    classpath = os.pathsep.join(map(str, libraries))
    command = [_javac(), "-cp", classpath, "-d", str(target), *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchmarkError("cannot compile the Kafka Streams side", detail=done.stderr.strip())
    return target


def _javac() -> str:
    beside = Path(java_command()).resolve().with_name("javac")
    found = str(beside) if beside.exists() else shutil.which("javac")
    if found is None:
        raise BenchmarkError(
            "cannot find javac",
            detail="The Kafka Streams side is compiled at first use.",
            hint="Install a JDK; a JRE is not enough here.",
        )
    return found
