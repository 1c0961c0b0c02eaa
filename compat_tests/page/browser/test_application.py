"""The page of an application on Spark, in a browser: its panels agree with its metrics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from compat_tests.page.browser.chromium import new_context, opened
from compat_tests.page.support import counted, page_offered, total
from compat_tests.spark.conftest import play as play  # noqa: PLC0414 - a fixture
from compat_tests.spark.support import Playground, eventually
from millstream import KafkaStreams, LogAndContinueProcessingExceptionHandler
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
    records = [(b"k", b"%d" % (n % 3), n) for n in range(60)]
    play.produce(source, [*records, (b"k", b"bad", 60)])
    config = play.config(
        millstream_ui_port=0,
        processing_exception_handler=LogAndContinueProcessingExceptionHandler,
        errors_dead_letter_queue_topic_name=play.topic("dead", 1),
    )
    with KafkaStreams(counted(source, target), config, spark=spark) as streams:
        streams.start()
        eventually(lambda: total(streams, "records-consumed-total", source), 61.0)
        address = noted(play.directory / play.name)
        assert address is not None
        complaints: list[str] = []
        with new_context(browser) as context:
            context.on("weberror", lambda event: complaints.append(str(event.error)))
            page = opened(context, address.url)
            page.wait_for_selector('[data-total="records"][data-value="61"]')
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
            numbers = [int(each.get_attribute("data-value") or 0) for each in tasks.all()]
            assert sum(numbers) >= 61
            assert page.locator('table[aria-label="Stores"] .main').all_text_contents() == [
                "counts"
            ]
            for part in ("pack", "stage 0", "stage 1", "sink"):
                assert page.locator("#batches .legend li", has_text=part).count() == 1
            for name in ("dropped", "dead_lettered"):
                page.wait_for_selector(f'[data-total="{name}"][data-value="1"]')
            failed = "its processing failed"
            reasons = page.locator('table[aria-label="Dropped records"] [data-label="Reason"]')
            assert sorted(reasons.all_text_contents()) == [f"dead letter: {failed}", failed]
            page.get_by_label("Key", exact=True).fill("1")
            page.get_by_role("button", name="Query", exact=True).click()
            page.wait_for_selector('table[aria-label="Entries found"]')
            found = page.locator('table[aria-label="Entries found"] tbody tr')
            assert found.locator('[data-label="Value"]').text_content() == "20"
        assert complaints == []
