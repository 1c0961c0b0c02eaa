"""What a new user asks is found: by the search, and from the front page in two clicks."""

from __future__ import annotations

import json
import posixpath
from pathlib import Path
from typing import Any

import pytest

from compat_tests.docs.search import Index, words
from tools.docs.markdown import headings, links

QUESTIONS: list[dict[str, str]] = json.loads(
    Path(__file__).with_name("findable.json").read_text(encoding="utf-8")
)
FIRST = 5
CLICKS = 2


@pytest.fixture(scope="module")
def index(site: Path) -> Index:
    items: list[dict[str, Any]] = json.loads((site / "search.json").read_text("utf-8"))["items"]
    return Index(items)


@pytest.mark.long
@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked["question"])
def test_a_search_finds_the_page_among_the_first(index: Index, asked: dict[str, str]) -> None:
    assert asked["page"] in index.pages(asked["question"], FIRST)


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked["question"])
def test_the_answer_is_two_clicks_from_the_front_page(
    pages: dict[str, str], asked: dict[str, str]
) -> None:
    file = source(asked["page"], pages)
    assert asked["anchor"] in {"", *(each.anchor for each in headings(pages[file]))}
    reached = {"index.md"}
    for _ in range(CLICKS):
        reached |= {there for page in reached for there in leads_to(page, pages)}
    assert file in reached


def source(address: str, pages: dict[str, str]) -> str:
    """Return the file of a page by its address."""
    name = address.strip("/") + ".md"
    return name if name in pages else posixpath.join(address, "index.md")


def leads_to(page: str, pages: dict[str, str]) -> set[str]:
    """Return the pages to which the text of a page links, without menus."""
    targets = (link.partition("#")[0] for link in links(pages[page]))
    folder = posixpath.dirname(page)
    return {posixpath.normpath(posixpath.join(folder, each)) for each in targets if each} & set(
        pages
    )


def test_the_questions_are_at_least_twenty_and_each_is_asked_once() -> None:
    assert len({asked["question"] for asked in QUESTIONS}) == len(QUESTIONS) >= 20


@pytest.mark.long
def test_code_is_not_among_the_results(site: Path) -> None:
    items = json.loads((site / "search.json").read_text(encoding="utf-8"))["items"]
    assert len(items) > 500
    assert [item["location"] for item in items if item["location"].startswith("code/")] == []


def test_a_search_prefers_titles_and_knows_endings() -> None:
    index = Index(
        [
            {"location": "a/", "level": 1, "title": "Rescaling", "text": "<p>tasks</p>"},
            {"location": "b/", "level": 1, "title": "Other", "text": "rescale and more words"},
            {"location": "b/#c", "level": 2, "title": "Lag", "text": ""},
        ]
    )
    assert index.pages("how to rescale", 5) == ["a/", "b/"]
    assert index.pages("nothing", 5) == []
    assert words("the <b>Partitions</b> of &lt;x>") == ["partition", "x"]
