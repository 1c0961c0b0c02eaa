"""Image of an application's state: a manifest, and the entries of its stores as a DataFrame."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import reduce
from importlib.metadata import version

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from millstream.topology.savepoints.manifest import SavepointManifest, StoreManifest
from millstream.topology.spark.checkpoint.descriptor import Checkpoint, segments_of
from millstream.topology.spark.checkpoint.log import Progress
from millstream.topology.spark.evolution.facts import Facts
from millstream.topology.spark.generations.entries import ENTRY_SCHEMA, entry_mapper
from millstream.topology.spark.generations.moved import ReadableCheckpoint
from millstream.topology.spark.logged_store import SPILLED
from millstream.topology.spark.state.manifest import Manifest
from millstream.topology.spark.state_location import state_location
from millstream.topology.spark.worker.global_tables import unpack
from millstream.topology.spark.worker_pools import workers_for


@dataclass(frozen=True, slots=True)
class Image:
    """State of a stopped application.

    ``entries`` has the columns of ``ENTRY_SCHEMA``; the rows of a store and partition are together.
    """

    manifest: SavepointManifest
    entries: DataFrame
    facts: Facts
    """Facts of the program that the state is from."""
    read_from: ReadableCheckpoint | None = None
    """What ``entries`` are read from, if it is a checkpoint."""


@dataclass(frozen=True, slots=True)
class Selection:
    """A part of a state, where not all of it is read."""

    stores: Collection[str] | None = None
    """Names of stores; None for all."""
    partition: int | None = None
    """The only partition of stores that are not global; None for all."""

    def of(self, stores: Iterable[str]) -> list[str]:
        """Return those of some stores that are selected."""
        return [each for each in stores if self.stores is None or each in self.stores]


EVERYTHING = Selection()


def image_of_checkpoint(
    session: SparkSession,
    location: str,
    note: Checkpoint,
    progress: Progress,
    facts: Facts,
    selection: Selection = EVERYTHING,
) -> Image:
    """Return the image of a checkpoint after its last committed batch.

    Args:
        session: A session with the settings of queries.
        location: Location of the generation.
        note: Its description.
        progress: Its progress; at least one batch has been committed.
        facts: Facts of the program that wrote it.
        selection: What to read; the snapshots of tasks without any of it are left out, too.
    """
    # This makes the coordinator of state stores, which Spark's reader expects to be there: in a
    # process without a query there is none yet.
    _ = session.streams
    readable = ReadableCheckpoint(session, location, progress.done)
    stages = [int(number) for number in note.tasks]
    frames, parts = [], set[str]()
    snapshots, of_globals = dict[str, bytes](), dict[str, bytes]()
    of_stores = _stores_by_subtopology(facts)
    # Every task that reads a global store has all of it.
    named = of_stores.get(None, [])
    global_stores = selection.of(named)
    for index, subtopology in enumerate(stages):
        own = selection.of(of_stores.get(subtopology, []))
        if selection.stores is not None and not own and not global_stores:
            continue
        state = _State(
            session, readable.location, len(stages) - 1 - index, progress.done, subtopology
        )
        manifests = state.manifests()
        frames.append(state.entries(manifests, own, selection.partition))
        if global_stores and 0 in manifests and global_stores[0] in manifests[0].stores:
            frames.append(state.entries(manifests, global_stores, 0))
            global_stores = []
        for partition, manifest in manifests.items():
            parts |= {name for name in manifest.stores if name.endswith(SPILLED)}
            if not manifest.snapshot:
                continue
            name = f"{subtopology}_{partition}"
            if (packed := _unpacked(manifest.snapshot)) is None:
                snapshots[name] = manifest.snapshot
            else:
                snapshots[name] = packed[0]
                of_globals = of_globals or dict(zip(named, packed[1:], strict=False))
    described = SavepointManifest(
        application_id=facts.application_id,
        topology=note.topology,
        tasks={int(number): count for number, count in note.tasks.items()},
        stores={name: _described(facts, name) for name in [*facts.stores, *sorted(parts)]},
        positions=progress.done_to,
        partitions=note.partitions,
        snapshots=snapshots,
        global_snapshots=of_globals,
        topics=note.topics,
        store_format=note.store_format,
        words=note.words if note.every_word else None,
        created_ms=int(time.time() * 1000),
        checkpoint=note.id,
        batch=progress.done,
        library=version("millstream"),
    )
    nothing = session.createDataFrame([], ENTRY_SCHEMA)
    return Image(described, reduce(DataFrame.unionAll, frames or [nothing]), facts, readable)


class _State:
    """State of one stage, as Spark's reader gives it."""

    def __init__(
        self, session: SparkSession, location: str, operator: int, batch: int, subtopology: int
    ) -> None:
        self._session = session
        self._location = location
        self._operator = operator
        self._batch = batch
        self._subtopology = subtopology

    def manifests(self) -> dict[int, Manifest]:
        rows = self._read("manifest").select("partition_id", "value.blob").collect()
        return {row.partition_id: Manifest.decode(row.blob) for row in rows}

    def entries(
        self, manifests: Mapping[int, Manifest], stores: Iterable[str], partition: int | None
    ) -> DataFrame:
        rows = self._read("segments").select(
            "partition_id", "user_map_key.seq", "user_map_value.blob"
        )
        if partition is not None:
            rows = rows.where(F.col("partition_id") == partition)
        # Newest first, so that a task's keys are held in memory and not its values.
        rows = rows.repartition("partition_id").sortWithinPartitions(
            "partition_id", F.col("seq").desc()
        )
        with workers_for(self._session, "image"):
            mapper = entry_mapper(dict(manifests), segments_of(self._location), self._subtopology)
            found = rows.mapInArrow(mapper, ENTRY_SCHEMA)
        wanted = [name for store in stores for name in (store, store + SPILLED)]
        return found.where(F.col("store").isin(wanted))

    def _read(self, variable: str) -> DataFrame:
        return (
            self._session.read.format("statestore")
            .option("operatorId", self._operator)
            .option("stateVarName", variable)
            .option("batchId", self._batch)
            .load(state_location(self._location))
        )


def _stores_by_subtopology(facts: Facts) -> dict[int | None, list[str]]:
    found: dict[int | None, list[str]] = {}
    for name, store in facts.stores.items():
        found.setdefault(store.subtopology, []).append(name)
    return found


def _described(facts: Facts, name: str) -> StoreManifest:
    store = facts.stores[name.removesuffix(SPILLED)]
    note = {} if store.note is None else asdict(store.note)
    return StoreManifest(note=note, subtopology=store.subtopology)


def _unpacked(snapshot: bytes) -> list[bytes] | None:
    """Return the snapshots of a task with global stores; None for one without."""
    # Both begin with a version byte of 1; a plain snapshot goes on with JSON.
    return None if snapshot[1:2] == b"{" else unpack(snapshot)
