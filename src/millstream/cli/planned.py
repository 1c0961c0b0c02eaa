"""Comparison of a target with its checkpoint, for output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from millstream.cli.clients import known_topics
from millstream.cli.planned_broker import LastBatch, last_batch
from millstream.cli.settings import entries, streams_config
from millstream.cli.target import load_target
from millstream.core.config import StreamsConfig
from millstream.core.errors import (
    BrokerNotFoundException,
    ConfigException,
    MillstreamError,
    MissingSourceTopicException,
)
from millstream.core.plan import Plan
from millstream.topology.spark.admission.emptying import EMPTYING
from millstream.topology.spark.checkpoint.descriptor import Checkpoint, local_files
from millstream.topology.spark.checkpoint.files import Files
from millstream.topology.spark.checkpoint.log import CheckpointLog
from millstream.topology.spark.checkpoint.store_notes import notes_of
from millstream.topology.spark.compile import compile_plan
from millstream.topology.spark.driver.patterns import without_patterns
from millstream.topology.spark.driver.probe import needs_wall_clock
from millstream.topology.spark.driver.savepoints import checkpoint_root, files_at
from millstream.topology.spark.driver.session import new_session
from millstream.topology.spark.evolution.comparison import compare
from millstream.topology.spark.evolution.convert import conversions
from millstream.topology.spark.evolution.facts import Facts
from millstream.topology.spark.evolution.outcome import Comparison, Fate, StateOutcome
from millstream.topology.spark.evolution.reading import checkpoint_facts, facts_of
from millstream.topology.spark.evolution.words import words_of
from millstream.topology.spark.generations.generations import Generations
from millstream.topology.spark.generations.moving import described, half_written
from millstream.topology.spark.logs import LogOptions
from millstream.topology.spark.partition_counts import partition_counts

_BROKER_S = 5.0
_STOPS = (Fate.NEEDS_WORD, Fate.REFUSED)
_OF_SOURCES = {Fate.NEW: "new", Fate.DROPPED: "not read any more"}
_OF_PARTS = {Fate.NEW: "new", Fate.DROPPED: "no longer there"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedChange:
    """What the start of a program would do with its checkpoint."""

    application: str
    location: str
    comparison: Comparison | None
    """None if there is no checkpoint."""
    remarks: list[str] = field(default_factory=list)
    problem: str = ""
    """Why it would not start, whatever becomes of each store; empty if nothing keeps it."""
    in_place: bool = False
    """Whether the state stays where it is."""

    @property
    def goes_on(self) -> bool:
        """Whether the application would start."""
        return self.comparison is None or not (self.comparison.refused or self.problem)

    def place(self) -> str:
        """Return what the program is compared with."""
        if self.comparison is None:
            return f"there is no checkpoint in {self.location}; the application begins anew"
        return f"compared with the checkpoint in {self.location}"

    def lines(self) -> list[tuple[str, str, str]]:
        """Return kind, name and text of each store, source and sub-topology."""
        outcomes = () if self.comparison is None else self.comparison.outcomes
        return [(each.kind, each.name, _text(each)) for each in outcomes]

    def summary(self) -> str:
        """Return the sum of all, and what follows from it."""
        if self.comparison is None:
            return "The application starts with empty stores."
        counts = Counter(_word(each) for each in self.comparison.outcomes)
        listed = ", ".join(f"{count} {word}" for word, count in counts.items())
        if not self.goes_on:
            end = f"{self.problem} The application does not start like this.".lstrip()
        elif self.in_place:
            end = "The application goes on in place."
        else:
            end = "The application goes on; its state is carried over at the start."
        return f"{listed}. {end}" if listed else end

    def facts(self) -> dict[str, Any]:
        """Return the facts for output."""
        found = self.comparison
        return {
            "application": self.application,
            "checkpoint": self.location,
            "found": found is not None,
            "goesOn": self.goes_on,
            "inPlace": self.in_place,
            "remarks": self.remarks,
            "problem": self.problem,
            "outcomes": [
                {
                    "kind": each.kind,
                    "name": each.name,
                    "former": each.former,
                    "fate": each.fate.name.lower().replace("_", "-"),
                    "how": each.how,
                    "why": each.why,
                }
                for each in (found.outcomes if found else ())
            ],
        }


def planned(
    target: str,
    files: Iterable[Path] | None,
    sets: Iterable[str] | None,
    *,
    offline: bool = False,
) -> PlannedChange:
    """Compare a target with its checkpoint.

    Args:
        target: A file or module.
        files: Configuration files.
        sets: Configuration entries.
        offline: Ask no broker.

    Raises:
        ConfigException: The application has no ``application.id``, or a word for stores is wrong.
        StreamsException: The checkpoint cannot be read.
    """
    loaded = load_target(target, entries(files, sets))
    name = str(loaded.config.get("application.id") or "")
    if not name:
        raise ConfigException(
            f'"{target}" has no application.id',
            hint="Add --set application.id=..., or --config app.toml with it.",
        )
    config = streams_config(loaded.config, name)
    location, remarks = checkpoint_root(config), list[str]()
    with _opening(location, config) as opened:
        whole = opened(location)
        # A start ends a reset that was interrupted, whatever is left.
        if whole.has(EMPTYING):
            return PlannedChange(application=name, location=location, comparison=None)
        generations = Generations(location, whole, opened)
        found = described(generations)
        location = generations.location
        progress = CheckpointLog(generations.files, location).progress()
    if found is None:
        return PlannedChange(application=name, location=location, comparison=None)
    sizes = None if offline else _sizes(config, remarks)
    description, plan = str(loaded.topology.describe()), loaded.topology.plan()
    after = _facts(description, plan, config, found, sizes, remarks)
    before = checkpoint_facts(found, name)
    if not after.tasks and before.nodes == after.nodes:
        after = replace(after, tasks=before.tasks)
    last = LastBatch()
    if sizes is not None:
        last = last_batch(config, found, progress, _read(plan, after, sizes), sizes, remarks)
    words = words_of(config)
    comparison = compare(before, after, words, unread=last.unread)
    if not comparison.refused:
        # A function that cannot be imported is refused here as at a start.
        conversions(comparison, before, after, words)
    ticks = found.ticks in (None, needs_wall_clock(plan, config))
    in_place = comparison.same and ticks
    problem = ""
    if last.half_written is not None and not in_place:
        problem = _sentences(half_written(last.half_written, location))
    return PlannedChange(
        application=name,
        location=location,
        comparison=comparison,
        remarks=remarks,
        problem=problem,
        in_place=in_place,
    )


def _read(plan: Plan, after: Facts, sizes: Mapping[str, int]) -> set[str]:
    """Return the topics that a program reads, by their names on the broker."""
    matched = {topic for topics in after.topics.values() for topic in topics}
    named = {topic for part in plan.subtopologies for topic in part.source_topics}
    own = {plan.internal_name(topic, after.application_id) for topic in named}
    return (own | matched) & sizes.keys()


def _facts(
    description: str,
    plan: Plan,
    config: StreamsConfig,
    found: Checkpoint,
    sizes: Mapping[str, int] | None,
    remarks: list[str],
) -> Facts:
    """Return the facts about the new program, as far as the topics on the broker are known."""
    patterns = [n.name for part in plan.subtopologies for n in part.sources if n.pattern]
    topics = {name: found.topics.get(name, []) for name in patterns}
    tasks: dict[int, int] = {}
    counts: dict[str, int] = {}
    if sizes is None:
        remarks.append("numbers of partitions are not compared: no broker has been asked")
    else:
        try:
            plan, topics = without_patterns(plan, sizes)
            read = {t for part in plan.subtopologies for t in part.source_topics}
            read -= plan.repartition_topics.keys()
            missing = sorted(read - sizes.keys())
            if missing:
                raise MissingSourceTopicException(
                    f"source topics do not exist: {', '.join(missing)}"
                )
            counts = partition_counts(plan, {topic: sizes[topic] for topic in read})
            layout = compile_plan(plan, config.getString("application.id"), counts)
            tasks = {stage.subtopology: stage.tasks for stage in layout.stages}
        except MissingSourceTopicException as error:
            remarks.append(f"numbers of partitions are not compared: {error.problem}")
    return facts_of(
        description,
        application_id=config.getString("application.id"),
        tasks=tasks,
        notes=notes_of(plan, config),
        topics=topics,
        store_format=config.getString("dsl.store.format"),
        partitions=counts,
    )


def _sizes(config: StreamsConfig, remarks: list[str]) -> dict[str, int] | None:
    try:
        return known_topics(config, _BROKER_S)
    except BrokerNotFoundException as error:
        remarks.append(error.problem.rstrip("."))
        return None


@contextmanager
def _opening(location: str, config: StreamsConfig) -> Iterator[Callable[[str], Files]]:
    """Give what opens the files of a checkpoint; of one elsewhere with a Spark session."""
    if (local := local_files(location)) is not None:
        yield lambda at: local_files(at) or local
        return
    name = config.getString("application.id")
    log = LogOptions.of(config, Path(config.getString("state.dir")) / name)
    session = new_session(config.merged(), name, log)
    try:
        yield lambda at: files_at(at, session)
    finally:
        session.stop()


def _sentences(error: MillstreamError) -> str:
    return f"{error.problem}. {error.hint}"


def _text(outcome: StateOutcome) -> str:
    word = _word(outcome)
    if outcome.fate in _STOPS:
        return f"{word}: {outcome.why} ({outcome.how})"
    return f"{word}: {outcome.how}" if outcome.how else word


def _word(outcome: StateOutcome) -> str:
    special = {"source": _OF_SOURCES, "sub-topology": _OF_PARTS}.get(outcome.kind, {})
    return special.get(outcome.fate, outcome.fate.value)
