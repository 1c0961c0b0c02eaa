"""The built site: no warning, no broken link, every version."""

from __future__ import annotations

import json
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tools.docs.versions import checked, listed, publish


class References(HTMLParser):
    """The anchors of a page, and what it links to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.targets: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {name for name in (given.get("id"), given.get("name")) if name}
        self.targets |= {target for key in ("href", "src") if (target := given.get(key))}


references = cache(References)


@pytest.mark.long
def test_every_link_of_the_site_leads_to_a_page_and_an_anchor(site: Path) -> None:
    html = sorted(site.rglob("*.html"))
    assert len(html) > 60
    broken = [
        f"{page.relative_to(site)}: {target}"
        for page in html
        if page.name != "404.html"  # its links begin at the root of the published site
        for target in references(page).targets
        if not leads_somewhere(page, target)
    ]
    assert broken == []


def leads_somewhere(page: Path, target: str) -> bool:
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return True
    path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if path.is_dir():
        path /= "index.html"
    if not path.is_file():
        return False
    anchor = unquote(parts.fragment)
    # The theme's own mark for "no place".
    return not anchor or anchor == "__skip" or anchor in references(path).anchors


@pytest.mark.long
def test_the_site_asks_no_other_host_for_what_a_page_needs(site: Path) -> None:
    page = (site / "index.html").read_text(encoding="utf-8")
    loaded = [line for line in page.splitlines() if "<script" in line or "stylesheet" in line]
    assert [line for line in loaded if "//" in line.replace("</", "")] == []


def test_a_second_version_stands_beside_the_first(tmp_path: Path) -> None:
    for version in ("0.2.0", "0.10.0", "0.2.0rc1", "dev"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "index.html").write_text("")
    (tmp_path / "assets").mkdir()
    assert listed(tmp_path) == ["0.10.0", "0.2.0", "0.2.0rc1", "dev"]
    publish(tmp_path)
    entries = json.loads((tmp_path / "versions.json").read_text())
    assert [entry["aliases"] for entry in entries] == [["latest"], [], [], []]
    assert "url=0.10.0/" in (tmp_path / "index.html").read_text()


@pytest.mark.parametrize("name", ["", ".", "..", "../up", "a/b", '"><script>'])
def test_a_version_that_is_no_folder_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is no version"):
        checked(name)
