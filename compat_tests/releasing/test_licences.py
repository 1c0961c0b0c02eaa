"""Licences of dependencies: found, and allowed or not."""

from __future__ import annotations

import re
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from compat_tests import ROOT
from millstream.jars.fetch import cache_dir
from millstream.jars.lock import LockedJar, lock_names, read_lock
from tools.releasing.closure import Package, closure
from tools.releasing.errors import Refused
from tools.releasing.licences import read_licences
from tools.releasing.notes import settings

LICENCES = read_licences()
JARS = {jar for name in lock_names() for jar in read_lock(name)}
IN_ORDER = sorted(JARS, key=lambda jar: jar.coordinate)
PAGE = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
PACKAGE = Package("some", "1", (), None, None, ())


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [
        ("MIT", True),
        ("Apache-2.0 OR GPL-2.0-only", True),
        ("BSD-3-Clause AND Zlib", True),
        ("GPL-3.0-or-later", False),
        ("MIT AND LGPL-2.1-only", False),
        ("(MIT OR GPL-2.0-only) AND AGPL-3.0-only", False),
        ("Proprietary", False),
        ("MIT OR", False),
        ("", False),
    ],
)
def test_a_licence_is_allowed_or_not(licence: str, allowed: bool) -> None:
    assert LICENCES.allow(licence) is allowed


@pytest.mark.parametrize(
    ("package", "licence"),
    [
        (replace(PACKAGE, expression="MIT"), "MIT"),
        (replace(PACKAGE, text="Apache-2.0"), "Apache-2.0"),
        (replace(PACKAGE, classifiers=("MIT License",)), "MIT"),
        (replace(PACKAGE, text="MIT License\n\nPermission", classifiers=("MIT License",)), "MIT"),
        (replace(PACKAGE, name="pandas", text="BSD 3-Clause"), "BSD-3-Clause"),
    ],
)
def test_a_licence_is_found_in_metadata_or_in_the_file(package: Package, licence: str) -> None:
    assert LICENCES.of_package(package) == licence


def test_a_package_without_a_licence_is_refused() -> None:
    with pytest.raises(Refused, match=r"some 1 does not say its licence.*licences\.toml"):
        LICENCES.of_package(replace(PACKAGE, text="Ours", classifiers=("BSD License",)))


def test_what_is_not_allowed_is_named() -> None:
    unknown = replace(PACKAGE, name="other")
    with pytest.raises(Refused, match=r"some 1 is not allowed: GPL-3\.0-only\nother 1 does not"):
        LICENCES.check([replace(PACKAGE, expression="GPL-3.0-only"), unknown], ())


def test_a_jar_without_a_licence_is_refused() -> None:
    jar = LockedJar(group="g", artifact="a", version="1", sha256="", size_bytes=0)
    with pytest.raises(Refused, match="jar g:a"):
        LICENCES.check((), [jar])


def test_the_licences_of_all_jars_are_known_and_allowed() -> None:
    LICENCES.check((), JARS)


def test_no_licence_is_noted_for_a_jar_that_is_not_needed() -> None:
    needed = {LICENCES.of_jar(jar) for jar in JARS}
    assert [name for name, found in LICENCES.jars.items() if found not in needed] == []
    names = {f"{jar.group}:{jar.artifact}" for jar in JARS}
    assert {name for name in LICENCES.jars if "*" not in name} <= names


def test_the_page_names_each_jar() -> None:
    for jar in JARS:
        found = LICENCES.of_jar(jar)
        mark = "add it" if found.bare else ""
        assert f"| {jar.group}:{jar.artifact} | {found.licence} | {mark} |" in PAGE


def test_the_page_names_each_package_that_pyproject_names() -> None:
    """Those that they need in turn may change without a change here: a release looks at them."""
    for line in settings(ROOT)["project"]["dependencies"]:
        name = re.split(r"[^A-Za-z0-9_.-]", line, maxsplit=1)[0].lower().replace("_", "-")
        assert f"\n| {name} |" in PAGE


@pytest.mark.long
def test_all_licences_of_what_is_installed_are_known_and_allowed() -> None:
    LICENCES.check(closure().values(), ())


@pytest.mark.parametrize("jar", IN_ORDER, ids=lambda jar: jar.artifact)
def test_jars_without_the_text_of_their_licence_are_marked(jar: LockedJar) -> None:
    path = cache_dir() / "jars" / jar.file_name
    if jar.type != "jar" or not path.is_file():
        pytest.skip(f"{jar.file_name} has not been fetched")
    names = [Path(name).name for name in zipfile.ZipFile(path).namelist()]
    texts = [name for name in names if re.match(r"LICEN[SC]E(?![\w]*\.class)", name)]
    assert (not texts) is LICENCES.of_jar(jar).bare


NEEDS = {
    "Has_Extras": [
        "plain",
        'old; python_version < "3.11"',
        'other; extra == "more"',
        'never; sys_platform == "none"',
    ],
    "plain": ["has.extras[more]"],
    "other": [],
    "old": [],
}


@pytest.fixture
def installed(tmp_path: Path) -> list[str]:
    for name, needs in NEEDS.items():
        info = tmp_path / f"{name}-1.dist-info"
        info.mkdir()
        lines = [f"Name: {name}", "Version: 1", *(f"Requires-Dist: {each}" for each in needs)]
        (info / "METADATA").write_text("\n".join(["Metadata-Version: 2.1", *lines, "", ""]))
    return [str(tmp_path)]


def test_the_closure_follows_extras_and_conditions(installed: list[str]) -> None:
    new = {"python_version": "3.13"}
    found = closure("has-extras", path=installed, markers=new)
    assert {name: each.needs for name, each in found.items()} == {
        # Which needs the first again, with an extra.
        "plain": ("has-extras",),
        "has-extras": ("other", "plain"),
        "other": (),
    }
    assert "old" in closure("has-extras", path=installed, markers={"python_version": "3.10"})
    assert closure("old", path=installed).keys() == {"old"}
    assert "other" in closure("has_extras", extras=["more"], path=installed, markers=new)


def test_a_package_that_is_needed_and_not_there_is_named(installed: list[str]) -> None:
    (Path(installed[0]) / "other-1.dist-info" / "METADATA").unlink()
    (Path(installed[0]) / "other-1.dist-info").rmdir()
    with pytest.raises(Refused, match="other is needed"):
        closure("plain", path=installed)
