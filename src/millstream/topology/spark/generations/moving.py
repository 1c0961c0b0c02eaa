"""Start of an application whose program may have changed since its last batch."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace

from pyspark.sql import SparkSession

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import SAVEPOINT
from millstream.core.errors import StreamsException
from millstream.core.plan import Plan
from millstream.topology.spark.admission.emptying import empty
from millstream.topology.spark.admission.instance import ApplicationInstance
from millstream.topology.spark.checkpoint.descriptor import FILE, Checkpoint, for_spark, normal
from millstream.topology.spark.checkpoint.log import Positions
from millstream.topology.spark.checkpoint.origin import (
    FROM_SAVEPOINT,
    KAFKA_STREAMS,
    ORIGIN,
    SEED,
    Origin,
)
from millstream.topology.spark.checkpoint.store_notes import kinds_of, log_carried, merged
from millstream.topology.spark.compile import Layout
from millstream.topology.spark.evolution.comparison import compare
from millstream.topology.spark.evolution.convert import conversions
from millstream.topology.spark.evolution.facts import Facts
from millstream.topology.spark.evolution.outcome import Comparison
from millstream.topology.spark.evolution.reading import checkpoint_facts
from millstream.topology.spark.evolution.words import words_of
from millstream.topology.spark.generations.generations import Generations
from millstream.topology.spark.generations.global_topics import check_global_topics
from millstream.topology.spark.generations.image import Image, image_of_checkpoint
from millstream.topology.spark.generations.savepoints import image_of_savepoint
from millstream.topology.spark.generations.seed import Program
from millstream.topology.spark.generations.unread import check_over_broker_read, unread_topics

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Compiled:
    """A program, compiled for the topics as they are now."""

    plan: Plan
    layout: Layout
    wanted: Checkpoint
    """Description that a new checkpoint would have."""
    read: dict[str, int]
    """The topics that are read and committed, with their partition counts."""
    global_sizes: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class StateMove(ABC):
    """A move of state into a generation, decided and not yet made."""

    generations: Generations
    instance: ApplicationInstance
    compiled: Compiled
    config: StreamsConfig

    @property
    @abstractmethod
    def origin(self) -> str:
        """What the state is from, in words."""

    @abstractmethod
    def make(self, session: SparkSession) -> None:
        """Write the generation, and let the instance go on in it.

        Args:
            session: A session with the settings of queries.

        Raises:
            StreamsException: The state does not fit the program, or is damaged.
        """

    def _begin(
        self,
        session: SparkSession,
        image: Image,
        comparison: Comparison,
        origin: Origin,
        *,
        at_root: bool = False,
    ) -> None:
        wanted, after = self.compiled.wanted, self._after()
        program = Program(
            checkpoint=wanted.id,
            plan=self.compiled.plan,
            layout=self.compiled.layout,
            facts=after,
            kinds=kinds_of(wanted.stores),
            convert=conversions(comparison, image.facts, after, words_of(self.config)),
        )
        self.generations.begin(session, image, comparison, program, wanted, origin, at_root=at_root)
        self.instance.goes_on_in(self.generations.location, origin.positions)

    def _after(self) -> Facts:
        return checkpoint_facts(self.compiled.wanted, self.config.getString("application.id"))


@dataclass(frozen=True, slots=True, kw_only=True)
class FromCheckpoint(StateMove):
    """A move into the next generation of the same checkpoint."""

    found: Checkpoint
    before: Facts
    comparison: Comparison

    @property
    def origin(self) -> str:
        return "the earlier program"

    def make(self, session: SparkSession) -> None:
        progress, location = self.instance.progress(), self.generations.location
        image = image_of_checkpoint(session, location, self.found, progress, self.before)
        origin = Origin(
            source="checkpoint",
            location=location,
            checkpoint=self.found.id,
            batch=progress.done,
            positions=progress.done_to,
        )
        self._begin(session, image, self.comparison, origin)


@dataclass(frozen=True, slots=True, kw_only=True)
class FromSavepoint(StateMove):
    """A move of a savepoint's state into a new checkpoint, or its next generation."""

    location: str
    former: str
    """Id of the checkpoint that it replaces; empty for none."""

    @property
    def origin(self) -> str:
        return f"the savepoint {self.location}"

    def make(self, session: SparkSession) -> None:
        image = image_of_savepoint(session, self.generations.open(self.location), self.location)
        comparison = _compared(image.facts, self._after(), self.config, self.location)
        former, name = image.manifest.application_id, self.config.getString("application.id")
        origin = Origin(
            source=FROM_SAVEPOINT,
            location=self.location,
            checkpoint=self.former,
            positions=_renamed(image.manifest.positions, former, name, self.compiled),
        )
        if self.generations.is_rescaling(self.location):
            # It will be deleted: what the state is from is the former generation.
            current, batch = self.generations.location, image.manifest.batch
            origin = replace(origin, source="checkpoint", location=current, batch=batch)
        self._begin(session, image, comparison, origin, at_root=not self.former)


def admitted(
    instance: ApplicationInstance,
    generations: Generations,
    compiled: Compiled,
    config: StreamsConfig,
    sinks: int,
    restore: str = "",
) -> StateMove | None:
    """Admit an instance; return the move to make if the program has changed.

    Args:
        instance: The instance to admit.
        generations: The generations of its checkpoint.
        compiled: The program.
        config: The application's configuration.
        sinks: How many partitions the progress topic has.
        restore: A savepoint to go on with, whatever the checkpoint has; empty for none.

    Raises:
        StreamsException: The start is refused.
    """
    begins_with = restore or config.getString(SAVEPOINT)
    while True:
        instance.located(generations.location)
        if instance.admit(
            generations.files,
            compiled.read,
            sinks,
            generations.abandoned,
            savepoint=bool(begins_with),
        ):
            return None
        found = described(generations)
        savepoint = restore if found is not None else begins_with
        if savepoint:
            if found is not None:
                _check_whole(instance, generations, found)
            elif not restore and instance.was_reset:
                raise _reset(config, savepoint)
            return FromSavepoint(
                generations=generations,
                instance=instance,
                compiled=compiled,
                config=config,
                location=normal(for_spark(savepoint)),
                former="" if found is None else found.id,
            )
        if found is None:
            return None
        new_words = words_of(config).without(found.words)
        if instance.progress().planned >= 0:
            go_on = found.stores.keys() - new_words.drop
            check_global_topics(compiled.plan, config, generations, go_on)
        if _same_program(found, compiled.wanted) and not new_words.move:
            return None
        if instance.progress().done >= 0:
            return _move(instance, generations, compiled, config, found)
        _check_whole(instance, generations, found)
        if generations.can_go_back():
            generations.go_back(found)
        elif (origin := generations.origin) is not None:
            return _anew(instance, generations, compiled, config, found, origin)
        else:
            # There is no state yet: the new program begins where the old one would have.
            empty(generations.files)


def described(generations: Generations) -> Checkpoint | None:
    """Return the description of the current generation; None if it is new."""
    files = generations.files
    if not files.has(FILE):
        return None
    return Checkpoint.read(files, generations.location)


def noted(generations: Generations, wanted: Checkpoint) -> Checkpoint:
    """Return the description of the current generation; write it if it is new or has changed."""
    found = described(generations)
    if found is None:
        # What an interrupted adoption, or start from a savepoint, has left is of another state.
        for name in (SEED, ORIGIN):
            generations.files.remove(name)
        generations.files.write(FILE, wanted.to_json())
        return wanted
    log_carried(found.stores, wanted.stores)
    stores = merged(found.stores, wanted.stores)
    note = replace(wanted, id=found.id, stores=stores)
    if note != found:
        generations.files.write(FILE, note.to_json())
    return note


def _same_program(found: Checkpoint, wanted: Checkpoint) -> bool:
    # Stores that a former program had are noted as well.
    same_notes = all(found.stores.get(n) == note for n, note in wanted.stores.items())
    one, other = (
        replace(each, id="", stores={}, words=(), every_word=True, application="")
        for each in (found, wanted)
    )
    return same_notes and one == other


def _move(
    instance: ApplicationInstance,
    generations: Generations,
    compiled: Compiled,
    config: StreamsConfig,
    found: Checkpoint,
) -> StateMove | None:
    name = config.getString("application.id")
    before, after = checkpoint_facts(found, name), checkpoint_facts(compiled.wanted, name)
    done_to = instance.progress().done_to
    unread = unread_topics(done_to, compiled.read, config)
    comparison = _compared(before, after, config, generations.location, unread)
    same_ticks = found.ticks in (None, compiled.wanted.ticks)
    if comparison.same and same_ticks and found.over_broker == compiled.wanted.over_broker:
        return None
    check_over_broker_read(config, done_to, set(found.over_broker) - compiled.read.keys())
    _check_whole(instance, generations, found)
    return FromCheckpoint(
        generations=generations,
        instance=instance,
        compiled=compiled,
        config=config,
        found=found,
        before=before,
        comparison=comparison,
    )


def _anew(
    instance: ApplicationInstance,
    generations: Generations,
    compiled: Compiled,
    config: StreamsConfig,
    found: Checkpoint,
    origin: Origin,
) -> StateMove | None:
    """Return the move of a state that was made for a program which has ended no batch.

    Raises:
        StreamsException: Only that program can go on with it.
    """
    name = config.getString("application.id")
    before, after = checkpoint_facts(found, name), checkpoint_facts(compiled.wanted, name)
    if compare(before, after, words_of(config)).same and found.ticks == compiled.wanted.ticks:
        return None
    if origin.source != FROM_SAVEPOINT:
        again = " or adopt the application once more (delete the checkpoint, millstream adopt)"
        raise StreamsException(
            f'checkpoint "{generations.location}" has state that was taken over for another '
            "program",
            detail=f"It is from {origin.source}, and no batch has ended with it.",
            hint="Start the program that it was taken over for until its first batch has ended "
            "(millstream run APP --until-idle), then this one;"
            f"{again if origin.source == KAFKA_STREAMS else ' the former state is gone'}.",
        )
    return FromSavepoint(
        generations=generations,
        instance=instance,
        compiled=compiled,
        config=config,
        location=origin.location,
        former=found.id,
    )


def _compared(
    before: Facts,
    after: Facts,
    config: StreamsConfig,
    location: str,
    unread: Mapping[str, int] | None = None,
) -> Comparison:
    comparison = compare(before, after, words_of(config), unread=unread)
    if comparison.refused:
        raise refusal(comparison, location)
    if not comparison.same:
        for each in comparison.outcomes:
            log.info("%s %s: %s %s", each.kind, each.name, each.fate.value, each.how)
    return comparison


def _reset(config: StreamsConfig, savepoint: str) -> StreamsException:
    """Return the error for a savepoint that would win over offsets that someone has reset."""
    name = config.getString("application.id")
    return StreamsException(
        f'the committed offsets of application "{name}" were reset, and savepoint "{savepoint}" '
        "has other ones",
        detail="A tool such as millstream reset has committed them, and there is no checkpoint.",
        hint=f"To begin at the offsets with empty stores, start without {SAVEPOINT} "
        "(--from-savepoint). To begin with the savepoint: millstream state restore.",
    )


def _renamed(
    positions: Mapping[str, Mapping[int, int]], former: str, name: str, compiled: Compiled
) -> Positions:
    """Return positions with the internal topics of the application that goes on."""
    own = {topic.replace(f"{name}-", f"{former}-", 1): topic for topic in compiled.layout.feedback}
    return {own.get(topic, topic): dict(each) for topic, each in positions.items()}


def _check_whole(
    instance: ApplicationInstance, generations: Generations, found: Checkpoint
) -> None:
    """Check that the last batch has not been written in part: only its own program can end it.

    Raises:
        StreamsException: It has been.
    """
    batch = instance.half_written(found.id)
    if batch is not None:
        raise half_written(batch, generations.location)


def half_written(batch: int, location: str) -> StreamsException:
    """Return the error for a batch that another program has written in part."""
    return StreamsException(
        f'batch {batch} of checkpoint "{location}" has been written in part, and the program has '
        "changed since",
        detail="The program that began the batch stopped before the batch had ended. Another "
        "program would write the rest of it differently, or twice.",
        hint="Start the former program once more and close it when its first batch has ended "
        "(millstream run APP --until-idle), then start the new one. If it cannot start any more, "
        "as a topic is gone, cleanUp() lets the new one begin with empty stores.",
    )


def refusal(comparison: Comparison, location: str) -> StreamsException:
    """Return the error for a program whose stores do not fit those of the checkpoint."""
    stops = comparison.refused
    return StreamsException(
        f'checkpoint "{location}" cannot go on with this program',
        detail="; ".join(f'{each.kind} "{each.name}": {each.why}' for each in stops) + ".",
        hint=" ".join(dict.fromkeys(f"{each.how}." for each in stops if each.how))
        + " `millstream plan` shows what becomes of each store.",
    )
