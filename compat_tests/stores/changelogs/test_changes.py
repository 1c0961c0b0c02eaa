"""The changes of each commit, as records, leave in a changelog what Kafka Streams leaves there."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.stores.changelogs.recorded import Kept, kept_stores
from compat_tests.stores.changelogs.test_recorded_changelogs import (
    BY_FEATURE,
    forgets,
    format_for,
    seen,
)
from millstream.core.state.changelog_format import (
    ChangelogColumns,
    ChangelogFormat,
    ChangelogRecord,
    columns_of,
)
from millstream.core.working_copy import WorkingCopy
from millstream.stores.time_keys import META_KEY

Rows = dict[bytes, "bytes | None"]
Commits = list[tuple[WorkingCopy, Rows]]


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> Commits:
    """The working copies that commits have changed, and what each commit has changed."""
    found: Commits = []
    apply = WorkingCopy.apply

    def noting(copy: WorkingCopy, version: bytes) -> None:
        found.append((copy, dict(copy.changes().entries)))
        apply(copy, version)

    monkeypatch.setattr(WorkingCopy, "apply", noting)
    return found


def listed(columns: ChangelogColumns) -> list[Any]:
    return [None if each is None else list(each) for each in columns]


def last_records(
    kept: Kept, layout: ChangelogFormat, commits: Commits
) -> dict[bytes, ChangelogRecord]:
    last: dict[bytes, ChangelogRecord] = {}
    for copy, rows in commits:
        if copy is kept.copy:
            records = list(layout.changes(rows))
            assert listed(layout.columns(rows)) == listed(columns_of(records))
            for record in records:
                last.pop(record.key, None)
                last[record.key] = record
    return last


@pytest.mark.parametrize("feature", sorted(BY_FEATURE))
def test_the_changes_of_all_commits_leave_the_last_records_of_kafka_streams(
    feature: str, commits: Commits
) -> None:
    for scenario in BY_FEATURE[feature]:
        commits.clear()
        for kept in kept_stores(scenario).kept:
            layout = format_for(kept)
            if kept.note.opaque or layout.in_order:
                continue
            found = last_records(kept, layout, commits)
            where = scenario["name"], kept.name
            if kept.note.type in ("window", "session"):
                rows = seen(kept, layout.replayed(found.values()))
                wanted_rows = seen(kept, kept.rows.items())
                assert no_times(rows) == no_times(wanted_rows), where
            if kept.note.layout.get("duplicates") or forgets(kept):
                continue
            wanted = {each.key: each for each in kept.records}
            left = {key for key, each in found.items() if each.value is not None}
            there = {key for key, each in wanted.items() if each.value is not None}
            assert left <= there, where
            # Kafka Streams also logs a write that comes too late for the store.
            assert left == there or kept.note.type in ("window", "session"), where
            for key in left:
                ours, record = found[key], wanted[key]
                assert ours.value == record.value, where
                if kept.note.values in ("timestamped", "headers") and kept.note.type != "session":
                    assert ours.timestamp == record.timestamp, where
                if kept.note.values == "headers" or kept.note.type == "suppression buffer":
                    assert tuple(ours.headers) == tuple(record.headers), where


def no_times(rows: dict[bytes, bytes]) -> dict[bytes, bytes]:
    """The rows without the store's time, which writes that it has refused do not change."""
    return {key: value for key, value in rows.items() if key != META_KEY}
