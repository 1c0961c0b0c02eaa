"""Files and folders as read sources, Java and Kotlin."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from millstream.core.errors import IllegalArgumentException
from millstream.porting.reading import java, kotlin
from millstream.porting.reading.syntax import Unit

READERS = {".java": java.read, ".kt": kotlin.read, ".kts": kotlin.read}
OTHERS = {".scala": "Scala", ".sc": "Scala", ".groovy": "Groovy", ".clj": "Clojure"}
# A generated parser or a data file in disguise: nothing that a person ports by hand.
MAX_BYTES = 4_000_000


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that was not read, or not wholly, and why."""

    path: Path
    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read, and what was not."""

    units: tuple[Unit, ...]
    unread: tuple[Unread, ...]


def read_all(paths: Iterable[Path]) -> Reading:
    """Read files and all Java and Kotlin files of folders, each once, in order of names.

    Raises:
        IllegalArgumentException: A path does not exist, or there is no Java or Kotlin file.
    """
    units: list[Unit] = []
    unread: list[Unread] = []
    seen: set[Path] = set()
    given = list(paths)
    for path in (file for each in given for file in _files(each)):
        real = path.resolve()
        if real in seen:
            continue
        seen.add(real)
        found = read_file(path)
        if isinstance(found, Unread):
            unread.append(found)
        else:
            units.append(found)
            unread.extend(Unread(path, line, "the parser finds no sense") for line in found.unread)
    if not units and not unread:
        raise IllegalArgumentException(
            "there is nothing to read",
            detail=f"No .java or .kt file in {', '.join(str(each) for each in given)}.",
            hint="Name source files, or folders with such files.",
        )
    return Reading(tuple(units), tuple(unread))


def read_file(path: Path) -> Unit | Unread:
    """Read one file."""
    if path.suffix in OTHERS:
        return Unread(path, 0, f"{OTHERS[path.suffix]} is not read")
    reader = READERS.get(path.suffix)
    if reader is None:
        return Unread(path, 0, "not a Java or Kotlin file")
    try:
        if (size := path.stat().st_size) > MAX_BYTES:
            return Unread(path, 0, f"{size:,} bytes are more than {MAX_BYTES:,}")
        return reader(path, as_utf8(path.read_bytes()))
    except OSError as error:
        return Unread(path, 0, error.strerror or str(error))
    except RecursionError:
        return Unread(path, 0, "nested too deeply")


def as_utf8(source: bytes) -> bytes:
    """Return a source in UTF-8: as it is, or from UTF-16 by its mark, or from Latin-1."""
    if source.startswith((b"\xff\xfe", b"\xfe\xff")):
        return source.decode("utf-16", "replace").encode()
    try:
        return source.decode("utf-8-sig").encode()
    except UnicodeDecodeError:
        return source.decode("latin-1").encode()


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    elif path.is_dir():
        for folder, folders, names in os.walk(path):
            # Not what was built, and not what version control keeps.
            folders[:] = sorted(
                name for name in folders if not name.startswith(".") and name != "node_modules"
            )
            for name in sorted(names):
                if Path(name).suffix in READERS or Path(name).suffix in OTHERS:
                    yield Path(folder) / name
    else:
        raise IllegalArgumentException(
            f'there is no file or folder "{path}"', hint="Name source files, or folders of them."
        )
