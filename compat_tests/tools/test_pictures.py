"""The pictures of the documentation: they are what the code draws, and can be read."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from compat_tests import ROOT
from tools.pictures.__main__ import pictures

FOLDER = ROOT / "docs" / "pictures"
NAMES = sorted(path.name for path in FOLDER.glob("*.svg"))
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def drawn() -> dict[str, str]:
    return pictures()


def test_the_committed_pictures_are_those_that_the_code_draws(drawn: dict[str, str]) -> None:
    # python -m tools.pictures draws them anew.
    committed = {name: (FOLDER / name).read_text(encoding="utf-8") for name in NAMES}
    assert committed == {name: svg for name, svg in drawn.items() if name in committed}
    assert set(drawn) <= set(NAMES)


def test_a_picture_has_words_for_those_who_do_not_see_it(drawn: dict[str, str]) -> None:
    for name, svg in drawn.items():
        root = ET.fromstring(svg)
        assert root.get("role") == "img", name
        title, text = (root.findtext(f"{SVG}{tag}") or "" for tag in ("title", "desc"))
        assert title, name
        assert len(text) > 60, name


def test_a_picture_has_colours_for_light_and_dark(drawn: dict[str, str]) -> None:
    for name, svg in drawn.items():
        light, _, dark = svg.partition("@media (prefers-color-scheme:dark)")
        for colour in set(re.findall(r'class="(\w+)"', svg)):
            assert f".{colour}{{" in light, name
            assert f".{colour}{{" in dark, name


def test_every_picture_is_on_a_page() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md"))
    assert [name for name in NAMES if f"pictures/{name})" not in pages] == []


def test_the_pictures_show_what_the_rules_say(drawn: dict[str, str]) -> None:
    def words(name: str) -> str:
        return ET.fromstring(drawn[name]).findtext(f"{SVG}desc") or ""

    assert "from 0 to 5 with a b, from 5 to 10 with c" in words("windows-tumbling.svg")
    assert "after d: from 1 to 12 with a b c d" in words("windows-session.svg")
    assert "14 taken, 8 dropped" in words("grace.svg")
    assert "D at 26 gives join D + z; leftJoin D + z" in words("join-streams.svg")
    assert "D at 12 gives plain table D + 110; versioned D + 120" in words("join-versioned.svg")
