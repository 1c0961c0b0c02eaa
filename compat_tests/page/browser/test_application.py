"""The page of an application on Spark, in a browser: its panels agree with its metrics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from compat_tests.page.browser.chromium import new_context, opened
from compat_tests.page.support import counted, page_offered, total
from compat_tests.spark.conftest import play as play  # noqa: PLC0414 - a fixture
from compat_tests.spark.support import Playground, eventually
from millstream import KafkaStreams
from millstream.page.address import noted

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore::ResourceWarning")]


@pytest.fixture(autouse=True)
def _offered() -> Iterator[None]:
    with page_offered():
        yield


def cell(page: Page, table: str, row: str, column: str) -> str | None:
    rows = page.locator(f'table[aria-label="{table}"] tbody tr').filter(
        has=page.get_by_role("rowheader", name=row)
    )
    return rows.locator(f'[data-label="{column}"] .content').get_attribute("data-value")


def test_panels_agree_with_the_metrics(
    browser: Browser, spark: SparkSession, play: Playground
) -> None:
    source, target = play.topic("in", 2), play.topic("out", 1)
    play.produce(source, [(b"k", b"%d" % (n % 3), n) for n in range(60)])
    config = play.config(millstream_ui_port=0)
    with KafkaStreams(counted(source, target), config, spark=spark) as streams:
        streams.start()
        eventually(lambda: total(streams, "records-consumed-total", source), 60.0)
        address = noted(play.directory / play.name)
        assert address is not None
        complaints: list[str] = []
        with new_context(browser) as context:
            context.on("weberror", lambda event: complaints.append(str(event.error)))
            page = opened(context, address.url)
            page.wait_for_selector('[data-total="records"][data-value="60"]')
            page.wait_for_selector('[data-total="lag"][data-value="0"]')
            assert page.locator("#application-id").text_content() == play.name
            assert page.locator("#state").text_content() == "RUNNING"
            page.locator("#topology").get_by_role("button", name="Table", exact=True).click()
            assert cell(page, "Topics", source, "Lag") == "0"
            sinks = {
                name.tags()["processor-node-id"]
                for name in streams.metrics()
                if name.name() == "records-produced-total" and name.tags().get("topic") == target
            }
            produced = int(total(streams, "records-produced-total", target))
            assert [cell(page, "Nodes", name, "Records") for name in sinks] == [str(produced)]
            tasks = page.locator('table[aria-label="Tasks"] [data-label="Records"] .content')
            records = [int(each.get_attribute("data-value") or 0) for each in tasks.all()]
            assert sum(records) >= 60
            assert page.locator('table[aria-label="Stores"] .main').all_text_contents() == [
                "counts"
            ]
            assert page.locator("#batches .legend li", has_text="stage 1").count() == 1
            page.get_by_label("Key", exact=True).fill("1")
            page.get_by_role("button", name="Query", exact=True).click()
            page.wait_for_selector('table[aria-label="Entries found"]')
            found = page.locator('table[aria-label="Entries found"] tbody tr')
            assert found.locator('[data-label="Value"]').text_content() == "20"
        assert complaints == []
