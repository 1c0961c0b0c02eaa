"""Version and release notes: their places, and what has to be so before a release."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from tools.releasing.errors import Refused
from tools.releasing.steps import git, run

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT, CHANGELOG, NOTES = "pyproject.toml", "CHANGELOG.md", "changes"
_LINE = re.compile(r'^version = "[^"\n]*"$', re.MULTILINE)


def version_of(root: Path) -> str:
    """Return the version in pyproject.toml, its only place."""
    return str(settings(root)["project"]["version"])


def settings(root: Path) -> dict[str, Any]:
    """Return what pyproject.toml says."""
    return tomllib.loads((root / PROJECT).read_text(encoding="utf-8"))


def set_version(root: Path, version: str) -> None:
    """Write the version into pyproject.toml.

    Raises:
        Refused: The file does not have it in a line of its own, once.
    """
    file = root / PROJECT
    text, count = _LINE.subn(f'version = "{version}"', file.read_text(encoding="utf-8"))
    if count != 1:
        raise Refused(f'{PROJECT} has {count} lines `version = "..."`; it needs one')
    file.write_text(text, encoding="utf-8")


def change_notes(root: Path) -> list[Path]:
    """Return the change notes that no release has yet."""
    folder = root / NOTES
    return sorted(path for path in folder.rglob("*.md") if path != folder / "README.md")


def check_ready(root: Path, version: str) -> None:
    """Check that a version can be released from a checkout.

    Raises:
        Refused: The version has another form or is not later than the present one, there are files
            that are not committed, there are no change notes, or the version exists.
    """
    try:
        wanted, present = Version(version), Version(version_of(root))
    except InvalidVersion as error:
        raise Refused(f"{error}; a version is X.Y.Z") from None
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise Refused(f"{version} is not of the form X.Y.Z")
    if wanted <= present:
        raise Refused(f"{version} is not later than {present}, which {PROJECT} has")
    if dirty := git(root, "status", "--porcelain"):
        raise Refused(f"commit or remove these files first:\n{dirty}")
    if not change_notes(root):
        raise Refused(
            f"there are no change notes in {NOTES}/: a release without them tells nothing"
        )
    if git(root, "tag", "--list", f"v{version}"):
        raise Refused(f"the tag v{version} exists")
    headings = (root / CHANGELOG).read_text(encoding="utf-8").splitlines()
    if any(line.startswith(f"## {version} ") for line in headings):
        raise Refused(f"{CHANGELOG} has notes of {version} already")


def write_notes(root: Path, version: str, date: str) -> None:
    """Move the change notes into CHANGELOG.md."""
    run(
        *(sys.executable, "-m", "towncrier", "build", "--yes"),
        *("--version", version, "--date", date),
        cwd=root,
    )
