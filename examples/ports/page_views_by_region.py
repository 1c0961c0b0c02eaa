"""Page views by region: views joined with the users' profiles, counted by region and window.

Java idioms: static nested classes as JSON values (dataclasses), a typed JSON serde, a stream-table
``leftJoin`` with a missing right side, hopping windows, a ``Windowed`` key taken apart.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from millstream import (
    Consumed,
    Duration,
    Grouped,
    Joined,
    JsonSerde,
    KafkaStreams,
    KeyValue,
    KStream,
    KTable,
    Materialized,
    Produced,
    Serdes,
    StreamsBuilder,
    StreamsConfig,
    TimeWindows,
    Topology,
    Windowed,
)

PAGE_VIEWS_TOPIC = "streams-pageview-input"
USER_PROFILES_TOPIC = "streams-userprofile-input"
VIEWS_BY_REGION_TOPIC = "streams-pageviewstats-output"


@dataclass(frozen=True)
class PageView:
    user: str
    page: str
    timestamp: int


@dataclass(frozen=True)
class UserProfile:
    region: str
    timestamp: int


@dataclass(frozen=True)
class PageViewByRegion:
    user: str
    page: str
    region: str


@dataclass(frozen=True)
class WindowedPageViewByRegion:
    window_start: int
    region: str


@dataclass(frozen=True)
class RegionCount:
    count: int
    region: str


PAGE_VIEW_SERDE = JsonSerde.of(PageView)
USER_PROFILE_SERDE = JsonSerde.of(UserProfile)
PAGE_VIEW_BY_REGION_SERDE = JsonSerde.of(PageViewByRegion)
WINDOW_SERDE = JsonSerde.of(WindowedPageViewByRegion)
REGION_COUNT_SERDE = JsonSerde.of(RegionCount)

WINDOWS = TimeWindows.ofSizeWithNoGrace(Duration.ofMinutes(5)).advanceBy(Duration.ofMinutes(1))


def with_region(view: PageView, profile: UserProfile | None) -> PageViewByRegion:
    """A ``ValueJoiner``: users without a profile have the region UNKNOWN."""
    region = "UNKNOWN" if profile is None else profile.region
    return PageViewByRegion(view.user, view.page, region)


def to_region_count(
    key: Windowed[str], count: int
) -> KeyValue[WindowedPageViewByRegion, RegionCount]:
    window = WindowedPageViewByRegion(key.window().start(), key.key())
    return KeyValue(window, RegionCount(count, key.key()))


def topology() -> Topology:
    builder = StreamsBuilder()
    views: KStream[str, PageView] = builder.stream(
        PAGE_VIEWS_TOPIC, Consumed.with_(Serdes.String(), PAGE_VIEW_SERDE)
    )
    users: KTable[str, UserProfile] = builder.table(
        USER_PROFILES_TOPIC, Consumed.with_(Serdes.String(), USER_PROFILE_SERDE)
    )
    region_count: KStream[WindowedPageViewByRegion, RegionCount] = (
        views.leftJoin(
            users, with_region, Joined.with_(Serdes.String(), PAGE_VIEW_SERDE, USER_PROFILE_SERDE)
        )
        .map(lambda user, view: KeyValue(view.region, view))
        .groupByKey(Grouped.with_(Serdes.String(), PAGE_VIEW_BY_REGION_SERDE))
        .windowedBy(WINDOWS)
        .count(Materialized.as_("views-by-region"))
        .toStream()
        .map(to_region_count)
    )
    region_count.to(VIEWS_BY_REGION_TOPIC, Produced.with_(WINDOW_SERDE, REGION_COUNT_SERDE))
    return builder.build()


def main() -> None:
    bootstrap_servers = sys.argv[1] if len(sys.argv) > 1 else "localhost:9092"
    props = {
        StreamsConfig.APPLICATION_ID_CONFIG: "streams-pageview-typed",
        StreamsConfig.BOOTSTRAP_SERVERS_CONFIG: bootstrap_servers,
    }
    KafkaStreams(topology(), props).run()


if __name__ == "__main__":
    main()
