"""What sub-topologies have not read, by which they share a batch."""

from __future__ import annotations

from millstream import StreamsConfig
from millstream.topology.spark.chunks.source import BatchShares
from millstream.topology.spark.compile import Stage
from millstream.topology.spark.driver.line import MIN_SHARE, BatchLimit, shares_of_a_batch


def stage(index: int, *topics: str) -> Stage:
    return Stage(index=index, subtopology=index, tasks=1, topics=topics, internal=())


STAGES = [stage(0, "rows", "answers"), stage(1, "others")]


def test_a_stage_has_the_backlog_of_all_its_topics() -> None:
    backlog = {"rows": 900, "answers": 7, "others": 100}

    shares = shares_of_a_batch(STAGES, backlog, BatchLimit(first=1000, most=2000))

    unread = {0: 907, 1: 100}
    assert shares == BatchShares(whole=1000, most=2000, least=MIN_SHARE, unread=unread)


def test_where_the_jvm_does_not_follow_the_backlog_all_stages_may_read_alike() -> None:
    limits = [BatchLimit(first=whole, most=whole) for whole in (1, 999)]
    small, large = (shares_of_a_batch(STAGES, {"rows": 900}, limit) for limit in limits)
    assert small is not None
    assert large is not None

    assert [small.alike(), large.alike()] == [1, 499]


def test_where_one_stage_reads_topics_it_has_the_whole_batch() -> None:
    shares = shares_of_a_batch([STAGES[0], stage(1)], {}, BatchLimit(first=1000, most=1000))

    assert shares is not None
    assert shares.unread == {0: 0}
    assert shares.alike() == 1000


def test_where_no_stage_reads_topics_nothing_is_shared() -> None:
    assert shares_of_a_batch([stage(0)], {}, BatchLimit(first=1000, most=1000)) is None


def test_only_a_limit_that_was_not_given_may_grow() -> None:
    required = {"application.id": "app", "bootstrap.servers": "broker:9092"}
    given = StreamsConfig(required | {"millstream.max.records.per.batch": 7})

    assert BatchLimit.of(StreamsConfig(required)) == BatchLimit(first=500_000, most=1_000_000)
    assert BatchLimit.of(given) == BatchLimit(first=7, most=7)
