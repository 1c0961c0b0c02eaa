"""Lock files: the jars of one purpose, each with its SHA-256."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from importlib import resources
from pathlib import Path

from millstream.jars.errors import JarError


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedJar:
    """One jar of a lock, or an archive: its Maven coordinate, SHA-256 and size."""

    group: str
    artifact: str
    version: str
    sha256: str
    size_bytes: int
    type: str = "jar"
    classifier: str = ""

    @property
    def coordinate(self) -> str:
        more = f":{self.type}:{self.classifier}" if self.classifier else ""
        return f"{self.group}:{self.artifact}:{self.version}{more}"

    @property
    def file_name(self) -> str:
        more = f"-{self.classifier}" if self.classifier else ""
        return f"{self.artifact}-{self.version}{more}.{self.type}"

    def matches(self, path: Path) -> bool:
        """Tell whether the file at `path` is this jar, byte for byte."""
        try:
            return path.stat().st_size == self.size_bytes and _sha256(path) == self.sha256
        except OSError:
            return False


def lock_names() -> tuple[str, ...]:
    """Return the names of millstream's own locks, sorted."""
    files = resources.files("millstream.jars").iterdir()
    return tuple(sorted(f.name.removesuffix(".lock") for f in files if f.name.endswith(".lock")))


def read_lock(name: str | Path) -> tuple[LockedJar, ...]:
    """Read one of millstream's own locks by its name, or any lock by its path.

    Raises:
        JarError: There is no such lock, or a line does not have the form
            `group:artifact:version[:type:classifier] sha256 size`.
    """
    if isinstance(name, Path):
        text = name.read_text(encoding="utf-8")
    elif name in lock_names():
        text = resources.files("millstream.jars").joinpath(f"{name}.lock").read_text("utf-8")
    else:
        raise JarError(f'no jar lock is named "{name}"', hint=f"Locks: {', '.join(lock_names())}.")
    lines = (line.strip() for line in text.splitlines())
    return tuple(_parse(line) for line in lines if line and not line.startswith("#"))


def _parse(line: str) -> LockedJar:
    try:
        coordinate, digest, size = line.split()
        group, artifact, version, *more = coordinate.split(":")
        kind, classifier = more or ("jar", "")
        return LockedJar(
            group=group,
            artifact=artifact,
            version=version,
            sha256=digest,
            size_bytes=int(size),
            type=kind,
            classifier=classifier,
        )
    except ValueError:
        raise JarError(
            f'cannot read the lock line "{line}"',
            hint='A line is "group:artifact:version sha256 size".',
        ) from None


def _sha256(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
