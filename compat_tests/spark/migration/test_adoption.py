"""Refusals of an adoption: each says what does not fit and what to do."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from compat_tests.spark.changelogs.test_feeds import topology
from millstream import StreamsException
from millstream.topology.spark.changelogs.feeds import feeds_of
from millstream.topology.spark.checkpoint.descriptor import new_checkpoint
from millstream.topology.spark.compile import compile_plan
from millstream.topology.spark.migration.adoption import Adoption
from millstream.topology.spark.migration.group import JavaGroup
from millstream.topology.spark.migration.program import MovingProgram
from millstream.topology.spark.ownership import Claim

SOURCES = {"prices": 2, "orders": 2}
WHOLE = {"shop-prices-changelog": 2, "shop-counts-changelog": 2}
OFFSETS = {("orders", 0): 5, ("orders", 1): 7, ("other", 0): 1}
CLAIM = Claim(number=3, checkpoint="c", instance="i", host="h", machine="m", location="/old")


def adoption(
    topics: Mapping[str, int] = WHOLE,
    *,
    members: tuple[str, ...] = (),
    offsets: Mapping[tuple[str, int], int] = OFFSETS,
    claim: Claim | None = None,
    unread: Mapping[str, int] | None = None,
    partial: bool = False,
    checkpoint: str = "",
) -> Adoption:
    plan = topology().plan()
    layout = compile_plan(plan, "shop", SOURCES)
    program = MovingProgram(
        application_id="shop",
        plan=plan,
        layout=layout,
        description=new_checkpoint("", {}, {}),
        configs={},
        sizes=topics,
        sources=SOURCES,
    )
    return Adoption(
        program=program,
        group=JavaGroup(members=members, offsets=offsets, metadata={}, claim=claim),
        feeds=feeds_of(plan, layout, "shop", topics),
        unread=unread or {},
        partial=partial,
        checkpoint=checkpoint,
    )


def test_a_stopped_application_whose_stores_all_have_changelogs_is_adopted() -> None:
    plan = adoption()

    plan.check()
    assert plan.positions() == {"orders": {0: 5, 1: 7}}


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        (adoption(members=("thread-1 on /h",)), "still runs.*thread-1"),
        (adoption(claim=CLAIM), "already belongs.*/old"),
        (adoption(checkpoint="/here"), 'has a checkpoint already, at "/here"'),
        (adoption(offsets={("other", 0): 1}), "no committed offset"),
        (adoption({**WHOLE, "shop-counts-changelog": 3}), "has 3 partitions.*2 tasks"),
        (adoption({"shop-counts-changelog": 2}), 'no topic "shop-prices-changelog"'),
        (adoption({**WHOLE, "shop-totals-changelog": 2}), "changelog of no store"),
    ],
)
def test_what_does_not_fit_is_refused(plan: Adoption, reason: str) -> None:
    with pytest.raises(StreamsException, match='"shop" cannot be adopted') as caught:
        plan.check()

    caught.match("(?s)" + reason)
    assert plan.facts()["problems"] == plan.problems() != []


def test_what_does_not_belong_together_can_be_left_out_but_not_other_partitions() -> None:
    adoption({"shop-counts-changelog": 2, "shop-totals-changelog": 2}, partial=True).check()

    with pytest.raises(StreamsException):
        adoption({**WHOLE, "shop-counts-changelog": 3}, partial=True).check()
