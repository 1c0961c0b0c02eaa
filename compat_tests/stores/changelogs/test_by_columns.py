"""Records of changelogs read by columns give the rows that they give one by one."""

from __future__ import annotations

import pytest

from compat_tests.stores.changelogs.recorded import kept_stores
from compat_tests.stores.changelogs.test_recorded_changelogs import BY_FEATURE, format_for
from millstream.core.state.changelog_format import (
    ChangelogColumns,
    ChangelogFormat,
    ChangelogRecord,
)
from millstream.stores.changelogs.points import KeyValueFormat
from millstream.stores.changelogs.timed import TimedFormat, WindowFormat
from millstream.stores.changelogs.values import (
    AGGREGATE_WITH_HEADERS,
    PLAIN,
    TIMESTAMPED,
    WITH_HEADERS,
    ValueForm,
)
from millstream.stores.session.keys import SessionKeys
from millstream.stores.time_keys import INDEX
from millstream.stores.window.keys import WindowKeys

FORMS = [PLAIN, TIMESTAMPED, WITH_HEADERS, AGGREGATE_WITH_HEADERS]


def columns_of(records: list[ChangelogRecord]) -> ChangelogColumns:
    headers = [each.headers for each in records]
    return ChangelogColumns(
        [each.key for each in records],
        [each.value for each in records],
        [each.timestamp or 0 for each in records],
        headers if any(headers) else None,
    )


def same(layout: ChangelogFormat, records: list[ChangelogRecord]) -> None:
    found = layout.read(columns_of(records))
    one_by_one = [
        row
        for record in records
        for row in layout.rows_of(record._replace(timestamp=record.timestamp or 0))
    ]
    assert dict(zip(found.keys, found.values, strict=True)) == {
        key: value for key, value in one_by_one if value is not None
    }
    assert found.summary == layout.summary_of_records(records)


@pytest.mark.parametrize("feature", sorted(BY_FEATURE))
def test_recorded_changelogs_read_by_columns_are_those_read_one_by_one(feature: str) -> None:
    for scenario in BY_FEATURE[feature]:
        for kept in kept_stores(scenario).kept:
            layout = format_for(kept)
            if not layout.in_order and not kept.note.opaque:
                last = {each.key: each for each in kept.records}
                same(layout, list(last.values()))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("headed", [False, True])
def test_deletions_and_empty_values_and_headers_are_read_by_columns(
    form: ValueForm, headed: bool
) -> None:
    headers = [("n", b"1"), ("n", None)] if headed else []
    values = [b"v", None, b"", b"w"]
    times = [0, 5, 70_000, 9_000_000]
    beyond = INDEX + bytes(7)
    for layout, ends in (
        (KeyValueFormat(form), [b""] * 5),
        (
            WindowFormat(form, WindowKeys(60_000), indexed=True),
            [*(time.to_bytes(8, "big") + bytes(4) for time in times), beyond + bytes(4)],
        ),
        (
            TimedFormat(form, SessionKeys(60_000), indexed=False),
            [*(time.to_bytes(8, "big") * 2 for time in times), beyond * 2],
        ),
    ):
        records = [
            ChangelogRecord(b"k%d" % n + end, value, time, headers if n else ())
            for n, (end, value, time) in enumerate(
                zip(ends, [*values, b"x"], [*times, 1], strict=True)
            )
        ]
        same(layout, records)
        same(layout, [])
