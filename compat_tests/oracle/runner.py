"""Compiles the oracle's Java program once and runs scenario files through it."""

from __future__ import annotations

import os
import subprocess
import tempfile
from hashlib import sha256
from pathlib import Path

from millstream.jars import JavaNotFoundError, cache_dir, jars, java_command

SOURCES = Path(__file__).parent / "java" / "oracle"
# The scenarios are small and many: a JVM that compiles less starts faster and is through sooner.
JVM_OPTIONS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx1g")


def run_oracle(folder: Path, *, log_level: str = "off") -> int:
    """Write `expect` into every scenario below `folder`; returns the program's exit status.

    A scenario that the program itself cannot interpret is reported and left as it is.

    Raises:
        MillstreamError: There is no JDK, or the jars of Kafka Streams cannot be had.
    """
    return run_java(SOURCES, str(folder), str(folder), log_level=log_level)


def run_java(package: Path, *arguments: str, log_level: str = "off") -> int:
    """Run ``Main`` of a folder of Java beside Kafka Streams; returns the program's exit status.

    Raises:
        MillstreamError: There is no JDK, or the jars of Kafka Streams cannot be had.
    """
    command = [*java_program(package, "Main", log_level=log_level), *arguments]
    return subprocess.run(command, check=False).returncode


def java_program(package: Path, main: str, *, log_level: str = "off") -> list[str]:
    """The command that runs a class of a folder of Java beside Kafka Streams.

    Raises:
        MillstreamError: There is no JDK, or the jars of Kafka Streams cannot be had.
    """
    libraries = [str(jar) for jar in jars("streams")]
    classes = _compiled(package, libraries)
    return [
        java_command(),
        *JVM_OPTIONS,
        f"-Dorg.slf4j.simpleLogger.defaultLogLevel={log_level}",
        "-cp",
        os.pathsep.join([str(classes), *libraries]),
        f"{package.name}.{main}",
    ]


def _compiled(package: Path, libraries: list[str]) -> Path:
    """The folder with the compiled program; one for each state of its source and its jars."""
    sources = sorted(package.glob("*.java"))
    digest = sha256("\n".join(libraries).encode())
    for source in sources:
        digest.update(source.read_bytes())
    classes = cache_dir() / package.name / digest.hexdigest()[:16]
    if classes.exists():
        return classes
    classes.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=classes.parent) as scratch:
        output = Path(scratch, "classes")
        path = os.pathsep.join(libraries)
        files = [str(source) for source in sources]
        options = [
            "-nowarn",
            "-Xlint:none",
            "-XDsuppressNotes",
            "--release",
            "17",
            "-cp",
            path,
            "-d",
            str(output),
        ]
        subprocess.run([_compiler(), *options, *files], check=True)
        try:
            output.rename(classes)
        except OSError:
            if not classes.exists():  # else another process was first
                raise
    return classes


def _compiler() -> str:
    # A JRE has no compiler, and PATH may hold the compiler of another Java.
    compiler = Path(java_command()).resolve().with_name("javac")
    if not compiler.exists():
        raise JavaNotFoundError(
            "cannot find javac",
            detail=f"{compiler.parent} has java only.",
            hint="Install a JDK; a JRE is enough for everything but the oracle.",
        )
    return str(compiler)
