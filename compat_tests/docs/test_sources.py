"""The sources of the site: navigation, anchors, and links rewritten for it."""

from __future__ import annotations

import posixpath
from pathlib import Path

import pytest

from tools.docs.building import configuration
from tools.docs.markdown import fenced, headings, links, slug, with_links
from tools.docs.navigation import expanded, left_out
from tools.docs.staging import BrokenLinkError, Staging

ORDER = [
    *("Quick start", "Tutorial", "Concepts", "How-to", "Porting", "Plugins", "Testing"),
    *("Operating", "Reference", "Compared with others", "Design", "Decisions"),
]


def test_the_parts_of_the_navigation_are_in_their_order() -> None:
    parts = [next(iter(entry)) for entry in configuration()["nav"] if isinstance(entry, dict)]
    assert parts == [part for part in ORDER if part in parts]


def test_every_link_and_anchor_is_there(pages: dict[str, str]) -> None:
    anchors = {page: {each.anchor for each in headings(text)} for page, text in pages.items()}
    broken = []
    for page, text in pages.items():
        for target in links(text):
            path, _, anchor = target.partition("#")
            if "://" in path:
                continue
            there = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
            there = there if path else page
            if there.endswith(".md") and anchor and anchor not in anchors.get(there, ()):
                broken.append(f"{page}: {target}")
    assert broken == []


def test_no_page_has_a_diagram_that_a_browser_draws(pages: dict[str, str]) -> None:
    # The theme would fetch the code for it from another host: see tools/pictures.
    assert [
        page for page, text in pages.items() if "```mermaid" in text and "code/" not in page
    ] == []


def test_a_page_without_a_place_is_named() -> None:
    pages = {
        "index.md": "",
        "how-to/index.md": "",
        "how-to/b.md": "",
        "lost.md": "",
        "code/x.md": "",
    }
    nav = expanded(["index.md", {"How-to": "how-to/"}, {"Later": "later/"}], pages)
    assert nav == ["index.md", {"How-to": ["how-to/index.md", "how-to/b.md"]}]
    assert left_out(nav, pages) == ["lost.md"]


def made(tmp_path: Path, page: str) -> Staging:
    (tmp_path / "docs" / "guide").mkdir(parents=True)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a b.py").write_text('"""```"""\n')
    (tmp_path / "src" / "store.py").write_text("x = '[no](link)'\n")
    (tmp_path / "docs" / "README.md").write_text("# Front\n\n[guide](guide/page.md)\n")
    (tmp_path / "docs" / "guide" / "page.md").write_text(page)
    (tmp_path / "docs" / "guide" / "p.svg").write_text("<svg/>")
    return Staging(tmp_path)


def test_a_link_to_code_leads_to_a_page_with_that_code(tmp_path: Path) -> None:
    staging = made(
        tmp_path, "# P\n\n[`store`](../../src/store.py), [all](../../src/), ![](p.svg)\n"
    )
    staging.gather()
    text = staging.pages["guide/page.md"]
    assert links(text) == ["../code/src/store.py.md", "../code/src/index.md", "p.svg"]
    assert "x = '[no](link)'" in staging.pages["code/src/store.py.md"]
    assert "````python" in staging.pages["code/src/a b.py.md"]
    staging.write(tmp_path / "out")
    assert (tmp_path / "out" / "guide" / "p.svg").is_file()


@pytest.mark.parametrize("target", ["gone.md", "../../src/gone.py", "../../../etc/passwd", "/etc"])
def test_a_link_to_nothing_is_refused(tmp_path: Path, target: str) -> None:
    with pytest.raises(BrokenLinkError, match=r"docs/guide/page\.md: no "):
        made(tmp_path, f"[x]({target})").gather()


def test_what_stands_in_code_is_no_link() -> None:
    text = "[`f(x)`](a.md) `[b](c.md)`\n\n```python\n[d](e.md)\n```\n\n`` ` [g](h.md)`` ![i](j.svg)"
    assert links(text) == ["a.md", "j.svg"]
    assert with_links(text, str.upper) == text.replace("a.md", "A.MD").replace("j.svg", "J.SVG")


def test_anchors_are_those_of_the_site() -> None:
    text = "# A `b` (c), d\n\n## Twice\n\n## Twice\n\n## Own {#x.y}\n\n```sh\n# none\n```\n"
    assert [each.anchor for each in headings(text)] == ["a-b-c-d", "twice", "twice_1", "x.y"]
    assert slug("Not [a link](x.md)!") == "not-a-link"


def test_a_block_of_code_ends_where_it_should() -> None:
    assert fenced("a", "sh") == "```sh\na\n```\n"
    assert fenced("```\n````\n").startswith("`````\n")
