"""What the pages on compatibility, upgrades and releases name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compat_tests import ROOT
from millstream.core.config.own_keys import OWN_KEYS
from tools.releasing.installed import PYTHONS
from tools.releasing.notes import settings

POLICY, UPGRADE, RELEASING = (
    ROOT / "docs" / name
    for name in ("compatibility-policy.md", "operating/upgrade.md", "releasing.md")
)


@pytest.mark.parametrize("page", [POLICY, UPGRADE, RELEASING], ids=lambda path: path.stem)
def test_the_paths_of_a_page_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"`((?:compat_tests|typing_tests|tools|\.github)(?:/[\w./-]+)?)`", text)
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_policy_shows_how_each_promise_is_kept() -> None:
    rows = re.findall(r"^\| .+ \| (.+) \|$", POLICY.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) > 15
    assert all(row.strip("- ") for row in rows)


def test_the_upgrade_notes_name_keys_that_there_are() -> None:
    named = set(re.findall(r"`(millstream\.[a-z.]+)[=`]", UPGRADE.read_text(encoding="utf-8")))
    assert named
    assert named <= set(OWN_KEYS)


def test_all_places_name_the_same_versions_of_python() -> None:
    project = settings(ROOT)["project"]
    classified = [
        found[1]
        for each in project["classifiers"]
        if (found := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", each))
    ]
    assert (classified[0], classified[-1]) == PYTHONS
    _, _, last = classified[-1].partition(".")
    assert project["requires-python"] == f">={classified[0]},<3.{int(last) + 1}"
    assert f"| Python | {classified[0]} to {classified[-1]};" in POLICY.read_text(encoding="utf-8")


def test_an_address_of_the_project_stands_in_one_place() -> None:
    """Links of pages are relative: an address that changes is changed in pyproject.toml alone."""
    addresses = settings(ROOT)["project"].get("urls", {}).values()
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    named = [p.name for p in pages for each in addresses if each in p.read_text(encoding="utf-8")]
    assert named == []
