"""Search for the Java that runs brokers, Ivy and Spark."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

from millstream.jars.errors import JavaNotFoundError

OLDEST = 17
"""The oldest Java that Spark 4 and Kafka 4 run on."""

_HINT = f"Install a JRE or JDK {OLDEST} or newer, or let JAVA_HOME name one."


def java_command() -> str:
    """Return the path of `java`: that of `JAVA_HOME` if it is set, else the first on `PATH`.

    Raises:
        JavaNotFoundError: There is no Java, or it is older than 17.
    """
    home = os.environ.get("JAVA_HOME")
    path = shutil.which(str(Path(home, "bin", "java"))) if home else shutil.which("java")
    if path is None:
        where = f"JAVA_HOME is {home}, which has no bin/java." if home else "No java is on PATH."
        raise JavaNotFoundError("cannot find Java", detail=where, hint=_HINT)
    version = _version(path)
    if version < OLDEST:
        raise JavaNotFoundError(f"Java {version} is too old", detail=f"It is {path}.", hint=_HINT)
    return path


@lru_cache
def _version(path: str) -> int:
    # Every distribution has its version in a small file; `java -version` takes far longer.
    release = Path(path).resolve().parent.parent / "release"
    try:
        text = release.read_text(encoding="utf-8")
    except OSError:
        text = _printed_version(path)
    found = re.search(r'(?:JAVA_VERSION=|version )"(?:1\.)?(\d+)', text)
    if found is None:
        raise JavaNotFoundError(
            f"cannot tell the version of {path}", detail=text.strip()[-200:], hint=_HINT
        )
    return int(found.group(1))


def _printed_version(path: str) -> str:
    try:
        done = subprocess.run([path, "-version"], capture_output=True, text=True, check=False)
    except OSError as error:
        raise JavaNotFoundError(f"cannot run {path}", detail=f"{error}.", hint=_HINT) from error
    return done.stderr + done.stdout
