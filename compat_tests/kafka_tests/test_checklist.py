"""The checklist of Kafka's tests refers to tests and scenarios that exist, and leaves none open."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from compat_tests.kafka_tests.__main__ import table
from compat_tests.kafka_tests.checklist import TESTS, exists, lists, read

PAGE = TESTS.parent / "docs" / "kafka-tests.md"


@pytest.mark.parametrize("path", lists(), ids=lambda path: path.stem)
def test_every_entry_refers_to_a_test_or_scenario_that_exists(path: Path) -> None:
    missing = [(e.place, r) for e in read(path) for r in e.references if not exists(r)]
    assert not missing


def test_no_method_is_listed_twice() -> None:
    named = Counter((e.kafka_class, e.method) for path in lists() for e in read(path))
    assert [name for name, count in named.items() if count > 1] == []


def test_the_page_has_the_counts_of_the_lists() -> None:
    assert table() in PAGE.read_text(encoding="utf-8")
