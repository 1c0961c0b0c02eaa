"""Deduplication on Spark: random streams, cut into batches at random, beside its definition."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from compat_tests.conformance.replay import build, raw_record, scenario_config
from compat_tests.conformance.spark_bundle import Member, Turn, run_bundle
from compat_tests.hosts.broker import BrokerClient
from compat_tests.properties.first_seen import (
    FORMS,
    INTERVALS,
    Event,
    event_of,
    first_seen,
    random_events,
    scenario,
)
from compat_tests.spark.support import Playground
from examples.deduplication import each_once
from millstream import KafkaStreams

STREAMS = 100
BATCHES = 3
USES = [(form, interval) for form in FORMS for interval in INTERVALS]


@pytest.mark.long
def test_a_hundred_streams_in_batches_cut_at_random(spark: Any, broker: BrokerClient) -> None:
    random = Random(655)
    streams = [random_events(random, random.randint(5, 60)) for _ in range(STREAMS)]
    uses = [USES[number % len(USES)] for number in range(STREAMS)]
    members = [member(use, events, random) for use, events in zip(uses, streams, strict=True)]
    run_bundle(spark, broker, members)

    found = [forwarded(each) for each in members]
    assert found == [first_seen(*use, events) for use, events in zip(uses, streams, strict=True)]


def member(use: tuple[str, int], events: list[Event], random: Random) -> Member:
    """A stream as an application; its worker loses everything before some of its batches."""
    program = scenario(*use, events)
    # Opening a hundred stores on disk would take longer than all the rest.
    program["config"]["default.dsl.store"] = random.choice(["memory"] * 9 + ["rocksdb"])
    records = [raw_record(program, event) for event in program["events"]]
    cuts = sorted(random.randint(0, len(records)) for _ in range(BATCHES - 1))
    bounds = zip([0, *cuts], [*cuts, len(records)], strict=True)
    turns = [
        Turn(records=records[first:last], forget=random.random() < 0.3) for first, last in bounds
    ]
    config = scenario_config(program)
    plan = build(program, config).plan()
    return Member(
        plan=plan, config=config, topics=frozenset(["in", "out"]), store_types={}, turns=turns
    )


def forwarded(member: Member) -> list[Event]:
    """Return what came out, in order."""
    assert member.failure is None
    return [
        event_of(record.key, record.value, record.timestamp)
        for turn in range(BATCHES)
        for record in member.produced[turn]
    ]


def test_an_id_is_found_in_all_partitions(spark: Any, play: Playground) -> None:
    source, target = play.topic("payments"), play.topic("once")
    keys = [b"anna", b"bert", b"carl", None]
    sent = [
        (keys[n % 4], b"%d: paid" % (n // 6) if n < 24 else b"unnumbered %d" % n, 1000 + n, n % 2)
        for n in range(30)
    ]
    play.produce(source, sent)
    with KafkaStreams(each_once(source, target), play.config(), spark=spark) as streams:
        streams.start()
        found = play.pairs(target, 10, more=1)
    assert sorted(value for _, value in found if value) == sorted(
        [*(b"%d: paid" % n for n in range(4)), *(b"unnumbered %d" % n for n in range(24, 30))]
    )
    own = {(key, value) for key, value, _, _ in sent}
    assert set(found) <= own
