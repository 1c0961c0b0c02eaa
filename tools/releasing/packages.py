"""Wheel and sdist of a checkout: built, and checked against what they must and must not hold."""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath

from tools.releasing.errors import Refused
from tools.releasing.notes import PROJECT, settings, version_of
from tools.releasing.steps import run, tracked

_LARGEST = {".whl": 3 << 20, ".gz": 12 << 20}
_DIST_INFO = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
# Written by hatchling.
_SDIST_OWN = ("PKG-INFO", PROJECT, ".gitignore")
_SECRETS = {
    "a private key": re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/=]{40}"),
    "a token of a package index": re.compile(rb"\bpypi-AgE[A-Za-z0-9_-]{40}"),
    "a token of a code host": re.compile(rb"\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{50})"),
    "a key of a cloud": re.compile(rb"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
}


@dataclass(frozen=True, slots=True)
class Packages:
    """Files of a version."""

    wheel: Path
    sdist: Path

    def __iter__(self) -> Iterator[Path]:
        yield from (self.sdist, self.wheel)


def build(checkout: Path, folder: Path, epoch: int) -> Packages:
    """Build the sdist, and the wheel from it, into a folder.

    The same commit and time give the same bytes, wherever and by whomever they are built, with the
    same version of hatchling.

    Args:
        checkout: The checkout.
        folder: Where the files go; other files in it stay.
        epoch: The time of all files in them, in seconds.
    """
    run(
        *(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, checkout),
        more={"SOURCE_DATE_EPOCH": str(epoch)},
    )
    name = f"millstream-{version_of(checkout)}"
    return Packages(folder / f"{name}-py3-none-any.whl", folder / f"{name}.tar.gz")


def check_same(one: Packages, other: Packages) -> None:
    """Check that two builds gave the same bytes.

    Raises:
        Refused: They did not.
    """
    differing = [a.name for a, b in zip(one, other, strict=True) if digest(a) != digest(b)]
    if differing:
        raise Refused(f"two builds of one commit differ: {', '.join(differing)}")


def check(packages: Packages, checkout: Path) -> None:
    """Check the files of a version against the checkout that they were built from.

    Raises:
        Refused: A file is missing or too many, a package is too large, holds a secret, or has
            metadata that a package index would refuse.
    """
    files = tracked(checkout)
    _compare(packages.wheel, set(_in_wheel(packages.wheel)), set(_for_wheel(checkout, files)))
    _compare(packages.sdist, set(_in_sdist(packages.sdist)), set(_for_sdist(checkout, files)))
    for path in packages:
        if path.stat().st_size > _LARGEST[path.suffix]:
            raise Refused(f"{path.name} has {path.stat().st_size:,} bytes: what is new in it?")
        for name, data in contents(path):
            check_no_secret(f"{path.name}: {name}", data)
    run(sys.executable, "-m", "twine", "check", "--strict", *packages)


def check_no_secret(name: str, data: bytes) -> None:
    """Check that the contents of a file hold nothing secret.

    Raises:
        Refused: They do.
    """
    for what, pattern in _SECRETS.items():
        if pattern.search(data):
            raise Refused(f"{name} holds {what}")


def contents(package: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and contents of each file of a wheel or sdist."""
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as wheel:
            yield from ((name, wheel.read(name)) for name in wheel.namelist())
        return
    with tarfile.open(package) as sdist:
        for member in sdist:
            file = sdist.extractfile(member)
            if file is not None:
                yield member.name, file.read()


def checksums(files: Iterable[Path]) -> str:
    """Return lines for ``sha256sum --check``."""
    return "".join(f"{digest(path)}  {path.name}\n" for path in files)


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()


def _in_wheel(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as wheel:
        return [name for name in wheel.namelist() if not name.endswith("/")]


def _for_wheel(checkout: Path, files: list[str]) -> Iterator[str]:
    info = f"millstream-{version_of(checkout)}.dist-info"
    yield from (f"{info}/{name}" for name in _DIST_INFO)
    yield from (name.removeprefix("src/") for name in files if name.startswith("src/millstream/"))


def _in_sdist(path: Path) -> Iterator[str]:
    """Yield the members but for folders, each without the folder that all are in."""
    with tarfile.open(path) as sdist:
        for member in sdist:
            _, _, name = member.name.partition("/")
            if not member.isdir():
                yield name if member.isfile() else f"{name} (no plain file)"


def _for_sdist(checkout: Path, files: list[str]) -> Iterator[str]:
    targets = settings(checkout)["tool"]["hatch"]["build"]["targets"]
    included = set(targets["sdist"]["only-include"])
    yield from _SDIST_OWN
    for name in files:
        path = PurePosixPath(name)
        if {name, path.parts[0]} & included:
            yield name


def _compare(path: Path, found: set[str], wanted: set[str]) -> None:
    if found == wanted:
        return
    more, less = sorted(found - wanted)[:20], sorted(wanted - found)[:20]
    raise Refused(f"{path.name} has too many files: {more}, and lacks {less}")
