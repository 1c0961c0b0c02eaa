"""`millstream reset`: new offsets, and which applications are not reset."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from confluent_kafka import Consumer, Producer, TopicPartition

from compat_tests.cli.support import command, printed, refused
from compat_tests.kafka.fixture import KafkaServer
from compat_tests.kafka.topics import create_topic, topics
from millstream import StreamsConfig
from millstream.cli.groups import GroupOffsets
from millstream.cli.reset_offsets import (
    Scenario,
    _chosen,
    _duration_ms,
    _of_file,
    _time_ms,
    _within,
)
from millstream.cli.reset_plan import _INTERNAL
from millstream.core.errors import IllegalArgumentException
from millstream.topology.spark.admission.group import Group
from millstream.topology.spark.admission.lease import HeldLease, LeaseNote, Leases
from millstream.topology.spark.checkpoint.descriptor import new_checkpoint
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.ownership import Claim, this_machine

APP, TOPIC = "reset-app", "reset-topic"


@pytest.fixture
def group(kafka: KafkaServer, tmp_path: Path) -> list[str]:
    """Ten records with times 1000, 2000, ... in one partition; the group has read eight."""
    servers = kafka.bootstrap_servers
    if TOPIC not in topics(servers):
        create_topic(servers, TOPIC)
        create_topic(servers, "reset-other")
        producer = Producer({"bootstrap.servers": servers})
        for number in range(1, 11):
            producer.produce(TOPIC, b"x", timestamp=number * 1000)
            producer.produce("reset-other", b"x")
        producer.flush(30)
    commit(servers, 8)
    return ["--set", f"bootstrap.servers={servers}", "--set", "state.dir=state"]


def commit(servers: str, offset: int) -> None:
    consumer = Consumer({"bootstrap.servers": servers, "group.id": APP})
    consumer.commit(offsets=[TopicPartition(TOPIC, 0, offset)], asynchronous=False)
    consumer.close()


def committed(kafka: KafkaServer, topic: str = TOPIC) -> int:
    consumer = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": APP})
    (found,) = consumer.committed([TopicPartition(topic, 0)], 30)
    consumer.close()
    return int(found.offset)


def plan(*arguments: str, cwd: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(printed("reset", APP, *arguments, "--json", cwd=cwd))
    return found


def test_a_reset_is_planned_and_then_done(
    kafka: KafkaServer, tmp_path: Path, group: list[str]
) -> None:
    told = printed("reset", APP, *group, cwd=tmp_path)
    assert "Nothing has been changed. Add --execute" in told
    assert told.splitlines()[1].split() == [TOPIC, "0", "8", "0"]
    assert committed(kafka) == 8
    assert plan(*group, "--shift-by", "-3", "--execute", cwd=tmp_path) == {
        "application": APP,
        "offsets": [{"topic": TOPIC, "partition": 0, "committed": 8, "new": 5}],
        "internalTopics": [],
        "paths": [],
        "warnings": [],
        "executed": True,
    }
    assert committed(kafka) == 5


def test_each_way_gives_its_offsets(kafka: KafkaServer, tmp_path: Path, group: list[str]) -> None:
    (tmp_path / "plan.csv").write_text(f"{TOPIC},0,3\nanother,1,5\n\n")
    ways = {
        "--to-latest": 10,
        "--to-offset=4": 4,
        "--to-datetime=1970-01-01T00:00:06.500": 6,
        "--by-duration=P1D": 10,
        "--from-file=plan.csv": 3,
    }
    for way, expected in ways.items():
        (found,) = plan(*group, way, cwd=tmp_path)["offsets"]
        assert (way, found["new"]) == (way, expected)
    (told,) = plan(*group, "--from-file=plan.csv", cwd=tmp_path)["warnings"]
    assert told.startswith('partition 1 of topic "another"')
    found = plan(*group, "--to-offset", "99", cwd=tmp_path)
    assert found["offsets"][0]["new"] == 10
    assert "offset 99 is not in partition 0" in found["warnings"][0]
    found = plan(*group, "--intermediate-topics", "reset-other", cwd=tmp_path)
    assert [(o["topic"], o["new"]) for o in found["offsets"]] == [("reset-other", 10), (TOPIC, 0)]
    found = plan(*group, "--input-topics", f"reset-other,{TOPIC}", cwd=tmp_path)
    assert [(o["topic"], o["new"]) for o in found["offsets"]] == [("reset-other", 0), (TOPIC, 0)]
    assert committed(kafka) == 8


def test_internal_topics_go_with_a_reset(
    kafka: KafkaServer, tmp_path: Path, group: list[str]
) -> None:
    servers = kafka.bootstrap_servers
    one, other = f"{APP}-a-repartition", f"{APP}-store-changelog"
    create_topic(servers, one)
    create_topic(servers, other)
    create_topic(servers, f"{APP}-output")
    told = refused("reset", APP, *group, "--internal-topics", f"{APP}-output", cwd=tmp_path)
    assert told.startswith(f'"{APP}-output" is not an internal topic')
    found = plan(*group, "--internal-topics", one, "--execute", cwd=tmp_path)
    assert found["internalTopics"] == [one]
    assert plan(*group, "--execute", cwd=tmp_path)["internalTopics"] == [other]
    assert {t for t in topics(servers) if t.startswith(f"{APP}-")} == {f"{APP}-output"}


def test_a_source_that_is_named_like_a_changelog_is_not_deleted(
    kafka: KafkaServer, tmp_path: Path, group: list[str]
) -> None:
    application, source = "reset-orders", "reset-orders-db-changelog"
    create_topic(kafka.bootstrap_servers, source)
    settings = {"bootstrap.servers": kafka.bootstrap_servers, "group.id": application}
    consumer = Consumer(settings)
    consumer.commit(offsets=[TopicPartition(source, 0, 0)], asynchronous=False)
    consumer.close()
    found = json.loads(printed("reset", application, *group, "--json", cwd=tmp_path))
    assert (found["internalTopics"], found["offsets"][0]["topic"]) == ([], source)
    told = refused("reset", application, *group, "--internal-topics", source, cwd=tmp_path)
    assert told.startswith(f'"{source}" is not an internal topic')


def test_a_group_with_members_is_not_reset(
    kafka: KafkaServer, tmp_path: Path, group: list[str]
) -> None:
    settings = {"bootstrap.servers": kafka.bootstrap_servers, "group.id": APP}
    consumer = Consumer({**settings, "enable.auto.commit": False})
    consumer.subscribe([TOPIC])
    while not consumer.assignment():
        consumer.poll(0.1)
    told = refused("reset", APP, *group, "--execute", "--force", cwd=tmp_path)
    consumer.close()
    assert told.startswith(f'group "{APP}" has members.')
    assert committed(kafka) == 8


@pytest.mark.parametrize(
    ("machine", "location", "told"),
    [
        ("other", "file:///elsewhere/checkpoint", "last started on another machine"),
        (None, "file:///elsewhere/checkpoint", "has another checkpoint than"),
    ],
)
def test_an_application_of_another_place_is_reset_by_force_only(
    kafka: KafkaServer,
    tmp_path: Path,
    group: list[str],
    machine: str | None,
    location: str,
    told: str,
) -> None:
    own = f"{APP}-millstream-owner"
    if own not in topics(kafka.bootstrap_servers):
        create_topic(kafka.bootstrap_servers, own)
    entries = {"application.id": APP, "bootstrap.servers": kafka.bootstrap_servers}
    claims = Group(StreamsConfig(entries))
    claims.commit(
        Claim(
            number=7,
            checkpoint="c",
            instance="i",
            host="there",
            machine=machine or this_machine()[1],
            location=location,
        )
    )
    assert told in refused("reset", APP, *group, "--execute", cwd=tmp_path)
    found = plan(*group, "--execute", "--force", cwd=tmp_path)
    assert (found["internalTopics"], committed(kafka)) == ([own], 0)
    assert claims.claim() is None


def test_topics_that_do_not_exist_are_refused(
    kafka: KafkaServer, tmp_path: Path, group: list[str]
) -> None:
    told = refused("reset", APP, *group, "--input-topics", "no-1,no-2", "--execute", cwd=tmp_path)
    assert told == "topics to reset do not exist: no-1, no-2. Nothing has been changed."
    assert committed(kafka) == 8


def test_an_application_that_does_not_exist_is_refused(tmp_path: Path, group: list[str]) -> None:
    assert "nothing is known of application" in refused("reset", "no-app", *group, cwd=tmp_path)


def test_several_ways_at_once_are_wrong_usage(tmp_path: Path) -> None:
    for wrong in (
        ["--to-earliest", "--to-latest"],
        ["--to-offset", "0", "--to-latest"],
        ["--shift-by", "0", "--to-earliest"],
        ["--execute", "--dry-run"],
        ["--by-duration", "P"],
        ["--to-datetime", "yesterday"],
        ["--to-offset", "-1"],
    ):
        assert command("reset", APP, *wrong, cwd=tmp_path).returncode == 2


# As Kafka's tool: without a zone it is UTC.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-01T00:00:01", 1000),
        ("1970-01-01T00:00:01.5", 1500),
        ("1970-01-01T00:00:01.123456789Z", 1123),
        ("1970-01-01T02:00:01.000+02:00", 1000),
    ],
)
def test_times_are_utc_unless_they_say(text: str, expected: int) -> None:
    assert _time_ms(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P7D", 7 * 86_400_000),
        ("PT1H30M", 5_400_000),
        ("P1DT0.25S", 86_400_250),
        ("pt5m", 300_000),
    ],
)
def test_durations_are_iso_8601(text: str, expected: int) -> None:
    assert _duration_ms(text) == expected


@pytest.mark.parametrize("text", ["", "P", "PT", "1D", "P1H", "P1DT", "PT-1S", "P1Y"])
def test_other_durations_are_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        _duration_ms(text)


@pytest.mark.parametrize("text", ["", "\n", "a,b,c", "a,1", "a,1,-2", "a,1,2,3", "a,1,²"])
def test_a_file_of_another_form_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "plan.csv").write_text(text)
    with pytest.raises(IllegalArgumentException, match=re.escape("plan.csv")):
        _of_file(tmp_path / "plan.csv")


def test_a_file_without_a_partition_is_refused_and_lines_of_others_are_told(
    tmp_path: Path,
) -> None:
    file = tmp_path / "plan.csv"
    # As Excel writes it: with a byte order mark.
    file.write_text("a,0,5\nb,0,7\n", encoding="utf-8-sig")
    with pytest.raises(IllegalArgumentException, match=r"partitions to reset: a-1"):
        _chosen(file, [("a", 0), ("a", 1), ("b", 0)])
    found, (told,) = _chosen(file, [("a", 0)])
    assert found == {("a", 0): 5}
    assert told.startswith('partition 0 of topic "b", in ')


def test_two_offsets_of_one_partition_in_a_file_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "plan.csv"
    file.write_text("a,0,5\na,1,6\na,0,5\n")
    assert _of_file(file) == {("a", 0): 5, ("a", 1): 6}
    file.write_text("a,0,5\na,1,6\na,0,7\n")
    with pytest.raises(IllegalArgumentException) as caught:
        _of_file(file)
    assert caught.value.detail == (
        'Line 3 has offset 7 of partition 0 of topic "a", and a line before it has 5.'
    )


def test_an_offset_outside_of_its_partition_is_moved_into_it() -> None:
    low, high, there = ("t", 0), ("t", 1), ("t", 2)
    places = (low, high, there)
    found, told = _within(
        {low: -5, high: 50, there: 5}, dict.fromkeys(places, 2), dict.fromkeys(places, 9)
    )
    assert found == {low: 2, high: 9, there: 5}
    assert len(told) == 2
    Scenario().check()


@pytest.mark.parametrize(
    "name",
    [
        "app-a-changelog",
        "app-a-repartition",
        "app-a-subscription-registration-topic",
        "app-a-subscription-response-topic",
        "app-KTABLE-FK-JOIN-SUBSCRIPTION-REGISTRATION-0000000004-topic",
        "app-KTABLE-FK-JOIN-SUBSCRIPTION-RESPONSE-0000000012-topic",
    ],
)
def test_internal_topics_are_known_by_the_names_that_kafkas_tool_knows(name: str) -> None:
    assert _INTERNAL.fullmatch(name)
    assert not _INTERNAL.fullmatch(name + "-of-mine")


def test_an_application_that_renews_its_lease_is_reset_by_force_only(
    kafka: KafkaServer, tmp_path: Path, group: list[str]
) -> None:
    """As it runs with another state directory, or on another machine that sees the checkpoint."""
    shared = tmp_path / "shared"
    note = LeaseNote(instance="far", host="m2", lease_ms=1000)
    leases = Leases(LocalFiles(shared))
    leases.create(1, note)
    held = HeldLease(leases, 1, note, pytest.fail)
    held.start()
    place = ["--set", f"millstream.checkpoint.location=file://{shared}", "--execute"]
    told = refused("reset", APP, *group, *place, cwd=tmp_path)
    assert told.startswith(f'application "{APP}" runs on checkpoint "file://{shared}"')
    assert 'instance far on machine "m2"' in told
    assert committed(kafka) == 8
    held.release()
    assert plan(*group, *place, cwd=tmp_path)["executed"]
    assert committed(kafka) == 0


def test_files_of_others_are_not_deleted_even_by_force(
    kafka: KafkaServer, tmp_path: Path, group: list[str]
) -> None:
    """A slip in the location: another application's checkpoint, a Spark query's, a folder."""
    place = [*group, "--set", f"millstream.checkpoint.location=file://{tmp_path / 'there'}"]
    foreign = tmp_path / "there" / "state" / "photo"
    foreign.parent.mkdir(parents=True)
    foreign.write_text("mine")
    for way in ([], ["--execute"], ["--execute", "--force"]):
        told = refused("reset", APP, *place, *way, cwd=tmp_path)
        assert told.startswith(f'"file://{tmp_path}/there" is no checkpoint of millstream')
        assert '"state", which a reset would delete' in told
    note = new_checkpoint("text", {}, {}, application="another").to_json()
    (tmp_path / "there" / "millstream.json").write_text(note)
    for way in ([], ["--execute", "--force"]):
        told = refused("reset", APP, *place, *way, cwd=tmp_path)
        assert told.startswith(f'checkpoint "file://{tmp_path}/there" belongs to application "anot')
    assert (committed(kafka), foreign.read_text()) == (8, "mine")


@pytest.mark.parametrize("note", ["damaged", new_checkpoint("text", {}, {}).to_json()])
def test_a_damaged_or_old_checkpoint_is_emptied(
    kafka: KafkaServer, tmp_path: Path, group: list[str], note: str
) -> None:
    there = tmp_path / "there"
    for name in ("state", "offsets", "rescaling"):
        (there / name).mkdir(parents=True)
    (there / "millstream.json").write_text(note)
    location = f"millstream.checkpoint.location=file://{there}"
    assert plan(*group, "--set", location, "--execute", cwd=tmp_path)["executed"]
    assert not any(there.iterdir())
    assert committed(kafka) == 0


def test_an_unfinished_shift_is_noted_beside_the_offset(
    kafka: KafkaServer, tmp_path: Path, group: list[str]
) -> None:
    entries = {"application.id": APP, "bootstrap.servers": kafka.bootstrap_servers}
    config = StreamsConfig(entries)
    offsets, place = GroupOffsets(config), (TOPIC, 0)
    offsets.commit({place: 5}, {place: 8})
    assert (offsets.committed()[place], offsets.shifted_from()) == (5, {place: 8})
    # A start takes it for an offset of a reset.
    found = Group(config).state([place], 0).offsets[place]
    assert (found.offset, found.mark, found.by_java) == (5, None, False)
    assert plan(*group, "--shift-by", "-3", "--execute", cwd=tmp_path)["offsets"][0]["new"] == 5
    assert offsets.shifted_from() == {}
