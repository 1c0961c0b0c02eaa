"""What a wheel and an sdist hold, and that two builds give the same bytes."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from compat_tests import ROOT
from compat_tests.releasing.checkout import git, project
from tools.releasing import packages
from tools.releasing.errors import Refused

INFO = "millstream-0.1.0.dist-info"
WHEEL = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
SDIST = ("PKG-INFO", "pyproject.toml", ".gitignore", "README.md", "src/millstream/__init__.py")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    return project(folder)


def made(
    folder: Path, *, wheel: tuple[str, ...] = (), sdist: tuple[str, ...] = ()
) -> packages.Packages:
    """Packages with the files that they should have, and more."""
    found = packages.Packages(folder / "a.whl", folder / "a.tar.gz")
    with zipfile.ZipFile(found.wheel, "w") as file:
        for name in ("millstream/__init__.py", *(f"{INFO}/{n}" for n in WHEEL), *wheel):
            file.writestr(name, "text")
    with tarfile.open(found.sdist, "w:gz") as archive:
        for name in (*SDIST, *sdist):
            member = tarfile.TarInfo(f"millstream-0.1.0/{name}")
            member.size = 4
            archive.addfile(member, io.BytesIO(b"text"))
    return found


@pytest.mark.parametrize(
    "more",
    [
        {"wheel": ("millstream/left_over.py",)},
        {"wheel": ("core/__init__.py",)},
        {"sdist": (".env",)},
        {"sdist": ("src/millstream/__pycache__/x.pyc",)},
    ],
    ids=["module", "room", "settings", "compiled"],
)
def test_a_file_that_git_does_not_know_is_refused(
    checkout: Path, tmp_path: Path, more: dict[str, tuple[str, ...]]
) -> None:
    with pytest.raises(Refused, match="too many files"):
        packages.check(made(tmp_path, **more), checkout)


def test_a_file_that_is_missing_is_refused(checkout: Path, tmp_path: Path) -> None:
    (checkout / "src" / "millstream" / "more.lock").touch()
    git(checkout, "add", "--all")
    with pytest.raises(Refused, match=r"lacks \['millstream/more.lock'\]"):
        packages.check(made(tmp_path), checkout)


def test_a_large_package_is_refused(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(packages._LARGEST, ".whl", 10)
    with pytest.raises(Refused, match="bytes: what is new"):
        packages.check(made(tmp_path), checkout)


# Put together here, so that this file itself holds nothing that looks like a secret.
@pytest.mark.parametrize(
    "data",
    [
        "-----BEGIN RSA " + "PRIVATE KEY-----\n" + "A" * 64,
        "password=" + "pypi-" + "AgE" + "x" * 60,
        "gh" + "p_" + "a1" * 18,
        "AK" + "IA" + "ABCDEFGHIJKLMNOP",
    ],
    ids=["key", "index", "host", "cloud"],
)
def test_a_secret_is_found(data: str) -> None:
    with pytest.raises(Refused, match=r"name\.txt holds a"):
        packages.check_no_secret("name.txt", data.encode())


def test_no_file_of_the_project_holds_a_secret() -> None:
    skipped = {".git", ".venv", ".tox", "dist", "build", "__pycache__"}
    for path in ROOT.rglob("*"):
        if path.is_file() and not skipped & set(path.relative_to(ROOT).parts):
            packages.check_no_secret(path.name, path.read_bytes())


def test_builds_that_differ_are_refused(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder, text in ((one, "text"), (other, "text")):
        folder.mkdir()
        (folder / "a.whl").write_text(text)
        (folder / "a.tar.gz").write_text(text)
    first, second = (packages.Packages(f / "a.whl", f / "a.tar.gz") for f in (one, other))
    packages.check_same(first, second)
    (other / "a.whl").write_text("other")
    with pytest.raises(Refused, match=r"differ: a\.whl"):
        packages.check_same(first, second)


def test_checksums_are_those_of_sha256sum(tmp_path: Path) -> None:
    (tmp_path / "a.whl").write_bytes(b"")
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert packages.checksums([tmp_path / "a.whl"]) == f"{empty}  a.whl\n"
