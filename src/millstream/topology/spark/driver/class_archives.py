"""Archives of Java's classes: the folder that has them, and the one that fits a JVM.

Most of a JVM's start is loading and verifying classes. An archive has them ready for one Java, one
pyspark and one class path. What is in it runs as code, so its folder is this user's alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

from millstream.jars import cache_dir

JAVA_OPTIONS = "spark.driver.extraJavaOptions"
OPTIONS_OF_ENVIRONMENT = (
    "JDK_JAVA_OPTIONS",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "SPARK_SUBMIT_OPTS",
)
"""Entries of the environment whose options Spark's JVM gets, too."""
KEPT = 3
"""The most archives of a user."""
KEPT_S = 30 * 86_400
"""How long an archive stays that no JVM uses."""

_PLACES = ("SPARK_CONF_DIR", "SPARK_DIST_CLASSPATH", "HADOOP_CONF_DIR", "YARN_CONF_DIR")
"""Entries of the environment that change Spark's class path."""
_SETTINGS = ("spark.driver.extraClassPath", "spark.jars")
_FITTING = re.compile(
    r"-XX:[+-]Use(?:\w+GC|Compressed\w+|CompactObjectHeaders)\b|-XX:ObjectAlignmentInBytes=\w+"
)
"""Options that an archive must have in common with the JVM that uses it."""
_GIVEN = re.compile(
    r"-Xshare|SharedArchiveFile|SharedClassListFile|SharedArchiveConfigFile|ArchiveClassesAtExit"
    r"|AutoCreateSharedArchive|RecordDynamicDumpInfo|DumpLoadedClassList|SharedSpaces"
    r"|-XX:AOT|--patch-module|--upgrade-module-path|--limit-modules|--module-path"
    r"|-Xbootclasspath|java\.system\.class\.loader|-XX:Flags|-XX:VMOptionsFile"
)
"""Options with which the user has chosen, or with which Java uses no archive."""
_LARGE_BYTES = 30 << 30
"""Above it Java's references are longer, and need another archive."""
_UNITS = {"k": 10, "m": 20, "g": 30, "t": 40}
_SUFFIX = ".jsa"
_UNFINISHED = ".making-"
_OTHERS_WRITE = 0o022


class UnsafeArchiveError(OSError):
    """The folder, or an archive in it, belongs to another user or can be written by one."""


def archive_folder() -> Path:
    """Return the folder of this user's archives; it need not exist."""
    return cache_dir() / "classes"


def options_allow(options: str, environment: Mapping[str, str]) -> bool:
    """Tell whether neither the user's options nor the environment's decide on an archive."""
    every = [options, *(environment.get(name, "") for name in OPTIONS_OF_ENVIRONMENT)]
    return sys.platform in ("linux", "darwin") and not any(map(_GIVEN.search, every))


def archive_for(
    settings: Mapping[str, str], environment: Mapping[str, str], java: str
) -> Path | None:
    """Return the place of the archive for a JVM to be launched; it need not exist.

    Java itself compares the class path; the name keeps apart what it would refuse, and what
    would be slower than it need be.

    Args:
        settings: Those of the Spark session.
        environment: The process's environment.
        java: Path of the command ``java``.

    Returns:
        None if this Java has no such archives, or takes the folder's name for that of two files.
    """
    if os.pathsep in str(archive_folder()):
        return None
    release = Path(java).resolve().parent.parent / "release"
    with suppress(OSError):
        text = release.read_text(encoding="utf-8", errors="replace")
        if "openj9" in text.lower():
            return None
        return archive_folder() / f"{_name([str(release), text], settings, environment)}{_SUFFIX}"
    # Without that file the Java cannot be told from the next one in the same place.
    return None


def usable(archive: Path) -> bool:
    """Tell whether there is a whole archive that this user may trust.

    Raises:
        UnsafeArchiveError: There is one that another user may have written.
    """
    if not archive.exists():
        return False
    check_private(archive.parent)
    found = archive.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise UnsafeArchiveError(f"{archive} is not a file")
    _check_owner(archive, found)
    with archive.open("rb") as file:
        file.seek(max(0, found.st_size - len(_mark(0))))
        return file.read() == _mark(found.st_size - len(_mark(0)))


def note_use(archive: Path) -> None:
    """Let its time say that it was used now; where that cannot be written, it may go sooner."""
    with suppress(OSError):
        os.utime(archive)


def check_private(folder: Path) -> None:
    """Check that the folder is a directory of this user which no other one can write.

    Raises:
        UnsafeArchiveError: It is not.
        OSError: It is not there.
    """
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise UnsafeArchiveError(f"{folder} is not a directory")
    _check_owner(folder, found)


@contextmanager
def only_maker(folder: Path) -> Iterator[bool]:
    """Make the folder, and give whether no other process makes an archive in it.

    Raises:
        UnsafeArchiveError: The folder is another user's.
        OSError: The folder cannot be made.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    check_private(folder)
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(handle)


def unfinished(archive: Path) -> Path:
    """Return the name that an archive has while it is written."""
    return archive.with_name(f"{_UNFINISHED}{os.getpid()}-{archive.name}")


def finish(path: Path, archive: Path) -> None:
    """Give a written archive its name, once it is on the disk.

    Raises:
        OSError: The disk is full, or the file has gone.
    """
    os.chmod(path, 0o600)
    with path.open("ab") as file:
        file.write(_mark(path.stat().st_size))
        file.flush()
        os.fsync(file.fileno())
    os.replace(path, archive)


def tidy(folder: Path, now: float | None = None) -> list[Path]:
    """Delete old archives, the least recently used of too many, and what was never finished.

    Only one process at a time may do that: see ``only_maker``.
    """
    now = time.time() if now is None else now
    archives = sorted(folder.glob(f"[!.]*{_SUFFIX}"), key=_used, reverse=True)
    old = [each for each in archives[:KEPT] if now - _used(each) > KEPT_S]
    removed = [*old, *archives[KEPT:], *folder.glob(f"{_UNFINISHED}*")]
    for each in removed:
        with suppress(OSError):
            each.unlink()
    return removed


def _mark(size: int) -> bytes:
    """Return what stands behind the last byte of an archive of a size.

    Java checks the sums of what an archive has, and ends with a signal where it is cut off.
    """
    return f"\nmillstream: {size:020d} bytes\n".encode()


def _used(archive: Path) -> float:
    try:
        return archive.stat().st_mtime
    except OSError:
        return 0.0


def _check_owner(path: Path, found: os.stat_result) -> None:
    if found.st_uid != os.getuid():
        raise UnsafeArchiveError(f"{path} belongs to another user")
    if found.st_mode & _OTHERS_WRITE:
        raise UnsafeArchiveError(f"{path} can be written by other users")


def _name(java: list[str], settings: Mapping[str, str], environment: Mapping[str, str]) -> str:
    options = [settings.get(JAVA_OPTIONS, "")]
    options += [environment.get(name, "") for name in OPTIONS_OF_ENVIRONMENT]
    fit = {
        "java": java,
        "spark": [_stamp(path) for path in _spark_files(environment)],
        "jars": [_stamp(path) for path in _listed(settings.get("spark.jars"))],
        "settings": [settings.get(name, "") for name in _SETTINGS],
        "environment": [environment.get(name, "") for name in _PLACES],
        "options": sorted(set(_FITTING.findall(" ".join(options)))),
        "large": _is_large(settings.get("spark.driver.memory", "")),
    }
    return hashlib.sha256(json.dumps(fit).encode()).hexdigest()[:32]


def _spark_files(environment: Mapping[str, str]) -> list[Path]:
    home = environment.get("SPARK_HOME")
    if not home:
        spec = find_spec("pyspark")
        places = None if spec is None else spec.submodule_search_locations
        home = next(iter(places or ()), "")
    jars = Path(home, "jars")
    return sorted(jars.iterdir()) if jars.is_dir() else [jars]


def _listed(text: str | None) -> list[Path]:
    return [Path(each.strip()) for each in (text or "").split(",") if each.strip()]


def _stamp(path: Path) -> tuple[str, int, int]:
    try:
        found = path.stat()
    except OSError:
        # Such as the address of a jar elsewhere.
        return str(path), -1, -1
    return str(path), found.st_size, found.st_mtime_ns


def _is_large(memory: str) -> bool:
    found = re.fullmatch(r"\s*(\d+)\s*([kmgt]?)b?\s*", memory.lower())
    # A number without a unit is in mebibytes.
    return found is not None and int(found[1]) << _UNITS[found[2] or "m"] > _LARGE_BYTES
