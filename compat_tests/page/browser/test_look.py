"""Widths, themes, contrast, accessibility, and names that a page must not believe."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests.page.browser import variants
from compat_tests.page.browser.chromium import DESKTOP, PHONE, Scheme
from compat_tests.page.browser.conftest import OpenPage
from compat_tests.page.browser.server import SampleServer

CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")
LONG_WIDTH = pytest.param(768, marks=pytest.mark.long)
LONG_PHONE = pytest.param(PHONE, marks=pytest.mark.long, id="phone")
VARIANTS = ["sample", "hostile", "large", "unknown"]


def serve(server: SampleServer, variant: str) -> None:
    if variant == "unknown":
        server.snapshot = variants.unknown()
    elif variant != "sample":
        server.topology, server.snapshot = getattr(variants, variant)()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("width", [PHONE[0], LONG_WIDTH])
def test_no_width_needs_scrolling_sideways(
    show: OpenPage, server: SampleServer, variant: str, width: int
) -> None:
    serve(server, variant)
    page = show((width, 900))
    for name in ("Table", "Graph"):
        page.locator("#topology").get_by_role("button", name=name, exact=True).click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#batches").get_by_role("button", name="Table", exact=True).click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("variant", ["sample", "unknown"])
@pytest.mark.parametrize("size", [pytest.param(DESKTOP, id="desktop"), LONG_PHONE])
def test_every_text_has_the_contrast_of_wcag_aa(
    show: OpenPage, server: SampleServer, scheme: Scheme, variant: str, size: tuple[int, int]
) -> None:
    serve(server, variant)
    page = show(size, scheme)
    page.locator(".item.topic").first.click()
    checked, weak = page.evaluate(CONTRAST)
    assert weak == []
    assert checked > 80


def test_the_page_follows_the_system_and_the_switch_overrules_it(show: OpenPage) -> None:
    page = show(scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.get_by_label("Theme").select_option("light")
    light = page.evaluate(ground)
    assert (dark, light) == ("rgb(15, 18, 22)", "rgb(245, 246, 248)")
    page.reload()
    page.wait_for_selector("html[data-ready=snapshot]", state="attached")
    assert page.evaluate(ground) == light
    assert page.get_by_label("Theme").input_value() == "light"
    page.get_by_label("Theme").select_option("")
    assert page.evaluate(ground) == dark


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_names_are_text_and_nothing_else(
    show: OpenPage, server: SampleServer, size: tuple[int, int]
) -> None:
    server.topology, server.snapshot = variants.hostile()
    page = show(size)
    page.locator(".item.topic").first.click()
    page.locator("#topology").get_by_role("button", name="Table", exact=True).click()
    assert page.locator("img, main script, iframe").count() == 0
    assert page.title().startswith(variants.HOSTILE)
    assert page.locator("#application-id").text_content() == variants.HOSTILE
    assert page.locator('table[aria-label="Stores"] .main').text_content() == variants.HOSTILE
    assert page.locator('table[aria-label="Topics"] tbody th').all_text_contents() == [
        variants.HOSTILE,
        variants.NAMES[3],
    ]
    server.answer = (
        200,
        {
            "store": variants.HOSTILE,
            "key": None,
            "more": False,
            "entries": [
                {
                    "key": variants.HOSTILE,
                    "value": {"<b>": variants.HOSTILE},
                    "timestamp": None,
                    "window": None,
                }
            ],
        },
    )
    page.get_by_role("button", name="Query", exact=True).click()
    page.wait_for_selector('table[aria-label="Entries found"]')
    assert server.queries[0]["store"] == variants.HOSTILE
    assert page.locator("img, main script, main b").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


@pytest.mark.parametrize("size", [pytest.param(DESKTOP, id="desktop"), LONG_PHONE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(show: OpenPage, scheme: Scheme, size: tuple[int, int]) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    )
    page = show(size, scheme)
    page.locator("summary").click()
    results = axe.Axe().run(page)
    found = [
        (each["id"], [node["html"][:200] for node in each["nodes"]])
        for each in results.response["violations"]
    ]
    assert found == []


def test_landmarks_and_headings(show: OpenPage) -> None:
    page = show()
    assert page.get_by_role("banner").count() == 1
    assert page.get_by_role("main").count() == 1
    assert page.get_by_role("navigation", name="Panels").count() == 1
    assert page.get_by_role("contentinfo").count() == 1
    regions = [
        "Totals",
        "Topology",
        "Batches",
        "Tasks and executors",
        "Stores",
        "Dropped records and buffers",
        "Errors",
        "Query a store",
    ]
    assert [page.get_by_role("region", name=name, exact=True).count() for name in regions] == [
        1
    ] * len(regions)
    assert page.get_by_role("heading", level=1).count() == 1
    assert page.get_by_role("heading", level=2).count() == 7
