"""Changelogs of the real Kafka Streams become rows of our stores, and rows those records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import pytest

from compat_tests.stores.changelogs.recorded import Json, Kept, kept_stores, recorded
from millstream.core.state.changelog_format import ChangelogFormat
from millstream.stores.buffers.time_ordered import TOTALS
from millstream.stores.changelogs.formats import format_of
from millstream.stores.time_keys import INDEX, META_KEY

BY_FEATURE: dict[str, list[Json]] = defaultdict(list)
for _scenario in recorded():
    BY_FEATURE[_scenario["feature"]].append(_scenario)

EMPTIED = bytes(16)


def format_for(kept: Kept) -> ChangelogFormat:
    builder: Any = kept.builder
    plain = getattr(builder, "plain_builder", lambda: None)() or builder
    retention = getattr(plain, "historyRetention", lambda: None)()
    return format_of(kept.name, kept.note, retention)


def seen(kept: Kept, rows: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """The rows that can still be read: neither expired nor totals of nothing."""
    layer = getattr(kept.store, "_layer", None)
    first = getattr(layer, "_seen_from", b"")
    time_at = getattr(layer, "_time_at", slice(0))
    found = dict(rows)
    if found.get(TOTALS) == EMPTIED and kept.note.type == "suppression buffer":
        del found[TOTALS]
    if kept.note.type not in ("window", "session"):
        return found
    live = {
        key: value
        for key, value in found.items()
        if key == META_KEY or (key[1:9] if key >= INDEX else key[time_at]) >= first
    }
    return in_order_only(live) if kept.note.layout.get("duplicates") else live


def in_order_only(rows: dict[bytes, bytes]) -> dict[bytes, bytes]:
    """Duplicates numbered by their order: Kafka's changelog counts puts of null as well."""
    found = {META_KEY: rows.pop(META_KEY, b"")[:8]}
    for count, key in enumerate(sorted(rows)):
        found[key[:-4] + count.to_bytes(4, "big")] = rows[key]
    return found


def forgets(kept: Kept) -> bool:
    """Whether its changelog keeps what the store forgets: timestamped LRU maps, as in Kafka."""
    return hasattr(getattr(kept.store, "_layer", None), "_used") and kept.note.values != "plain"


def final(kept: Kept, layout: ChangelogFormat) -> dict[bytes, Any]:
    """The last record of each key, in the changelog or made of the rows."""
    return {each.key: each.value for each in layout.records(kept.rows.items())}


@pytest.mark.parametrize("feature", sorted(BY_FEATURE))
def test_the_records_of_kafka_streams_become_the_rows_of_our_stores(feature: str) -> None:
    for scenario in BY_FEATURE[feature]:
        for kept in kept_stores(scenario).kept:
            if kept.note.opaque:
                continue
            layout = format_for(kept)
            rows = seen(kept, layout.replayed(kept.records))
            wanted = seen(kept, kept.rows.items())
            if forgets(kept):
                rows = {key: rows[key] for key in wanted}
            assert rows == wanted, (scenario["name"], kept.name, kept.note)


@pytest.mark.parametrize("feature", sorted(BY_FEATURE))
def test_rows_become_records_that_become_the_same_rows(feature: str) -> None:
    for scenario in BY_FEATURE[feature]:
        for kept in kept_stores(scenario).kept:
            if kept.note.opaque:
                continue
            layout = format_for(kept)
            records = list(layout.records(kept.rows.items()))
            again = seen(kept, layout.replayed(records))
            wanted = seen(kept, kept.rows.items())
            if META_KEY in wanted and len(wanted) == 1:
                # Deletions are no rows, and neither are their times.
                wanted = {}
            assert again == wanted, (scenario["name"], kept.name)


@pytest.mark.parametrize("feature", sorted(BY_FEATURE))
def test_rows_become_the_last_records_of_kafka_streams(feature: str) -> None:
    for scenario in BY_FEATURE[feature]:
        for kept in kept_stores(scenario).kept:
            if (
                kept.note.opaque
                or kept.note.type == "versioned"
                or kept.note.layout.get("duplicates")
            ):
                continue
            layout = format_for(kept)
            last = {each.key: each for each in kept.records}
            for record in layout.records(seen(kept, kept.rows.items()).items()):
                wanted = last[record.key]
                assert record.value == wanted.value, (scenario["name"], kept.name)
                if kept.note.values in ("timestamped", "headers") and kept.note.type != "session":
                    assert record.timestamp == wanted.timestamp, (scenario["name"], kept.name)
                if kept.note.values == "headers" or kept.note.type == "suppression buffer":
                    assert tuple(record.headers) == tuple(wanted.headers), scenario["name"]


def test_every_kind_of_store_is_in_the_recorded_scenarios() -> None:
    found = {
        (kept.note.type, kept.note.values)
        for scenarios in BY_FEATURE.values()
        for scenario in scenarios
        for kept in kept_stores(scenario).kept
        if kept.rows
    }
    assert found >= {
        ("key-value", "plain"),
        ("key-value", "timestamped"),
        ("key-value", "headers"),
        ("window", "plain"),
        ("window", "timestamped"),
        ("window", "headers"),
        ("session", "plain"),
        ("session", "headers"),
        ("versioned", "plain"),
        ("suppression buffer", "held back"),
        ("unmatched records", "plain"),
        ("waiting records", "plain"),
    }
