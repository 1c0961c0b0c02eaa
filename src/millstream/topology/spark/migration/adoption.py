"""Plan of an adoption: what a stopped application of Kafka Streams has, and what does not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from millstream.core.config import StreamsConfig
from millstream.core.errors import StreamsException
from millstream.topology.spark.admission.group import Group
from millstream.topology.spark.changelogs.feeds import Feeds, feeds_of
from millstream.topology.spark.checkpoint.descriptor import FILE, local_files
from millstream.topology.spark.driver.savepoints import checkpoint_root
from millstream.topology.spark.migration.group import GroupClient, JavaGroup
from millstream.topology.spark.migration.program import MovingProgram, moving_program
from millstream.topology.topology import Topology

Place = tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoption:
    """What will be taken over, and why it cannot be."""

    program: MovingProgram
    group: JavaGroup
    feeds: Feeds
    unread: Mapping[str, int] = field(default_factory=dict)
    """Repartition topic -> offsets between the group's and the end, where there are records: they
    are read from the broker after the adoption."""
    partial: bool = False
    """Stores and topics that do not belong together are left out."""
    checkpoint: str = ""
    """Location of the checkpoint that is there already; empty if there is none."""

    def positions(self) -> dict[str, dict[int, int]]:
        """Return where the application goes on reading, by topic and partition."""
        program = self.program
        wanted = {*program.sources, *program.layout.feedback}
        found: dict[str, dict[int, int]] = {}
        for (topic, partition), offset in self.group.offsets.items():
            if topic in wanted:
                found.setdefault(topic, {})[partition] = offset
        return found

    def problems(self) -> list[str]:
        """Return why the adoption is refused, as sentences; nothing if it is not."""
        return list(self._problems())

    def check(self) -> None:
        """Check that it can be done.

        Raises:
            StreamsException: It cannot.
        """
        if self.problems():
            raise self.refusal()

    def refusal(self) -> StreamsException:
        """Return the error that says why it cannot be done."""
        return StreamsException(
            f'application "{self.program.application_id}" cannot be adopted',
            detail=" ".join(self.problems()),
            hint="`millstream adopt --dry-run` shows which topic has the contents of which store.",
        )

    def facts(self) -> dict[str, Any]:
        """Return the plan as values for JSON."""
        return {
            "application_id": self.program.application_id,
            "stores": [
                {"store": feed.store, "topic": feed.topic, "source_topic": feed.of_source}
                for feed in self.feeds.feeds
            ],
            "empty": [feed.store for feed in self.feeds.missing] + list(self.feeds.unlogged),
            "from_topics": list(self.feeds.from_topics),
            "unused": list(self.feeds.unused),
            "positions": {
                topic: {str(n): offset for n, offset in sorted(each.items())}
                for topic, each in sorted(self.positions().items())
            },
            "unread": dict(self.unread),
            "problems": self.problems(),
        }

    def _problems(self) -> Iterator[str]:
        group, feeds = self.group, self.feeds
        if self.checkpoint:
            yield (
                f'It has a checkpoint already, at "{self.checkpoint}". Start it from there; or '
                "delete the checkpoint, or give another millstream.checkpoint.location, to adopt "
                "it once more."
            )
        if group.members:
            yield (
                f"It still runs, or was stopped less than a session.timeout.ms ago: "
                f"{', '.join(group.members)}. Stop it and wait."
            )
        if group.claim is not None:
            yield (
                f"It already belongs to an application of millstream, with the checkpoint at "
                f"{group.claim.place()}. Start that one, or reset the application."
            )
        if not self.positions():
            yield (
                "Its group has no committed offset of a topic that this topology reads: the "
                "application.id or the topology is another one."
            )
        for topic, count in feeds.sizes.items():
            tasks = next(each.partitions for each in feeds.feeds if each.topic == topic)
            yield f'Topic "{topic}" has {count} partitions, and its store {tasks} tasks here.'
        if self.partial:
            return
        for feed in feeds.missing:
            yield f'Store "{feed.store}" has no changelog: there is no topic "{feed.topic}".'
        for topic in feeds.unused:
            yield f'Topic "{topic}" is the changelog of no store of this topology.'
        if feeds.missing or feeds.unused:
            yield (
                "Give the stores the names that they have in Java, or leave these out with "
                "--partial."
            )


def planned_adoption(
    topology: Topology, config: StreamsConfig, *, partial: bool = False
) -> Adoption:
    """Return the plan of an adoption; nothing is changed.

    Args:
        topology: The program that is to go on.
        config: Its configuration, with the Java application's ``application.id``.
        partial: Leave out stores without a changelog, and changelogs without a store.

    Raises:
        StreamsException: The broker refuses or does not answer; or a source topic is missing.
    """
    program = moving_program(topology, config)
    group = GroupClient(config).state()
    feeds = feeds_of(program.plan, program.layout, program.application_id, program.sizes)
    unread = _unread(config, program, group)
    if unread:
        program = moving_program(topology, config, unread)
    # One that is not on this machine is looked for with Spark.
    root = checkpoint_root(config)
    files = local_files(root)
    return Adoption(
        program=program,
        group=group,
        feeds=feeds,
        unread=unread,
        partial=partial,
        checkpoint=root if files is not None and files.has(FILE) else "",
    )


def _unread(config: StreamsConfig, program: MovingProgram, group: JavaGroup) -> dict[str, int]:
    """Return the repartition topics with records that the Java application has not read.

    Those that go over the broker here as well are read from its offsets on.
    """
    places = [
        (topic, number)
        for topic in program.layout.routes
        for number in range(program.sizes.get(topic, 0))
    ]
    client = Group(config)
    ends = client.ends(places)
    ranges = {
        place: (group.offsets.get(place, 0), ends[place])
        for place in places
        if group.offsets.get(place, 0) < ends[place]
    }
    found: dict[str, int] = {}
    for place in client.with_records(ranges):
        first, end = ranges[place]
        found[place[0]] = found.get(place[0], 0) + end - first
    return found
