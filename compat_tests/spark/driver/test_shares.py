"""What sub-topologies have not read, by which they share a batch."""

from __future__ import annotations

import pytest

from millstream.topology.spark.chunks.source import BatchShares
from millstream.topology.spark.compile import Stage
from millstream.topology.spark.driver.line import MIN_SHARE, shares_of_a_batch


def stage(index: int, *topics: str) -> Stage:
    return Stage(index=index, subtopology=index, tasks=1, topics=topics, internal=())


STAGES = [stage(0, "rows", "answers"), stage(1, "others")]


def test_a_stage_has_the_backlog_of_all_its_topics() -> None:
    shares = shares_of_a_batch(STAGES, {"rows": 900, "answers": 7, "others": 100}, 1000)

    assert shares == BatchShares(whole=1000, least=MIN_SHARE, unread={0: 907, 1: 100})


def test_where_the_jvm_does_not_follow_the_backlog_all_stages_may_read_alike() -> None:
    small, large = (shares_of_a_batch(STAGES, {"rows": 900}, whole) for whole in (1, 999))
    assert small is not None
    assert large is not None

    assert [small.alike(), large.alike()] == [1, 499]


@pytest.mark.parametrize("stages", [STAGES[:1], []])
def test_where_no_two_stages_read_nothing_is_shared(stages: list[Stage]) -> None:
    assert shares_of_a_batch(stages, {"rows": 5}, 1000) is None
