"""Each panel shows the snapshot's numbers, or says that they are not measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compat_tests.page.browser import sample, variants
from compat_tests.page.browser.chromium import wait_until
from compat_tests.page.browser.conftest import OpenPage
from compat_tests.page.browser.server import SampleServer

if TYPE_CHECKING:
    from playwright.sync_api import Page


def column(page: Page, table: str, title: str) -> list[str]:
    """Return the numbers of a column, as they came."""
    cells = page.locator(f'table[aria-label="{table}"] td[data-label="{title}"] .content')
    return [cell.get_attribute("data-value") or "" for cell in cells.all()]


def texts(page: Page, table: str, title: str) -> list[str]:
    cells = page.locator(f'table[aria-label="{table}"] [data-label="{title}"] .content')
    return cells.all_text_contents()


def as_script(value: Any) -> str:
    """Return a number as JavaScript writes it."""
    if value is None:
        return ""
    return str(int(value)) if float(value).is_integer() else repr(value)


def test_totals(show: OpenPage, server: SampleServer) -> None:
    page = show()
    totals = server.snapshot["totals"]
    shown = {
        tile.get_attribute("data-total"): tile.get_attribute("data-value")
        for tile in page.locator("[data-total]").all()
    }
    assert shown == {name: as_script(totals[name]) for name in totals if name != "batch"}
    assert page.locator("#application-id").text_content() == "shop"
    assert page.locator("#state").text_content() == "RUNNING"
    wait_until(page, "document.getElementById('health').textContent === 'ready'")
    facts = page.locator("#facts").inner_text()
    assert "exactly_once_v2" in facts
    assert "1 min 40 s" in facts


def test_tasks_and_executors(show: OpenPage, server: SampleServer) -> None:
    page = show()
    page.get_by_role("button", name="Show all 12").click()
    tasks = server.snapshot["tasks"]
    assert texts(page, "Tasks", "Task") == [task["id"] for task in tasks]
    assert column(page, "Tasks", "Lag") == [as_script(task["lag"]) for task in tasks]
    assert column(page, "Tasks", "Records") == [as_script(task["records"]) for task in tasks]
    moved = texts(page, "Tasks", "Moved")
    assert moved[7] == "from executor 3, 3 min 5 s ago: executor 3 was lost"
    assert moved[0] == "no"
    chips = page.locator(".executor", has_text="worker-c.example").locator(".chip:not(.standby)")
    assert chips.all_text_contents() == ["1_3", "2_2", "2_3"]
    moved_chips = page.locator(".chip.moved").all_text_contents()
    assert sorted(moved_chips) == ["1_3", "2_2", "2_3"]


def test_the_task_that_lags_most_is_one_click_away(show: OpenPage) -> None:
    page = show()
    page.get_by_role("region", name="Tasks and executors").get_by_role("button", name="Lag").click()
    assert texts(page, "Tasks", "Task")[0] == "0_3"
    header = page.locator('table[aria-label="Tasks"] th[aria-sort]')
    assert header.get_attribute("aria-sort") == "descending"


def test_stores(show: OpenPage, server: SampleServer) -> None:
    page = show()
    stores = server.snapshot["stores"]
    for title, key in [("Entries", "entries"), ("Size", "bytes"), ("Puts", "puts_per_s")]:
        assert column(page, "Stores", title) == [as_script(store[key]) for store in stores]
    assert texts(page, "Stores", "Cache hits") == ["87.1 %", "66.4 %", "not measured"]
    notes = page.locator("#stores .notes").inner_text()
    assert "Cache hits not measured: recorded at metrics.recording.level=DEBUG" in notes


def test_dropped_records_and_buffers(show: OpenPage, server: SampleServer) -> None:
    page = show()
    dropped = sorted(server.snapshot["dropped"], key=lambda row: -row["total"])
    assert column(page, "Dropped records", "Total") == [str(row["total"]) for row in dropped]
    assert texts(page, "Dropped records", "Reason") == [row["reason"] for row in dropped]
    assert page.locator(".reasons li").first.inner_text().split("\n") == ["expired window", "41"]
    buffers = server.snapshot["buffers"]
    assert column(page, "Suppression buffers", "Records") == [
        str(row["records"]) for row in buffers
    ]
    assert column(page, "Suppression buffers", "Size") == [str(row["bytes"]) for row in buffers]


def test_batches(show: OpenPage, server: SampleServer) -> None:
    page = show()
    last = server.snapshot["batches"][-1]
    legend = page.locator("#batches .legend li").all()
    shown = {
        item.locator("span").first.inner_text(): item.locator(".legend-value").get_attribute(
            "data-value"
        )
        for item in legend
    }
    assert shown == {part["name"]: str(part["ms"]) for part in last["parts"]}
    assert page.locator("rect.records-bar").count() == 60
    page.locator("#batches").get_by_role("button", name="Table", exact=True).click()
    newest_first = [str(batch["total_ms"]) for batch in server.snapshot["batches"][::-1]]
    assert column(page, "Batches", "Total") == newest_first[:10]
    assert column(page, "Batches", "stage 1")[0] == shown["stage 1"]


def test_the_graph_has_every_node_and_topic_with_its_numbers(
    show: OpenPage, server: SampleServer
) -> None:
    page = show()
    drawn = {item.get_attribute("data-id") for item in page.locator(".item").all()}
    nodes = {node["name"] for node in server.topology["nodes"]}
    topics = {f"topic {topic['name']}" for topic in server.topology["topics"]}
    assert drawn == nodes | topics | {"stage 0", "stage 1", "stage 2"}
    orders = page.locator('[data-id="topic orders"]')
    facts = server.snapshot["topics"]["orders"]
    assert f"lag {facts['lag']} · 840 ms" in orders.locator(".flow").all_text_contents()
    assert orders.locator(".flow").nth(1).text_content() == "10.8k/s"
    page.locator("#topology").get_by_role("button", name="Table", exact=True).click()
    assert column(page, "Topics", "Lag")[0] == str(facts["lag"])
    assert column(page, "Nodes", "Records")[0] == str(
        server.snapshot["nodes"]["KSTREAM-SOURCE-0000000000"]["records"]
    )


def test_an_item_of_the_graph_tells_its_facts(show: OpenPage) -> None:
    page = show()
    page.locator('[data-id="KSTREAM-AGGREGATE-0000000012"]').click()
    facts = page.locator(".details").inner_text()
    assert "Processor KSTREAM-AGGREGATE-0000000012" in facts
    assert "hourly-totals" in facts
    assert "92,510" in facts


def test_errors_say_where_and_what_to_do(show: OpenPage) -> None:
    page = show()
    first = page.locator(".errors > li").first.inner_text()
    assert "DeserializationException" in first
    assert "task 0_2, topic orders, partition 2, offset 1204881" in first
    assert "millstream peek orders" in first


def test_work_has_a_progress_bar(show: OpenPage, server: SampleServer) -> None:
    server.snapshot = {**sample.snapshot(), "work": sample.work()}
    page = show()
    bar = page.locator("progress")
    assert (bar.get_attribute("value"), bar.get_attribute("max")) == ("3140000", "5000000")
    assert "62 %" in page.locator(".notice.work").inner_text()
    server.publish(sample.snapshot(101))
    page.wait_for_selector(".notice.work", state="detached")


def test_what_is_not_known_is_said_never_0(show: OpenPage, server: SampleServer) -> None:
    server.snapshot = variants.unknown()
    page = show()
    unknown = page.locator(".totals dd.unmeasured").all()
    assert [tile.get_attribute("data-total") for tile in unknown] == [
        "records_per_s",
        "lag",
        "batch_ms",
        "state_bytes",
    ]
    assert all("not measured: " in (tile.get_attribute("title") or "") for tile in unknown)
    assert set(texts(page, "Tasks", "Lag")) == {"not measured"}
    assert set(texts(page, "Stores", "Entries")) == {"not measured"}
    assert "Waiting: no broker answers at broker:9092" in page.locator("#notices").inner_text()
    assert "the end is not known yet" in page.locator(".notice.work").inner_text()
    assert page.locator("progress").get_attribute("value") is None
    for empty in ("No batch has ended yet.", "No record has been dropped.", "No errors."):
        assert page.get_by_text(empty).is_visible()


def test_numbers_follow_the_stream(show: OpenPage, server: SampleServer) -> None:
    page = show()
    for tick in (101, 137):
        server.publish(sample.snapshot(tick))
        records = str(sample.snapshot(tick)["totals"]["records"])
        page.wait_for_selector(f'[data-total="records"][data-value="{records}"]')
    assert (
        page.locator("tr", has_text="hourly-totals")
        .locator(f'[data-value="{92_410 + 137}"]')
        .count()
        == 1
    )
