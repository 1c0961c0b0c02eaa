"""Locked jars, fetched once into a per-user cache."""

from __future__ import annotations

import fcntl
import os
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from millstream.jars.errors import JarChecksumError, JarFetchError
from millstream.jars.ivy import retrieve
from millstream.jars.lock import LockedJar, read_lock


def jars(
    lock: str | Path,
    *,
    ivy_settings: str | Path | None = None,
    progress: bool | None = None,
) -> list[Path]:
    """Return the paths of the jars of a lock; fetch those missing in the cache.

    Safe in several processes: one fetches, the others wait. A jar enters the cache only after its
    SHA-256 is checked; a damaged jar in the cache is fetched again.

    Args:
        lock: `"kafka"` (the embedded broker), `"spark"` (Spark's Kafka connector), `"streams"`
            (Kafka Streams itself), `"registry"` (an archive: the embedded schema registry), or the
            path of a lock file.
        ivy_settings: An `ivysettings.xml`, for mirrors and proxies; by default the one that
            `MILLSTREAM_IVY_SETTINGS` names.
        progress: Whether to show a progress bar on standard error; by default if it is a terminal.

    Raises:
        JarFetchError: No network, a missing jar, or an unwritable cache.
        JarChecksumError: A fetched jar does not have the SHA-256 of the lock.
        JavaNotFoundError: There is no Java 17 or newer to run Ivy.
    """
    locked = read_lock(lock)
    folder = cache_dir() / "jars"
    if _missing(locked, folder):
        with _only_one_process(folder):
            if missing := _missing(locked, folder):
                settings = ivy_settings or os.environ.get("MILLSTREAM_IVY_SETTINGS")
                _fetch(missing, folder, Path(settings) if settings else None, progress)
    return [folder / jar.file_name for jar in locked]


def unpacked(
    lock: str | Path,
    *,
    ivy_settings: str | Path | None = None,
    progress: bool | None = None,
) -> Path:
    """Return the folder of a lock's archive, unpacked; fetch and unpack it the first time.

    Raises:
        JarFetchError: As for `jars`, or there is no room for what it holds.
    """
    (archive,) = read_lock(lock)
    folder = cache_dir() / "unpacked" / f"{archive.file_name}-{archive.sha256[:12]}"
    if folder.is_dir():
        return folder
    (path,) = jars(lock, ivy_settings=ivy_settings, progress=progress)
    with _only_one_process(folder.parent):
        if not folder.is_dir():
            # Renamed when it is complete: a folder with this name is never a part.
            with TemporaryDirectory(prefix=".unpack-", dir=folder.parent) as scratch:
                _unpack(path, Path(scratch, "all"))
                os.replace(Path(scratch, "all"), folder)
    return folder


def cache_dir() -> Path:
    """Return the per-user cache: `MILLSTREAM_CACHE`, or `millstream` in the XDG cache folder.

    Raises:
        JarFetchError: Nothing says where it is: the user has no home.
    """
    if own := os.environ.get("MILLSTREAM_CACHE"):
        return Path(own).expanduser().absolute()
    shared = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(shared) if shared else Path.home() / ".cache") / "millstream"
    except RuntimeError as error:
        raise JarFetchError(
            "there is no place for the cache of jars",
            detail=f"HOME is not set, and the system knows no home of user {os.getuid()}.",
            hint="Let MILLSTREAM_CACHE name a directory that the program may write to, or set "
            "HOME.",
        ) from error


def _missing(locked: Sequence[LockedJar], folder: Path) -> list[LockedJar]:
    return [jar for jar in locked if not jar.matches(folder / jar.file_name)]


def _fetch(
    wanted: Sequence[LockedJar], folder: Path, settings: Path | None, progress: bool | None
) -> None:
    # Its library takes a tenth of a second to import, and jars are fetched once.
    from millstream.jars.progress import fetch_progress

    # On the cache's file system, so that each jar can be moved atomically.
    with TemporaryDirectory(prefix=".fetch-", dir=folder) as scratch:
        with fetch_progress(wanted, show=progress) as on_jar:
            retrieve(wanted, Path(scratch), settings=settings, on_jar=on_jar)
        if wrong := [jar for jar in wanted if not jar.matches(Path(scratch, jar.file_name))]:
            raise JarChecksumError(
                f"the fetched {wrong[0].coordinate} is not the jar of the lock",
                detail=f"Its SHA-256 is not {wrong[0].sha256}.",
                hint="Check the repositories that jars come from; nothing was kept.",
            )
        for jar in wanted:
            os.replace(Path(scratch, jar.file_name), folder / jar.file_name)


def _unpack(archive: Path, target: Path) -> None:
    try:
        with tarfile.open(archive) as tar:
            extract(tar, target)
    except (OSError, tarfile.TarError) as error:
        raise JarFetchError(
            f"cannot unpack {archive}",
            detail=f"{error}.",
            hint="Make room, or name another folder in MILLSTREAM_CACHE.",
        ) from error


def extract(tar: tarfile.TarFile, target: Path) -> None:
    """Unpack an archive into a folder, and nothing outside of it.

    Raises:
        tarfile.TarError: It has a file of another place.
    """
    if hasattr(tarfile, "data_filter"):
        tar.extractall(target, filter="data")
        return
    # Python 3.10 before 3.10.12 and 3.11 before 3.11.4, such as Debian 12's, know no filters.
    for member in tar.getmembers():
        if not (target / member.name).resolve().is_relative_to(target.resolve()):
            raise tarfile.TarError(f"{member.name} is outside of the archive's folder")
    tar.extractall(target)


@contextmanager
def _only_one_process(folder: Path) -> Iterator[None]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("w")
    except OSError as error:
        raise JarFetchError(
            f"cannot write the jar cache {folder}",
            detail=f"{error.strerror}.",
            hint="Name another folder in MILLSTREAM_CACHE.",
        ) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
