"""The key that decides the partition of a row is that of the records that fill the store."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.stores.changelogs.recorded import kept_stores, recorded
from compat_tests.stores.changelogs.test_recorded_changelogs import format_for
from millstream.stores.changelogs.points import WindowedKeysFormat


def of_the_dsl(scenario: Any) -> bool:
    steps = {step["op"] for step in scenario["topology"]}
    return not steps & {"process", "processValues", "transformValues", "store", "addProcessor"}


SCENARIOS = [each for each in recorded() if of_the_dsl(each)]


@pytest.mark.parametrize("feature", sorted({each["feature"] for each in SCENARIOS}))
def test_rows_go_where_the_records_went_that_filled_the_store(feature: str) -> None:
    for scenario in SCENARIOS:
        if scenario["feature"] != feature:
            continue
        host = kept_stores(scenario)
        keys = {each.key for each in host.sent if not each.topic.endswith("-changelog")}
        for kept in host.kept:
            layout = format_for(kept)
            if isinstance(layout, WindowedKeysFormat):
                continue
            for row in kept.rows:
                found = layout.record_key(row)
                assert layout.is_summary(row) or found in keys, (scenario["name"], kept.name, row)
