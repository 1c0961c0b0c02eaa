"""Plan of a reset, and its execution.

Where an application goes on is what its checkpoint says; the group's committed offsets must agree
(``admission/decision.py``). So a reset commits the new offsets for the group and empties the
checkpoint: a start without a checkpoint begins at the committed offsets, with empty stores. The
claim and the tokens of the sinks name the checkpoint that is gone; they go with their topics.

The order is that of an interrupted reset: after the note of ``cleanUp()``, a start that finds new
offsets and the old checkpoint empties it.
It would read what is left of internal topics, so they go before the checkpoint does.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from millstream.cli.clients import known_topics
from millstream.cli.groups import GroupOffsets, Place
from millstream.cli.reset_checks import check_is_of
from millstream.cli.reset_offsets import Scenario, begin_of_shift, new_offsets
from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import CHECKPOINT_LOCATION
from millstream.core.errors import IllegalArgumentException, IllegalStateException
from millstream.topology.spark.admission import cleaned
from millstream.topology.spark.admission.emptying import empty
from millstream.topology.spark.admission.group import Group
from millstream.topology.spark.admission.lease import LEASES, running_owner
from millstream.topology.spark.admission.takeover import OWNER
from millstream.topology.spark.checkpoint.descriptor import local_files, local_path, normal
from millstream.topology.spark.checkpoint.files import Files, RemoteFiles
from millstream.topology.spark.checkpoint.origin import root_of
from millstream.topology.spark.job import progress_topic
from millstream.topology.spark.ownership import Claim, this_machine
from millstream.topology.spark.placement.record import FILE as PLACEMENT
from millstream.topology.spark.state.slots import DirectoryLock, free_slots

_FORGET_S = 10.0
_SHIFTED = (
    "a reset that was interrupted has shifted offsets already: --shift-by counts from where they "
    "were before that"
)
_INTERNAL = re.compile(
    r".*(?:-changelog|-repartition|-subscription-registration-topic|-subscription-response-topic"
    r"|.-KTABLE-FK-JOIN-SUBSCRIPTION-(?:REGISTRATION|RESPONSE)-[0-9]+-topic)"
)
"""The names by which Kafka's tool knows internal topics."""


@dataclass(frozen=True)
class StoppedApplication:
    """An application that does not run, as far as can be told from here."""

    config: StreamsConfig
    name: str
    sizes: dict[str, int]
    group: GroupOffsets
    state_dir: Path
    location: str
    """Of its checkpoint."""
    has_state: bool
    force: bool = False


@dataclass(frozen=True, kw_only=True)
class ResetPlan:
    """Everything that a reset changes."""

    application: str
    before: dict[Place, int]
    """The committed offsets."""
    offsets: dict[Place, int]
    """The new ones."""
    shifted: dict[Place, int] = field(default_factory=dict)
    """Where those of `--shift-by` count from."""
    topics: list[str]
    """Internal topics to delete."""
    paths: list[str]
    """The checkpoint, and what is deleted of the local state."""
    warnings: list[str] = field(default_factory=list)

    def facts(self) -> dict[str, Any]:
        """Return the plan for JSON."""
        return {
            "application": self.application,
            "offsets": [
                {"topic": t, "partition": n, "committed": self.before.get((t, n)), "new": offset}
                for (t, n), offset in sorted(self.offsets.items())
            ],
            "internalTopics": self.topics,
            "paths": self.paths,
            "warnings": self.warnings,
        }


@contextmanager
def stopped_application(config: StreamsConfig, *, force: bool) -> Iterator[StoppedApplication]:
    """Hold the lock of an application that does not run.

    Raises:
        IllegalStateException: It runs, or may run: its group has members, its state directory is
            locked, or it was last started on another machine or with another checkpoint.
        StreamsException: The broker refuses or does not answer.
    """
    name = config.getString("application.id")
    state_dir = Path(config.getString("state.dir")) / name
    given = config.getString(CHECKPOINT_LOCATION)
    location = normal(given or f"file://{(state_dir / 'checkpoint').absolute()}")
    has_state = state_dir.exists()
    lock = DirectoryLock(state_dir)
    if has_state and not lock.acquire():
        raise IllegalStateException(
            f'application "{name}" runs',
            detail=f'It has locked its state directory "{state_dir}".',
            hint="Stop it first.",
        )
    try:
        sizes, group = known_topics(config), GroupOffsets(config)
        if members := group.members():
            raise IllegalStateException(
                f'group "{name}" has members',
                detail=f"They are {', '.join(members)}.",
                hint="Stop them first; members that have died leave after their session timeout.",
            )
        if not force:
            _check_claim(name, location, Group(config).claim())
        yield StoppedApplication(config, name, sizes, group, state_dir, location, has_state, force)
    finally:
        lock.release()


def planned(
    application: StoppedApplication,
    scenario: Scenario,
    inputs: Sequence[str],
    intermediates: Sequence[str],
    internals: Sequence[str] | None,
) -> ResetPlan:
    """Return what a reset would change.

    Raises:
        IllegalArgumentException: A topic does not exist, or is none of the application's.
        IllegalStateException: The checkpoint is of another application, or none.
        StreamsException: The broker refuses or does not answer.
    """
    sizes, group = application.sizes, application.group
    files = local_files(application.location)
    if files is not None:
        check_is_of(application.name, files, application.location)
    committed = group.committed()
    # Nobody commits offsets of changelogs, so one that has some is a source of the user's.
    sources = {topic for topic, _ in committed if topic.endswith("-changelog")}
    own = _internal_topics(application, {*inputs, *intermediates} | sources)
    _check_topics(application, [*inputs, *intermediates])
    # A reset that was interrupted has deleted some.
    wanted = {t for t in internals or () if t in sizes or not _is_internal(application, t)}
    if wrong := sorted(wanted - own):
        raise IllegalArgumentException(
            f'"{wrong[0]}" is not an internal topic of application "{application.name}"',
            detail=f"They are: {', '.join(sorted(own)) or 'none'}.",
        )
    chosen = list(inputs)
    if not inputs:
        read = sorted({topic for topic, _ in committed} - own - set(intermediates))
        chosen = [topic for topic in read if topic in sizes]
    places = [(topic, number) for topic in chosen for number in range(sizes[topic])]
    shifted = {}
    if scenario.shift_by is not None:
        shifted = begin_of_shift(group, places, committed)
    offsets, warnings = new_offsets(group, scenario, places, committed | shifted)
    if any(committed.get(place, at) != at for place, at in shifted.items()):
        warnings.append(_SHIFTED)
    if not (committed or own or places or intermediates or _paths(application)):
        raise IllegalArgumentException(
            f'nothing is known of application "{application.name}"',
            detail="It has no committed offsets, no internal topics, and no state here.",
            hint="Check the application.id, bootstrap.servers and state.dir.",
        )
    skipped = [(topic, number) for topic in intermediates for number in range(sizes[topic])]
    offsets |= group.ends(skipped)
    delete = own if internals is None else wanted | (own & group.own_topics)
    gone = sorted(set(internals or ()) - wanted)
    warnings += [f'internal topic "{topic}" does not exist any more' for topic in gone]
    return ResetPlan(
        application=application.name,
        before={place: offset for place, offset in committed.items() if place in offsets},
        offsets=offsets,
        shifted=shifted,
        topics=sorted(delete),
        paths=_paths(application),
        warnings=warnings,
    )


def execute_plan(application: StoppedApplication, plan: ResetPlan) -> None:
    """Change what a plan says; after an interruption it can be repeated.

    Raises:
        IllegalStateException: An instance renews its lease on the checkpoint, or it is no
            checkpoint of the application.
        StreamsException: The broker refuses or does not answer.
    """
    config, group = application.config, application.group
    files = _files(application)
    check_is_of(application.name, files, application.location)
    if not application.force:
        _check_lease(application, files)
    sinks = application.sizes.get(progress_topic(application.name), 0)
    # A transaction of a killed sink must not commit its offsets later.
    Group(config).fence(sinks)
    if application.has_state:
        cleaned.note(application.state_dir)
    group.commit(plan.offsets, plan.shifted)
    # Before the checkpoint goes: a start without one reads what it finds in them.
    group.delete_topics([topic for topic in plan.topics if topic not in group.own_topics])
    empty(files)
    files.remove(LEASES)
    if application.has_state:
        for _ in free_slots(application.state_dir):
            pass
        for path in _local_paths(application):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    group.delete_topics(plan.topics)
    if plan.shifted:
        # Another reset shifts from here.
        group.commit(plan.offsets)
    sizes = application.sizes
    _wait_until_forgotten(group, [(topic, n) for topic in plan.topics for n in range(sizes[topic])])


def _check_claim(name: str, location: str, claim: Claim | None) -> None:
    if claim is None:
        return
    host, machine = this_machine()
    if claim.machine != machine and local_path(claim.location) is not None:
        raise IllegalStateException(
            f'application "{name}" was last started on another machine',
            detail=f'Its checkpoint is in {claim.place()}; this is "{host}".',
            hint="Run this command there. --force resets it from here, without deleting what is "
            "there; it must be stopped.",
        )
    if claim.location and root_of(claim.location) != location:
        raise IllegalStateException(
            f'application "{name}" has another checkpoint than "{location}"',
            detail=f"It was last started with the one in {claim.place()}.",
            hint="Give --config with its configuration, or --set state.dir=... and "
            f"{CHECKPOINT_LOCATION} as it has them. --force resets it without that checkpoint.",
        )


def _check_lease(application: StoppedApplication, files: Files) -> None:
    """Refuse an application that runs elsewhere on the same checkpoint; its lock is not here."""
    if (owner := running_owner(files, application.config)) is not None:
        raise IllegalStateException(
            f'application "{application.name}" runs on checkpoint "{application.location}"',
            detail=f"Its lease there belongs to {owner}, and was renewed a moment ago. Its state "
            f'directory is not "{application.state_dir}", or was deleted.',
            hint="Stop it first. --force resets it nevertheless, and the instance ends with an "
            "error.",
        )


def _check_topics(application: StoppedApplication, topics: Sequence[str]) -> None:
    missing = [topic for topic in topics if topic not in application.sizes]
    if missing:
        raise IllegalArgumentException(
            f"topics to reset do not exist: {', '.join(missing)}",
            detail="Nothing has been changed.",
        )


def _internal_topics(application: StoppedApplication, others: set[str]) -> set[str]:
    own = application.group.own_topics
    return {
        topic
        for topic in application.sizes
        if topic in own or (_is_internal(application, topic) and topic not in others)
    }


def _is_internal(application: StoppedApplication, topic: str) -> bool:
    """Tell whether a topic has the name of an internal one of the application."""
    named = topic.startswith(f"{application.name}-") and _INTERNAL.fullmatch(topic) is not None
    return named or topic in application.group.own_topics


def _files(application: StoppedApplication) -> Files:
    files: Files | None = local_files(application.location)
    if files is None:
        from millstream.topology.spark.driver.session import new_session

        entries = application.config.merged()
        session = new_session(entries, f"{application.name}-reset")
        files = RemoteFiles(session, application.location)
    return files


def _paths(application: StoppedApplication) -> list[str]:
    path = local_path(application.location)
    found = [application.location if path is None else str(path)]
    if path is not None and not path.exists():
        found = []
    return found + [str(path) for path in _local_paths(application)]


def _local_paths(application: StoppedApplication) -> list[Path]:
    """Return what is deleted in the state directory; the log and the lock stay."""
    names = ("slots", "shared", "isolation", PLACEMENT, cleaned.CLEANED, OWNER)
    return [path for name in names if (path := application.state_dir / name).exists()]


def _wait_until_forgotten(group: GroupOffsets, places: Sequence[Place]) -> None:
    """Wait until the group has no offsets of the partitions of deleted topics.

    The broker forgets them a moment later, also those that a next start has committed meanwhile.
    """
    give_up = time.monotonic() + _FORGET_S
    while time.monotonic() < give_up:
        if not group.committed(places).keys() & set(places):
            return
        time.sleep(0.1)
