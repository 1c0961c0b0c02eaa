"""What part of a batch each sub-topology may read from its topics."""

from __future__ import annotations

import pytest

from millstream.topology.spark.chunks.source import BatchShares
from millstream.topology.spark.compile import Stage
from millstream.topology.spark.driver.line import shares_of_a_batch


def stage(index: int, *topics: str) -> Stage:
    return Stage(index=index, subtopology=index, tasks=1, topics=topics, internal=())


STAGES = [stage(0, "rows", "answers"), stage(1, "others")]


def limits(shares: BatchShares | None) -> list[int]:
    assert shares is not None
    return [shares.limit(index) for index in shares.unread]


def test_without_a_backlog_all_stages_may_read_alike() -> None:
    assert limits(shares_of_a_batch(STAGES, {}, 999)) == [499, 499]


def test_a_backlog_is_shared_so_that_all_are_through_together() -> None:
    backlog = {"rows": 900, "answers": 0, "others": 100}

    assert limits(shares_of_a_batch(STAGES, backlog, 1040)) == [920, 120]


def test_whoever_has_no_backlog_still_reads() -> None:
    backlog = {"rows": 1000, "answers": 0, "others": 0}

    assert limits(shares_of_a_batch(STAGES, backlog, 1040)) == [1020, 20]
    assert limits(shares_of_a_batch(STAGES, backlog, 1)) == [1, 1]


@pytest.mark.parametrize("stages", [STAGES[:1], []])
def test_where_no_two_stages_read_nothing_is_shared(stages: list[Stage]) -> None:
    assert shares_of_a_batch(stages, {"rows": 5}, 1000) is None
