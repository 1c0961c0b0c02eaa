"""Page views by region: JSON records at given times, and output whose keys are windows."""

from __future__ import annotations

from examples.ports.page_views_by_region import (
    PAGE_VIEW_SERDE,
    PAGE_VIEWS_TOPIC,
    REGION_COUNT_SERDE,
    USER_PROFILE_SERDE,
    USER_PROFILES_TOPIC,
    VIEWS_BY_REGION_TOPIC,
    WINDOW_SERDE,
    PageView,
    RegionCount,
    UserProfile,
    WindowedPageViewByRegion,
    topology,
)
from millstream import Duration, Serdes, TestRecord, TopologyTestDriver

STRING = Serdes.String().serializer()
MINUTE = Duration.ofMinutes(1).toMillis()


def test_views_are_counted_in_the_region_that_the_user_has_at_that_time() -> None:
    with TopologyTestDriver(topology()) as test_driver:
        views = test_driver.createInputTopic(PAGE_VIEWS_TOPIC, STRING, PAGE_VIEW_SERDE.serializer())
        users = test_driver.createInputTopic(
            USER_PROFILES_TOPIC, STRING, USER_PROFILE_SERDE.serializer()
        )
        counts = test_driver.createOutputTopic(
            VIEWS_BY_REGION_TOPIC, WINDOW_SERDE.deserializer(), REGION_COUNT_SERDE.deserializer()
        )
        users.pipeInput("alice", UserProfile("asia", 0), 0)
        views.pipeInput("alice", PageView("alice", "index", 30_000), 30_000)
        views.pipeInput("bob", PageView("bob", "index", 40_000), 40_000)
        users.pipeInput("alice", UserProfile("europe", 50_000), 50_000)
        views.pipeInput("alice", PageView("alice", "about", MINUTE), MINUTE)

        # Windows of five minutes begin every minute: the last view is in two of them.
        assert counts.readRecordsToList() == [
            TestRecord(window(0, "asia"), RegionCount(1, "asia"), recordTime=30_000),
            TestRecord(window(0, "UNKNOWN"), RegionCount(1, "UNKNOWN"), recordTime=40_000),
            TestRecord(window(0, "europe"), RegionCount(1, "europe"), recordTime=MINUTE),
            TestRecord(window(MINUTE, "europe"), RegionCount(1, "europe"), recordTime=MINUTE),
        ]


def window(start: int, region: str) -> WindowedPageViewByRegion:
    return WindowedPageViewByRegion(start, region)
