"""What becomes of the stores of each program in the table of changes."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.spark.evolution.cases import CASES
from compat_tests.spark.evolution.support import BASE, facts, fates
from millstream import StreamsConfig
from millstream.topology.spark.evolution.comparison import compare
from millstream.topology.spark.evolution.words import words_of


def dotted(entries: Any) -> dict[str, Any]:
    return {name.replace("_", "."): value for name, value in entries.items()}


@pytest.mark.parametrize("counted", [True, False], ids=["counts noted", "as first versions"])
@pytest.mark.parametrize("name", CASES)
def test_a_change_has_its_outcomes(name: str, counted: bool) -> None:
    case = CASES[name]
    before = facts(case.before(str), case.partitions[0], counted=counted, **case.config)
    after = facts(case.after(str), case.partitions[1], **case.then)
    found = compare(before, after, words_of(StreamsConfig(BASE | dotted(case.then))))
    assert fates(found) == case.stores
    kept = {new for new, fate in case.stores.items() if new in after.stores}
    formers = {new: old for new, old in found.stores.items() if new != old}
    assert formers == case.formers
    assert set(found.stores) <= kept
    assert bool(found.refused) == case.refused
    assert found.same == case.in_place
    assert len(set(found.stores.values())) == len(found.stores)


def test_the_table_has_many_changes() -> None:
    assert len(CASES) >= 40
