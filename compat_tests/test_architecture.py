"""ARCHITECTURE.md names files, rooms and words that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compat_tests import ROOT

SOURCES = ROOT / "src" / "millstream"
PAGE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
ROOMS = PAGE.split("```")[1].splitlines()


def part(title: str) -> str:
    """Return the text below a heading of the page."""
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """Return the cells of a table, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def drawn() -> set[Path]:
    """Return the packages that the map shows."""
    found: set[Path] = set()
    above: list[tuple[int, Path]] = []
    for line in ROOMS:
        match = re.match(r"( *)((?:[a-z_]+/ ?)+)", line)
        if not match or not line.startswith("  "):
            continue
        depth = len(match[1])
        above = [each for each in above if each[0] < depth]
        base = above[-1][1] if above else SOURCES
        names = [name.strip("/") for name in match[2].split()]
        found.update(base / name for name in names)
        above.append((depth, base / names[0]))
    return found


def test_the_map_shows_rooms_that_are_there() -> None:
    assert len(drawn()) > 25
    assert [str(room) for room in sorted(drawn()) if not (room / "__init__.py").exists()] == []


def test_every_large_room_is_on_the_map() -> None:
    large = {
        init.parent
        for init in SOURCES.rglob("__init__.py")
        if init.parent != SOURCES and len(list(init.parent.glob("*.py"))) > 15
    }
    assert large - drawn() == set()


@pytest.mark.parametrize("row", rows(part("Where to look")), ids=lambda row: row[0][:40])
def test_a_symptom_leads_to_a_file(row: list[str]) -> None:
    rooms: list[Path] = []
    for name in re.findall(r"`([a-z_/0-9]+(?:\.py|/))`", row[1]):
        places = [SOURCES / name, *(room / name for room in rooms)]
        there = [place for place in places if place.exists()]
        assert there, name
        rooms.append(there[0] if there[0].is_dir() else there[0].parent)


@pytest.mark.parametrize("word", [row[0] for row in rows(part("Words"))])
def test_the_code_uses_each_word_of_the_glossary(word: str) -> None:
    pattern = re.compile(rf"\b{re.escape(word).replace('-', '-?')}", re.IGNORECASE)
    using = [f for f in SOURCES.rglob("*.py") if pattern.search(f.read_text("utf-8"))]
    assert len(using) >= 2
