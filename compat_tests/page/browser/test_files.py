"""Rules of the page's files: short scripts that write text only, and nothing from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compat_tests.page.browser.server import STATIC

SCRIPTS = sorted(STATIC.rglob("*.js"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_are_short_and_write_text_only(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 300
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", text)


def test_the_page_takes_nothing_from_elsewhere() -> None:
    for path in STATIC.rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
            assert not re.search(r"https?://|@import|url\((?!#)", text), path.name
    index = (STATIC / "index.html").read_text(encoding="utf-8")
    named = re.findall(r'(?:src|href)="(static/[^"]+)"', index)
    assert [name for name in named if not (STATIC.parent / name).is_file()] == []
    # The policy of the server refuses what stands inline.
    assert not re.search(r"<style|style=|<script>|\son\w+=", index)
