"""Changelog topics that a running application keeps: they have its state, and Java goes on."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient
from pyspark.sql import SparkSession

from compat_tests.kafka.topics import create_topic
from compat_tests.relay.inputs import Sent, records, thirds
from compat_tests.relay.run import CONFIG, Relay, jvm_in
from compat_tests.relay.topologies import KINDS, SMALL
from compat_tests.spark.support import Playground, eventually, run_until
from compat_tests.stores.changelogs.folded import left_over, missing_in
from millstream import KafkaStreams, Materialized, StreamsBuilder, StreamsConfig
from millstream.core.errors import MisconfiguredInternalTopicException
from millstream.core.state.changelog_format import ChangelogRecord
from millstream.topology.spark.changelogs.feeds import Feed, feeds_of
from millstream.topology.spark.driver.savepoints import opened_checkpoint
from millstream.topology.spark.migration.hand_back import HandedBack, hand_back
from millstream.topology.spark.migration.program import MovingProgram, moving_program

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

KEPT = {
    **CONFIG,
    "millstream.changelog.topics": "true",
    # The times of the input are long ago: a broker would delete and compact it at once.
    "topic.cleanup.policy": "delete",
    "topic.retention.ms": "-1",
}
Place = tuple[str, int]


def handed_back(relay: Relay) -> HandedBack:
    topology, entries = relay.topology()
    return hand_back(topology, StreamsConfig(entries), relay.spark)


def in_topic(play: Playground, feed: Feed) -> dict[int, list[ChangelogRecord]]:
    found: dict[int, list[ChangelogRecord]] = defaultdict(list)
    for message in play.read(feed.topic, 0, more=0.5):
        found[message.partition()].append(
            ChangelogRecord(
                message.key(),
                message.value(),
                message.timestamp()[1],
                tuple(message.headers() or ()),
            )
        )
    return found


def state(relay: Relay) -> tuple[MovingProgram, dict[Place, dict[bytes, bytes]]]:
    """The rows of each store and partition after the last batch."""
    topology, entries = relay.topology()
    config = StreamsConfig(entries)
    found: dict[Place, dict[bytes, bytes]] = defaultdict(dict)
    with opened_checkpoint(config, relay.spark) as opened:
        for row in opened.image.entries.collect():
            found[row.store, row.partition][bytes(row.key)] = bytes(row.value)
    return moving_program(topology, config), found


def differences(play: Playground, relay: Relay) -> list[str]:
    """The partitions whose changelog does not have what the store has, as records."""
    program, rows = state(relay)
    feeds = feeds_of(program.plan, program.layout, program.application_id, program.sizes)
    assert not feeds.missing
    assert not feeds.sizes
    wrong = []
    for feed in feeds.feeds:
        if feed.of_source:
            continue
        layout, written = program.format_of(feed.store), in_topic(play, feed)
        # What has expired stays in the topic until its retention time is over.
        expires = program.notes[feed.store].type in ("window", "session", "versioned")
        for number in range(feed.partitions):
            there, held = written[number], rows[feed.store, number]
            missing = missing_in(layout, there, held)
            more = set() if expires else left_over(layout, there, held)
            if missing or more:
                wrong.append(f"{feed.store} {number}: {missing} is missing, {more} too much")
    return wrong


@pytest.mark.long
@pytest.mark.parametrize("kind", list(KINDS))
def test_the_topics_have_the_state_of_stores_of_every_kind_also_after_a_restart(
    kind: str, spark: SparkSession, play: Playground
) -> None:
    first, second, last = thirds(records(5, 360, KINDS[kind]["feeds"]))
    relay = Relay(play, KINDS[kind], "kept", None, spark, CONFIG)  # type: ignore[arg-type]
    relay.send(first)
    relay.by_millstream()
    # Set for an application that has state: the start writes it once.
    relay.config = KEPT
    relay.by_millstream()
    assert differences(play, relay) == []
    relay.send(second)
    relay.by_millstream()
    assert differences(play, relay) == []
    before = {
        feed.topic: play.ends(feed.topic)
        for feed in feeds_of(*_layout(relay)).feeds
        if not feed.of_source
    }
    relay.by_millstream()
    assert {topic: play.ends(topic) for topic in before} == before, "a restart wrote again"
    # Without the setting they fall behind, and the next start with it writes them anew.
    relay.config = CONFIG
    relay.send(last)
    relay.by_millstream()
    assert differences(play, relay) != []
    relay.config = KEPT
    relay.by_millstream()
    assert differences(play, relay) == []


def _layout(relay: Relay) -> Any:
    topology, entries = relay.topology()
    program = moving_program(topology, StreamsConfig(entries))
    return program.plan, program.layout, program.application_id, program.sizes


@pytest.mark.long
def test_the_jvm_goes_on_from_topics_that_were_kept(spark: SparkSession, play: Playground) -> None:
    sent = [Sent("a", "kmn"[n % 3], "v", 10_000 + 70 * n) for n in range(90)]
    first, second, last = thirds(sent)
    with jvm_in(play.directory / "jvm") as jvm:
        relay = Relay(play, SMALL, "kept", jvm, spark, KEPT)
        relay.send(first)
        relay.by_millstream()
        relay.send(second)
        relay.by_millstream()
        done = handed_back(relay)
        assert done.kept
        assert not done.records
        relay.send(last)
        relay.by_jvm()
        results = relay.results()
    counts = {
        key: [int(value or b"") for value, *_ in each] for key, each in results["out-count"].items()
    }
    assert counts == {key: list(range(1, 31)) for key in (b"k", b"m", b"n")}
    final = [int(v or b"") for each in results["out-final"].values() for v, *_ in each]
    starts = {int.from_bytes(key[-8:], "big") for key in results["out-final"]}
    assert starts == {each.time // 1000 * 1000 for each in sent if each.time < 15_000}
    assert sum(final) == sum(1 for each in sent if each.time < 15_000)


def test_a_topic_with_another_number_of_partitions_is_refused(
    spark: SparkSession, play: Playground
) -> None:
    topic = play.topic("in", 2)
    builder = StreamsBuilder()
    builder.stream(topic).groupByKey().count(Materialized.as_("counts"))
    play.topic("counts-changelog", 3)
    config = play.config(millstream_changelog_topics=True)
    streams = KafkaStreams(builder.build(), config, spark=spark)
    with pytest.raises(MisconfiguredInternalTopicException, match="has 3 partitions"):
        streams.start()
    streams.close()


def test_a_topic_that_was_deleted_and_created_again_gets_all_of_the_state(
    spark: SparkSession, play: Playground, caplog: pytest.LogCaptureFixture
) -> None:
    source, changelog = play.topic("in", 1), f"{play.name}-counts-changelog"
    builder = StreamsBuilder()
    builder.stream(source).groupByKey().count(Materialized.as_("counts"))
    config = play.config(millstream_changelog_topics=True)

    def read_up_to(offset: int) -> None:
        streams = KafkaStreams(builder.build(), config, spark=spark)
        run_until(streams, lambda: play.committed(play.name, source), {0: offset})

    play.produce(source, [("a", "x", 1), ("b", "x", 2)])
    read_up_to(2)
    admin = AdminClient({"bootstrap.servers": play.servers})
    admin.delete_topics([changelog])[changelog].result(30)
    eventually(lambda: changelog in admin.list_topics().topics, expected=False)
    create_topic(play.servers, changelog)
    play.produce(source, [("a", "x", 3)])
    read_up_to(3)
    assert f'deleted and created again: "{changelog}"' in caplog.text
    assert {message.key() for message in play.read(changelog, 2)} == {b"a", b"b"}
    before = play.ends(changelog)
    read_up_to(3)
    assert play.ends(changelog) == before, "a restart wrote again"
