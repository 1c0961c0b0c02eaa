"""Settings of changelog topics, as Kafka Streams gives them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from compat_tests.spark.changelogs.test_feeds import TEXT
from millstream import (
    Grouped,
    Materialized,
    Serdes,
    StreamsBuilder,
    StreamsConfig,
    TimeWindows,
    UnlimitedWindows,
)
from millstream.topology.spark.changelogs.feeds import feeds_of
from millstream.topology.spark.changelogs.topics import changelog_topics
from millstream.topology.spark.checkpoint.store_notes import notes_of
from millstream.topology.spark.compile import compile_plan

DAY_MS = 86_400_000
LONG_MAX = 2**63 - 1


def settings(window: Any, given: dict[str, Any] | None = None, **config: Any) -> dict[str, str]:
    text = Serdes.String()
    builder = StreamsBuilder()
    grouped = builder.stream("orders", TEXT).groupByKey(Grouped.with_(text, text))
    grouped.windowedBy(window).count(Materialized.as_("counts").withLoggingEnabled(given or {}))
    entries = {"application.id": "shop", "bootstrap.servers": "localhost:9"}
    entries |= {key.replace("__", "."): value for key, value in config.items()}
    plan = builder.build().plan()
    layout = compile_plan(plan, "shop", {"orders": 1})
    feeds = feeds_of(plan, layout, "shop", {}).missing
    found = changelog_topics(
        feeds, plan, notes_of(plan, StreamsConfig(entries)), StreamsConfig(entries)
    )
    return found["shop-counts-changelog"][1]


def small() -> TimeWindows:
    return TimeWindows.ofSizeWithNoGrace(timedelta(seconds=1))


def test_windows_are_kept_for_a_day_more_than_the_store_keeps_them() -> None:
    found = settings(small())
    assert found["cleanup.policy"] == "compact,delete"
    assert found["retention.ms"] == str(1000 + DAY_MS)


@pytest.mark.parametrize("more", [DAY_MS, LONG_MAX])
def test_a_retention_without_end_stays_a_number_that_the_broker_takes(more: int) -> None:
    window = UnlimitedWindows.of()
    found = settings(window, windowstore__changelog__additional__retention__ms=more)
    assert int(found["retention.ms"]) <= LONG_MAX


def test_the_stores_retention_wins_over_topic_entries_and_its_own_settings_over_both() -> None:
    entries: dict[str, Any] = {
        "topic__retention__ms": "-1",
        "topic__cleanup__policy": "delete",
    }
    found = settings(small(), **entries)
    assert found["retention.ms"] == str(1000 + DAY_MS)
    assert found["cleanup.policy"] == "delete"
    assert settings(small(), {"retention.ms": "-1"}, **entries)["retention.ms"] == "-1"
