"""Files that pages show are shown as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests import ROOT
from tools.shown_files import SHOWN, refreshed

PAGES = [
    path
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if "<!-- file: " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_a_page_shows_files_as_they_are(page: Path) -> None:
    # python -m tools.shown_files puts them in.
    text = page.read_text(encoding="utf-8")
    assert len(SHOWN.findall(text)) == text.count("<!-- file: ")
    assert refreshed(text) == text


def test_a_block_is_replaced_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("new = True\n")
    page = "before\n<!-- file: a.py -->\n```python\nold = True\n```\nafter\n"
    shown = "before\n<!-- file: a.py -->\n```python\nnew = True\n```\nafter\n"
    assert refreshed(page, tmp_path) == shown
    assert refreshed("no block\n", tmp_path) == "no block\n"


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        refreshed("<!-- file: a.py -->\n```python\n```\n", tmp_path)
