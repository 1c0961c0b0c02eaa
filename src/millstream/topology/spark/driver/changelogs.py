"""Changelog topics at an application's start: brought in step with the checkpoint."""

from __future__ import annotations

import logging

from pyspark.sql import DataFrame, SparkSession

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import CHANGELOG_TOPICS, CHECKPOINT_ADOPT
from millstream.core.errors import StreamsException
from millstream.topology.spark.admission.group import Group
from millstream.topology.spark.admission.instance import ApplicationInstance
from millstream.topology.spark.changelogs.in_step import (
    note_in_step,
    note_out_of_step,
    topics_in_step,
    topics_made_anew,
)
from millstream.topology.spark.changelogs.kept import (
    KeptChangelogs,
    create_missing,
    kept_changelogs,
)
from millstream.topology.spark.changelogs.reading import ENTRY_SCHEMA
from millstream.topology.spark.changelogs.writing import (
    ChangelogTarget,
    observed_times,
    write_changelogs,
)
from millstream.topology.spark.checkpoint.descriptor import Checkpoint
from millstream.topology.spark.clients.settings import connector_settings, producer_settings
from millstream.topology.spark.evolution.reading import checkpoint_facts
from millstream.topology.spark.generations.generations import Generations
from millstream.topology.spark.generations.image import image_of_checkpoint
from millstream.topology.spark.generations.moving import Compiled
from millstream.topology.spark.generations.seed import seeded_entries

log = logging.getLogger(__name__)

_MADE_ANEW = (
    "%s: changelog topics were deleted and created again: %s; all of the state is written to them. "
    "If the broker has created them by itself, they are not compacted: close the application, "
    "delete them, and start again"
)


def wanted_changelogs(
    compiled: Compiled, sizes: dict[str, int], config: StreamsConfig
) -> KeptChangelogs | None:
    """Return the changelog topics to write; None if the application does not write them.

    Raises:
        MisconfiguredInternalTopicException: A topic has another number of partitions.
        StreamsException: The changelog format of a store is not known.
    """
    if not config.getBoolean(CHANGELOG_TOPICS):
        return None
    return kept_changelogs(compiled.plan, compiled.layout, compiled.wanted.stores, sizes, config)


class ChangelogStart:
    """Brings changelog topics in step with a checkpoint, before the first batch.

    Topics that may lack changes are written once from the whole state: those of an application that
    has not written them so far, or whose checkpoint has a new generation. Killed meanwhile, the
    next start writes them again.

    Args:
        config: The application's configuration.
        compiled: The program.
        instance: The instance, which has claimed the output.
        generations: Its checkpoint.
    """

    def __init__(
        self,
        config: StreamsConfig,
        compiled: Compiled,
        instance: ApplicationInstance,
        generations: Generations,
    ) -> None:
        self._config = config
        self._compiled = compiled
        self._instance = instance
        self._generations = generations

    def bring(self, kept: KeptChangelogs | None, note: Checkpoint, session: SparkSession) -> None:
        """Create the topics and write the state, where that has not been done.

        Args:
            kept: The topics; None if the application does not write them any more.
            note: Description of the checkpoint's current generation.
            session: A session with the settings of queries.

        Raises:
            StreamsException: The last batch has been written in part without changelogs, or the
                broker refuses a record or does not answer.
        """
        files = self._generations.root_files
        if kept is None:
            note_out_of_step(files)
            return
        wanted, group = kept.topics(), Group(self._config)
        ids = group.topic_ids(wanted - kept.missing)
        there = topics_in_step(files, note.id, ids)
        if wanted <= there and not self._config.getBoolean(CHECKPOINT_ADOPT):
            note_in_step(files, note.id, ids)
            return
        if anew := topics_made_anew(files, note.id, ids):
            log.warning(_MADE_ANEW, self._config.getString("application.id"), _quoted(anew))
        note_out_of_step(files)
        create_missing(kept, self._compiled.plan, self._compiled.wanted.stores, self._config)
        entries = self._entries(note, session)
        if entries is not None or len(kept.missing) < len(kept.feeds):
            self._write(kept, session, entries)
        note_in_step(files, note.id, group.topic_ids(wanted))

    def _entries(self, note: Checkpoint, session: SparkSession) -> DataFrame | None:
        """Return the entries of all stores; None if no state is there yet."""
        generations, progress = self._generations, self._instance.progress()
        batch = self._instance.half_written(note.id)
        # Who takes an application over writes again what comes after the checkpoint.
        if batch is not None and not self._config.getBoolean(CHECKPOINT_ADOPT):
            raise _half_written(batch, generations.location)
        if seed := generations.seed:
            return seeded_entries(session, seed, self._compiled.layout.keys)
        if progress.done < 0:
            return None
        facts = checkpoint_facts(note, self._config.getString("application.id"))
        location = generations.location
        return image_of_checkpoint(session, location, note, progress, facts).entries

    def _write(
        self, kept: KeptChangelogs, session: SparkSession, entries: DataFrame | None
    ) -> None:
        name = self._config.getString("application.id")
        found = session.createDataFrame([], ENTRY_SCHEMA) if entries is None else entries
        target = ChangelogTarget(
            feeds=kept.feeds,
            formats=kept.formats,
            observed=observed_times(found, kept.formats),
            application_id=name,
            producer=producer_settings(self._config),
            connector=connector_settings(self._config),
        )
        records = sum(write_changelogs(session, found, target).values())
        log.info(
            "changelog topics written from the state application=%s topics=%d records=%d",
            name,
            len(kept.feeds),
            records,
        )


def _quoted(topics: list[str]) -> str:
    return ", ".join(f'"{topic}"' for topic in topics)


def _half_written(batch: int, location: str) -> StreamsException:
    return StreamsException(
        f'batch {batch} of checkpoint "{location}" has been written in part, and without '
        "changelog topics",
        detail="Its changes of stores would be missing in them.",
        hint=f"Start the application once more with {CHANGELOG_TOPICS}=false and close it when "
        "its first batch has ended (millstream run APP --until-idle), then set it.",
    )
