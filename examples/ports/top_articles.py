"""Top articles: the most viewed articles of each industry and hour.

Java idioms: a bounded ``PriorityQueue`` with a comparator as the aggregate, and a serializer and a
deserializer of one's own for it (``Serdes.serdeFrom``); a windowed count regrouped by another
windowed key, with adder and subtractor; ``WindowedSerdes``.
"""

from __future__ import annotations

import heapq
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from millstream import (
    Consumed,
    Deserializer,
    Duration,
    Grouped,
    JsonSerde,
    KafkaStreams,
    KeyValue,
    KTable,
    Materialized,
    Produced,
    Serde,
    Serdes,
    Serializer,
    StreamsBuilder,
    StreamsConfig,
    TimeWindows,
    Topology,
    Windowed,
    WindowedSerdes,
)

PAGE_VIEWS = "PageViews"
TOP_NEWS_PER_INDUSTRY_TOPIC = "TopNewsPerIndustry"
TOP_N = 3
WINDOW_SIZE = Duration.ofHours(1)


@dataclass(frozen=True)
class PageView:
    user: str
    page: str
    industry: str
    flags: str


@dataclass(frozen=True)
class Article:
    """A page of an industry; the key of the counts."""

    page: str
    industry: str


@dataclass(frozen=True)
class ArticleViews:
    """What is compared: how often an article was viewed in a window."""

    page: str
    views: int

    def __lt__(self, other: ArticleViews) -> bool:
        # The comparator: most views first, then by name.
        return (-self.views, self.page) < (-other.views, other.page)


class ArticleQueue:
    """A priority queue; ``PriorityQueue<ArticleViews>`` in Java."""

    def __init__(self, articles: Iterable[ArticleViews] = ()) -> None:
        self._heap = list(articles)
        heapq.heapify(self._heap)

    def add(self, article: ArticleViews) -> ArticleQueue:
        # A new queue: the old one may still be the store's.
        return ArticleQueue([*self._heap, article])

    def remove(self, article: ArticleViews) -> ArticleQueue:
        return ArticleQueue(each for each in self._heap if each != article)

    def top(self, count: int) -> list[ArticleViews]:
        return heapq.nsmallest(count, self._heap)

    def items(self) -> list[ArticleViews]:
        return list(self._heap)


class ArticleQueueSerializer(Serializer[ArticleQueue]):
    def serialize(self, topic: str, data: ArticleQueue | None, /) -> bytes | None:
        if data is None:
            return None
        return json.dumps([asdict(each) for each in data.items()]).encode()


class ArticleQueueDeserializer(Deserializer[ArticleQueue]):
    def deserialize(self, topic: str, data: bytes | None, /) -> ArticleQueue | None:
        if data is None:
            return None
        return ArticleQueue(ArticleViews(**fields) for fields in json.loads(data))


ARTICLE_QUEUE_SERDE: Serde[ArticleQueue] = Serdes.serdeFrom(
    ArticleQueueSerializer(), ArticleQueueDeserializer()
)
PAGE_VIEW_SERDE = JsonSerde.of(PageView)
ARTICLE_SERDE = JsonSerde.of(Article)
ARTICLE_VIEWS_SERDE = JsonSerde.of(ArticleViews)
WINDOWED_STRING_SERDE: Serde[Windowed[str]] = WindowedSerdes.timeWindowedSerdeFrom(
    str, WINDOW_SIZE.toMillis()
)


def is_article(_: str, view: PageView) -> bool:
    return "ARTICLE" in view.flags.split("|")


def by_industry(article: Windowed[Article], views: int) -> KeyValue[Windowed[str], ArticleViews]:
    """Group by industry and window; the page goes from the key into the value."""
    key = Windowed(article.key().industry, article.window())
    return KeyValue(key, ArticleViews(article.key().page, views))


def show_top(queue: ArticleQueue) -> str:
    return "\n".join(article.page for article in queue.top(TOP_N))


def topology() -> Topology:
    builder = StreamsBuilder()
    views = builder.stream(PAGE_VIEWS, Consumed.with_(Serdes.String(), PAGE_VIEW_SERDE))
    view_counts: KTable[Windowed[Article], int] = (
        views.filter(is_article)
        .map(lambda key, view: KeyValue(Article(view.page, view.industry), view))
        .groupByKey(Grouped.with_(ARTICLE_SERDE, PAGE_VIEW_SERDE))
        .windowedBy(TimeWindows.ofSizeWithNoGrace(WINDOW_SIZE))
        .count()
    )
    all_view_counts: KTable[Windowed[str], ArticleQueue] = view_counts.groupBy(
        by_industry, Grouped.with_(WINDOWED_STRING_SERDE, ARTICLE_VIEWS_SERDE)
    ).aggregate(
        # The initializer
        lambda: ArticleQueue(),
        # The "add" aggregator
        lambda industry, article, queue: queue.add(article),
        # The "remove" aggregator: the count was another one before
        lambda industry, article, queue: queue.remove(article),
        Materialized.with_(WINDOWED_STRING_SERDE, ARTICLE_QUEUE_SERDE),
    )
    top_view_counts: KTable[Windowed[str], str] = all_view_counts.mapValues(show_top)
    top_view_counts.toStream().to(
        TOP_NEWS_PER_INDUSTRY_TOPIC, Produced.with_(WINDOWED_STRING_SERDE, Serdes.String())
    )
    return builder.build()


def main() -> None:
    bootstrap_servers = sys.argv[1] if len(sys.argv) > 1 else "localhost:9092"
    props = {
        StreamsConfig.APPLICATION_ID_CONFIG: "top-articles-lambda-example",
        StreamsConfig.BOOTSTRAP_SERVERS_CONFIG: bootstrap_servers,
    }
    KafkaStreams(topology(), props).run()


if __name__ == "__main__":
    main()
