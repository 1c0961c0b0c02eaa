"""What part of a batch each sub-topology may read from its topics."""

from __future__ import annotations

import pytest

from millstream.topology.spark.compile import Stage
from millstream.topology.spark.driver.line import shares_of_a_batch


def stage(index: int, *topics: str) -> Stage:
    return Stage(index=index, subtopology=index, tasks=1, topics=topics, internal=())


STAGES = [stage(0, "rows", "answers"), stage(1, "others")]


def test_without_a_backlog_topics_count_alike() -> None:
    assert shares_of_a_batch(STAGES, {}) == pytest.approx({0: 2 / 3, 1: 1 / 3})


def test_a_backlog_is_shared_so_that_all_are_through_together() -> None:
    shares = shares_of_a_batch(STAGES, {"rows": 900, "answers": 0, "others": 100})

    assert shares == pytest.approx({0: 920 / 1040, 1: 120 / 1040})


def test_whoever_has_no_backlog_still_reads() -> None:
    shares = shares_of_a_batch(STAGES, {"rows": 1000, "answers": 0, "others": 0})

    assert shares == pytest.approx({0: 1020 / 1040, 1: 20 / 1040})
