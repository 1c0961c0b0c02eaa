"""The page by keyboard, by search and by query; and while the server is away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compat_tests.page.browser import sample, variants
from compat_tests.page.browser.chromium import PHONE, wait_until
from compat_tests.page.browser.conftest import OpenPage
from compat_tests.page.browser.server import SampleServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

FOCUSED = """() => {
  const element = document.activeElement;
  const style = getComputedStyle(element);
  const shape = element.querySelector?.('.shape, .hit-area');
  const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
  const stroke = shape && parseFloat(getComputedStyle(shape).strokeWidth) >= 3;
  const name = element.getAttribute('aria-label') || element.labels?.[0]?.innerText
    || element.textContent.trim();
  const id = element.dataset?.id ?? element.id;
  return {tag: element.tagName, id, name, visible: ring || !!stroke};
}"""


def focused(page: Page) -> dict[str, str]:
    found: dict[str, str] = page.evaluate(FOCUSED)
    return found


def test_tab_reaches_everything_and_the_focus_is_seen(show: OpenPage) -> None:
    page = show()
    walked: list[dict[str, str]] = []
    for _ in range(80):
        page.keyboard.press("Tab")
        walked.append(focused(page))
        if walked[-1]["tag"] == "BODY":
            break
    names = [each["name"].split("\n")[0] for each in walked]
    for wanted in (
        "Skip to the panels",
        "Theme",
        "Batch",
        "Fit all into the view",
        "Query hourly-totals",
    ):
        assert wanted in names, names
    assert any(name.startswith("Topology as a graph") for name in names)
    assert [each for each in walked if not each["visible"] and each["tag"] != "BODY"] == []
    assert [each for each in walked if not each["name"]] == []


def test_the_first_tab_skips_to_the_panels(show: OpenPage) -> None:
    page = show()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert focused(page)["id"] == "main"


def test_arrows_walk_the_graph_and_enter_closes_a_stage(show: OpenPage) -> None:
    page = show()
    page.locator("svg.graph").focus()
    page.keyboard.press("ArrowRight")
    seen = [focused(page)["id"]]
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
        seen.append(focused(page)["id"])
    assert len(set(seen)) >= 3
    page.locator('[data-id="stage 1"]').focus()
    page.keyboard.press("Enter")
    assert focused(page)["id"] == "stage 1"
    assert page.locator('[data-id="stage 1"]').get_attribute("aria-expanded") == "false"
    assert page.locator('[data-id="KSTREAM-LEFTJOIN-0000000008"]').count() == 0


def test_keys_zoom_the_graph_and_fit_it_again(show: OpenPage) -> None:
    page = show()
    layer = page.locator("svg.graph > g")
    fitted = layer.get_attribute("transform")
    page.locator("svg.graph").focus()
    page.keyboard.press("+")
    assert layer.get_attribute("transform") != fitted
    page.keyboard.press("0")
    assert layer.get_attribute("transform") == fitted


def test_the_wheel_alone_scrolls_the_page(show: OpenPage) -> None:
    page = show()
    layer = page.locator("svg.graph > g")
    fitted = layer.get_attribute("transform")
    page.locator("svg.graph").hover()
    page.mouse.wheel(0, 300)
    wait_until(page, "scrollY > 0")
    assert layer.get_attribute("transform") == fitted


def test_arrows_go_from_batch_to_batch(show: OpenPage) -> None:
    page = show()
    slider = page.get_by_role("slider", name="Batch")
    slider.focus()
    assert (slider.get_attribute("aria-valuetext") or "").startswith("batch 100, ")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    text = slider.get_attribute("aria-valuetext") or ""
    batch = sample.snapshot()["batches"][-3]
    assert text.startswith(f"batch 98, {batch['total_ms']} ms, ")
    assert f"stage 0 {batch['parts'][3]['ms']} ms" in text
    page.keyboard.press("Home")
    assert (slider.get_attribute("aria-valuetext") or "").startswith("batch 41, ")


def test_hovering_a_bar_shows_its_batch(show: OpenPage) -> None:
    page = show()
    frame = page.locator(".chart-frame")
    frame.scroll_into_view_if_needed()
    box = frame.bounding_box()
    assert box is not None
    slot = (box["width"] - 56) / 60
    page.mouse.move(box["x"] + 52 + slot * 9.5, box["y"] + 100)
    assert page.locator(".batch-detail dd").first.text_content() == "50"


def test_search_finds_opens_and_shows_a_node_among_500(
    show: OpenPage, server: SampleServer
) -> None:
    server.topology, server.snapshot = variants.large()
    page = show()
    assert page.locator(".item.stage").count() == 40
    assert page.locator(".item.node").count() == 0
    page.get_by_role("searchbox").fill("KSTREAM-AGGREGATE-0000000265")
    assert page.locator(".search-count").text_content() == "1 found"
    page.keyboard.press("Enter")
    node = page.locator('[data-id="KSTREAM-AGGREGATE-0000000265"]')
    assert node.is_visible()
    assert node.locator(".name").is_visible()
    box, view = node.bounding_box(), page.locator("svg.graph").bounding_box()
    assert box is not None
    assert view is not None
    assert view["x"] <= box["x"] <= view["x"] + view["width"] - box["width"]
    assert node.locator(".name").evaluate("each => each.getBoundingClientRect().height") >= 9


def test_500_open_nodes_show_labels_by_zoom(show: OpenPage, server: SampleServer) -> None:
    server.topology, server.snapshot = variants.large()
    page = show()
    page.get_by_role("button", name="Close or open all sub-topologies").click()
    assert page.locator(".item.node").count() == len(server.topology["nodes"]) >= 500
    view = page.locator("svg.graph")
    assert view.get_attribute("data-zoom") == "far"
    assert not page.locator(".item.node .name").first.is_visible()
    assert page.locator(".item.stage .large").first.is_visible()
    for _ in range(14):
        page.get_by_role("button", name="Zoom in").click()
    assert view.get_attribute("data-zoom") == "near"
    assert (
        page.locator(".item.node .name").first.evaluate("each => getComputedStyle(each).display")
        != "none"
    )


def test_a_query_sends_what_was_typed_and_shows_the_entries(
    show: OpenPage, server: SampleServer
) -> None:
    page = show()
    page.get_by_role("button", name="Query hourly-totals").click()
    assert focused(page)["name"].startswith("Key")
    server.answer = (
        200,
        {
            "store": "hourly-totals",
            "key": "a b",
            "more": True,
            "entries": [
                {
                    "key": "a b",
                    "value": {"sum": 12.5},
                    "timestamp": sample.START,
                    "window": [sample.START, sample.START + 3_600_000],
                },
            ],
        },
    )
    page.get_by_text("Serdes, ranges, windows").click()
    page.get_by_label("Key", exact=True).fill("a b")
    page.get_by_label("Key serde").fill("string")
    page.get_by_label("Windows from").fill("2026-09-21T14:00Z")
    page.get_by_role("button", name="Query", exact=True).click()
    page.wait_for_selector('table[aria-label="Entries found"]')
    assert server.queries == [
        {
            "store": "hourly-totals",
            "key": "a b",
            "key_serde": "string",
            "limit": "20",
            "window_from": "1789999200000",
        }
    ]
    row = page.locator('table[aria-label="Entries found"] tbody tr').inner_text()
    assert '{"sum":12.5}' in row
    assert "there are more" in page.locator(".query-status").inner_text()


def test_a_query_that_is_refused_says_why_and_what_to_do(
    show: OpenPage, server: SampleServer, complaints: list[str]
) -> None:
    page = show()
    server.answer = (
        409,
        {"error": "the store is being restored", "hint": "Ask again in a minute."},
    )
    page.get_by_role("button", name="Query", exact=True).click()
    page.get_by_text("the store is being restored").wait_for()
    assert page.locator(".query-hint").inner_text() == "Ask again in a minute."
    # The browser itself notes each answer that is no success.
    complaints[:] = [each for each in complaints if "409" not in each]


def test_a_lost_connection_is_said_and_comes_back(
    show: OpenPage, server: SampleServer, complaints: list[str]
) -> None:
    page = show()
    assert page.locator("#connection").text_content() == "Live"
    server.stop()
    page.wait_for_selector('#connection[data-status="lost"]')
    assert "The numbers are the last that arrived" in page.locator(".notice.lost").inner_text()
    assert page.locator("#announcer").text_content() == "Connection lost"
    server.topology, server.snapshot = variants.large(4)
    server.start()
    page.wait_for_selector('#connection[data-status="live"]')
    page.wait_for_selector('[data-id="stage 3"]')
    assert page.locator(".notice.lost").count() == 0
    complaints.clear()


def test_a_page_without_its_token_says_so(
    show: OpenPage, server: SampleServer, complaints: list[str]
) -> None:
    page = show()
    server.stop()
    server.token = "secret"
    server.start()
    page.get_by_text("This page needs its token").first.wait_for()
    complaints.clear()


def test_readers_who_listen_are_told_of_changes_only(show: OpenPage, server: SampleServer) -> None:
    page = show()
    page.evaluate("""() => {
      window.said = [];
      new MutationObserver(() => said.push(document.getElementById('announcer').textContent))
        .observe(document.getElementById('announcer'), {childList: true, subtree: true});
    }""")
    for tick in range(101, 104):
        server.publish(sample.snapshot(tick))
    failed = sample.snapshot(105)
    failed["application"]["state"] = "ERROR"
    server.publish(failed)
    page.wait_for_selector('#state[data-tone="bad"]')
    assert page.evaluate("said") == ["shop is ERROR"]


def test_two_fingers_zoom_on_a_phone_and_one_scrolls(show: OpenPage) -> None:
    page = show(PHONE)
    assert (
        page.locator("svg.graph").evaluate("each => getComputedStyle(each).touchAction") == "pan-y"
    )
