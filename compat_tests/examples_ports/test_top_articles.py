"""Top articles: the last value of each windowed key."""

from __future__ import annotations

from examples.ports.top_articles import (
    ARTICLE_QUEUE_SERDE,
    PAGE_VIEW_SERDE,
    PAGE_VIEWS,
    TOP_NEWS_PER_INDUSTRY_TOPIC,
    WINDOWED_STRING_SERDE,
    ArticleQueue,
    ArticleViews,
    PageView,
    topology,
)
from millstream import Duration, Serdes, TimeWindow, TopologyTestDriver, Windowed

HOUR = Duration.ofHours(1).toMillis()


def view(page: str, industry: str = "eng", flags: str = "ARTICLE|NEWS") -> PageView:
    return PageView("alice", page, industry, flags)


def test_the_most_viewed_articles_of_each_industry_and_hour() -> None:
    with TopologyTestDriver(topology()) as test_driver:
        views = test_driver.createInputTopic(
            PAGE_VIEWS, Serdes.String().serializer(), PAGE_VIEW_SERDE.serializer()
        )
        tops = test_driver.createOutputTopic(
            TOP_NEWS_PER_INDUSTRY_TOPIC,
            WINDOWED_STRING_SERDE.deserializer(),
            Serdes.String().deserializer(),
        )
        for page in ("news", "nerds", "css", "css", "nerds", "css", "poetry", "news", "news"):
            views.pipeInput("alice", view(page), 1_000)
        views.pipeInput("alice", view("pinup", flags="PICTURE"), 1_000)
        views.pipeInput("bob", view("bonds", industry="fin"), 2_000)
        views.pipeInput("bob", view("css"), HOUR)

        assert tops.readKeyValuesToMap() == {
            Windowed("eng", TimeWindow(0, HOUR)): "css\nnews\nnerds",
            Windowed("fin", TimeWindow(0, HOUR)): "bonds",
            Windowed("eng", TimeWindow(HOUR, 2 * HOUR)): "css",
        }


def test_the_serde_of_the_queue_keeps_what_is_in_it() -> None:
    queue = ArticleQueue().add(ArticleViews("a", 1)).add(ArticleViews("b", 2))
    data = ARTICLE_QUEUE_SERDE.serializer().serialize("topic", queue)
    read = ARTICLE_QUEUE_SERDE.deserializer().deserialize("topic", data)
    assert read is not None
    assert read.top(2) == [ArticleViews("b", 2), ArticleViews("a", 1)]
