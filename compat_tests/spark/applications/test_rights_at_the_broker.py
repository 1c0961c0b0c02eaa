"""Applications and a broker with an authorizer: the least rights, and what each of them is for."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from compat_tests.effort import witnesses
from compat_tests.kafka.acls import GuardedBroker, Right, guarded_broker
from compat_tests.spark.support import Playground, run_until
from millstream import KafkaStreams, StreamsBuilder, StreamsException, Topology
from millstream.core.errors import AuthorizationException
from millstream.testing.broker import wait_for

pytestmark = pytest.mark.broker
_NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def guarded() -> Iterator[GuardedBroker]:
    with guarded_broker() as found:
        yield found


@pytest.fixture
def play(guarded: GuardedBroker, tmp_path: Any, request: pytest.FixtureRequest) -> Playground:
    name = f"app{next(_NUMBERS)}"
    found = Playground(guarded.servers, name, tmp_path)
    for each in ("in", "table", "out"):
        found.topic(each)
    found.produce(f"{name}-in", [(b"k", b"v", 5), (b"l", b"w", 7)])
    found.produce(f"{name}-table", [(b"v", b"x", 1), (b"w", b"y", 1)])
    return found


def least(play: Playground) -> list[Right]:
    """Return the rights that docs/operating/security.md lists."""
    name = play.name
    return [
        Right("Read", "topic", f"{name}-in"),
        Right("Read", "topic", f"{name}-table"),
        Right("Write", "topic", f"{name}-out"),
        Right("Create", "topic", f"{name}-millstream-*"),
        Right("Read", "topic", f"{name}-millstream-*"),
        Right("Create", "topic", f"{name}-KTABLE-*"),
        Right("Read", "topic", f"{name}-KTABLE-*"),
        Right("Write", "topic", f"{name}-KTABLE-*"),
        Right("Read", "group", name),
        Right("Write", "transactional-id", f"{name}-*"),
    ]


def counting(play: Playground) -> Topology:
    builder = StreamsBuilder()
    counts = builder.stream(f"{play.name}-in").groupByKey().count()
    counts.toStream().mapValues(str).to(f"{play.name}-out")
    return builder.build()


def joining(play: Playground) -> Topology:
    """Return a topology with a feedback topic on the broker."""
    builder = StreamsBuilder()
    table = builder.table(f"{play.name}-table")
    rows = builder.table(f"{play.name}-in").join(table, lambda v: v, lambda v, x: f"{v}{x}")
    rows.toStream().to(f"{play.name}-out")
    return builder.build()


def application(
    guarded: GuardedBroker,
    play: Playground,
    spark: Any,
    rights: Iterable[Right],
    topology: Topology,
    **entries: Any,
) -> KafkaStreams:
    guarded.grant(rights)
    config = play.config(processing_guarantee="exactly_once_v2", **entries) | guarded.entries()
    return KafkaStreams(topology, config, spark=spark)


def test_the_least_rights_are_enough_with_exactly_once_and_a_feedback_topic(
    guarded: GuardedBroker, play: Playground, spark: Any
) -> None:
    streams = application(guarded, play, spark, least(play), joining(play))
    run_until(streams, lambda: len(play.pairs(f"{play.name}-out", 2)), 2)
    assert sorted(play.pairs(f"{play.name}-out", 2)) == [(b"k", b"vx"), (b"l", b"wy")]


@pytest.mark.long
def test_at_least_once_needs_no_right_for_transactions(
    guarded: GuardedBroker, play: Playground, spark: Any
) -> None:
    rights = [each for each in least(play) if each.kind != "transactional-id"]
    once = {"processing_guarantee": "at_least_once"}
    guarded.grant(rights)
    config = play.config(**once) | guarded.entries()
    streams = KafkaStreams(counting(play), config, spark=spark)
    run_until(streams, lambda: len(play.pairs(f"{play.name}-out", 2)), 2)
    assert sorted(play.pairs(f"{play.name}-out", 2)) == [(b"k", b"1"), (b"l", b"1")]


TAKEN = {
    "to see a source topic": (("topic", "-in"), [], "Describe", "topic"),
    "to read a source topic": (("topic", "-in"), ["Describe"], "Read", "topic"),
    "to see a sink topic": (("topic", "-out"), [], "Describe", "topic"),
    "to write to a sink topic": (("topic", "-out"), ["Describe"], "Write", "topic"),
    "to create internal topics": (("topic", "-millstream-*"), ["Read"], "Create", "topic"),
    "to commit on internal topics": (("topic", "-millstream-*"), ["Create"], "Read", "topic"),
    "to be the group": (("group", ""), [], "Read", "group"),
    "to write transactions": (("transactional-id", "-*"), [], "Write", "transactional-id"),
}
"""What is taken away -> the resource, what stays, and what the error names."""


def failure_of(streams: KafkaStreams) -> BaseException:
    """Return what ends an application, at its start or later."""
    failures: list[BaseException] = []

    def noted(error: Exception) -> str:
        failures.append(error)
        return "SHUTDOWN_CLIENT"

    streams.setUncaughtExceptionHandler(noted)
    try:
        streams.start()
    except StreamsException as error:
        return error
    try:
        wait_for(lambda: bool(failures), 120)
    finally:
        streams.close()
    return failures[0]


@pytest.mark.parametrize("what", witnesses(list(TAKEN), 4))
def test_a_missing_right_is_named_with_how_to_grant_it(
    what: str, guarded: GuardedBroker, play: Playground, spark: Any
) -> None:
    (kind, ending), left, operation, named = TAKEN[what]
    name = play.name + ending
    rights = [each for each in least(play) if (each.kind, each.name) != (kind, name)]
    rights += [Right(each, kind, name) for each in left]
    failure = failure_of(application(guarded, play, spark, rights, counting(play)))
    assert isinstance(failure, StreamsException)
    assert isinstance(failure.__cause__, AuthorizationException)
    assert f"--operation {operation} --{named} {play.name}" in failure.hint
    assert guarded.entries()["sasl.jaas.config"] not in str(failure)
