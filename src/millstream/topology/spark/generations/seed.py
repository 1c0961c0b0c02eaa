"""Seed of a generation: the segments and manifests that its tasks begin with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from millstream.core.plan import Plan
from millstream.topology.spark.checkpoint.descriptor import AS_NAMED
from millstream.topology.spark.compile import Layout, Stage
from millstream.topology.spark.evolution.convert import Convert
from millstream.topology.spark.evolution.facts import Facts
from millstream.topology.spark.evolution.outcome import Comparison
from millstream.topology.spark.generations.carried import carried
from millstream.topology.spark.generations.entries import ENTRY_SCHEMA, as_batch
from millstream.topology.spark.generations.image import Image
from millstream.topology.spark.logged_store import SPILLED
from millstream.topology.spark.state.changelog import LOGGED
from millstream.topology.spark.state.manifest import Manifest
from millstream.topology.spark.state.seeded import (
    FIRST_MANIFEST,
    SEGMENT,
    seed_id,
    seed_segments,
)
from millstream.topology.spark.state.segments import CHANGES, Section, decode_segment
from millstream.topology.spark.wire import SEED_SCHEMA
from millstream.topology.spark.worker.global_tables import pack
from millstream.topology.spark.worker_pools import workers_for

_ARROW = pa.schema(
    [("stage", pa.int32()), ("key", pa.int32()), ("seq", pa.int64()), ("blob", pa.binary())]
)

ON_DISK = "rocksdb"
"""Byte store of parts until they are opened, then in the kind that their store asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """The program that goes on with an image."""

    checkpoint: str
    """Id of the checkpoint that begins."""
    plan: Plan
    layout: Layout
    facts: Facts
    kinds: Mapping[str, str]
    """Store -> plugin of its byte store, where it is known."""
    convert: Mapping[str, Convert]
    """Store -> conversion of its rows, for stores whose rows have another form now."""


@dataclass(frozen=True, slots=True)
class _Place:
    """The stage and the name of a store in the new program."""

    store: str
    stage: int
    convert: Convert | None


def write_seed(
    session: SparkSession, image: Image, comparison: Comparison, program: Program, location: str
) -> None:
    """Write the seed of a generation.

    Args:
        session: A session with the settings of queries.
        image: The state to go on with.
        comparison: Where each part of it belongs.
        program: The program that goes on.
        location: Directory of the seed.
    """
    places = _places(comparison, program)
    entries = image.entries.where(F.col("store").isin(list(places)))
    with workers_for(session, "image"):
        segments = entries.mapInArrow(
            _segment_mapper(program.checkpoint, places, program.layout.keys), SEED_SCHEMA
        )
    manifests = session.createDataFrame(_manifests(image, comparison, program), SEED_SCHEMA)
    seed = segments.unionAll(manifests)
    seed.write.mode("overwrite").partitionBy("stage").parquet(location)


def seeded_entries(session: SparkSession, location: str, keys: tuple[int, ...]) -> DataFrame:
    """Return the entries of a seed, with the columns of ``ENTRY_SCHEMA``.

    Args:
        session: A session with the settings of queries.
        location: Directory of the seed.
        keys: Group key of each partition.
    """
    rows = (
        session.read.options(**AS_NAMED)
        .parquet(location)
        .where(F.col("seq") == SEGMENT)
        .select("key", "blob")
    )
    with workers_for(session, "image"):
        return rows.mapInArrow(_entry_mapper({key: n for n, key in enumerate(keys)}), ENTRY_SCHEMA)


def _entry_mapper(partitions: Mapping[int, int]) -> Any:
    def entries(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for key, blob in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                for each in decode_segment(blob, "a seed").sections:
                    # A seed deletes nothing.
                    values = [value for value in each.values if value is not None]
                    yield as_batch([(partitions[key], (each.store, list(each.keys), values))])

    return entries


def _places(comparison: Comparison, program: Program) -> dict[str, _Place]:
    """Return where the entries of each old store belong; parts of a store go with it."""
    stages = {stage.subtopology: stage.index for stage in program.layout.stages}
    found = {}
    for new, old in comparison.stores.items():
        subtopology = program.facts.stores[new].subtopology
        if subtopology is None:
            continue
        for part in ("", SPILLED):
            convert = program.convert.get(new) if part == "" else None
            place = _Place(new + part, stages[subtopology], convert)
            found[old + part] = place
    return found


def _segment_mapper(checkpoint: str, places: Mapping[str, _Place], keys: tuple[int, ...]) -> Any:
    def segments(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows: list[tuple[int, int, int, bytes]] = []
            for store, partition, found in _groups(batch):
                place = places[store]
                section = _section(place, *found)
                stage, key = place.stage, keys[partition]
                blobs = seed_segments(checkpoint, [section])
                rows += [(stage, key, SEGMENT, blob) for blob in blobs]
            columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
            arrays = [pa.array(c, f.type) for c, f in zip(columns, _ARROW, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=_ARROW)

    return segments


def _groups(batch: pa.RecordBatch) -> Iterator[tuple[str, int, tuple[list[Any], list[Any]]]]:
    """Yield store, partition, and keys and values of the rows that belong together."""
    stores, partitions, keys, values = (column.to_pylist() for column in batch.columns)
    found: dict[tuple[str, int], tuple[list[Any], list[Any]]] = {}
    for store, partition, key, value in zip(stores, partitions, keys, values, strict=True):
        group = found.get((store, partition))
        if group is None:
            group = found[store, partition] = ([], [])
        group[0].append(key)
        group[1].append(value)
    for (store, partition), group in found.items():
        yield store, partition, group


def _section(place: _Place, keys: list[bytes], values: list[bytes]) -> Section:
    if place.convert is not None:
        keys, values = place.convert(keys, values)
    return Section(store=place.store, kind=CHANGES, keys=keys, values=values)


def _manifests(
    image: Image, comparison: Comparison, program: Program
) -> list[tuple[int, int, int, bytearray]]:
    rows = []
    for stage in program.layout.stages:
        stores = _kinds(image, comparison, program, stage)
        nodes = {
            new: old
            for new, old in comparison.nodes.items()
            if program.facts.nodes[new].subtopology == stage.subtopology
        }
        former = _former(image, comparison, program, stage, nodes)
        for partition in range(stage.tasks):
            manifest = Manifest(
                step=seed_id(program.checkpoint),
                stores=stores,
                snapshot=_snapshot(image, comparison, program, stage, partition, former, nodes),
            )
            key = program.layout.keys[partition]
            rows.append((stage.index, key, FIRST_MANIFEST, bytearray(manifest.encode())))
    return rows


def _kinds(image: Image, comparison: Comparison, program: Program, stage: Stage) -> dict[str, str]:
    """Return the byte store's plugin of each store that a stage goes on with."""
    found = {}
    for new, old in comparison.stores.items():
        if program.facts.stores[new].subtopology == stage.subtopology:
            found[new] = program.kinds.get(new, LOGGED)
            if old + SPILLED in image.manifest.stores:
                found[new + SPILLED] = ON_DISK
    return found


def _former(
    image: Image,
    comparison: Comparison,
    program: Program,
    stage: Stage,
    nodes: Mapping[str, str],
) -> set[int]:
    """Return the old sub-topologies whose times a stage goes on with."""
    stores = image.manifest.stores
    found = {
        stores[old].subtopology
        for new, old in comparison.stores.items()
        if old in stores and program.facts.stores[new].subtopology == stage.subtopology
    }
    old_nodes = set(nodes.values())
    found |= {node.subtopology for node in image.facts.nodes.values() if node.name in old_nodes}
    return {number for number in found if number is not None}


def _renamed_topics(image: Image, comparison: Comparison, program: Program) -> dict[str, str]:
    """Return old -> new internal topic, by the names in the programs and on the broker."""
    before, now = image.facts.application_id, program.facts.application_id
    pairs = [(old, new) for new, old in comparison.topics.items()]
    return dict(pairs) | {f"{before}-{old}": f"{now}-{new}" for old, new in pairs}


def _snapshot(
    image: Image,
    comparison: Comparison,
    program: Program,
    stage: Stage,
    partition: int,
    former: set[int],
    nodes: Mapping[str, str],
) -> bytes:
    names = [f"{number}_{partition}" for number in sorted(former)]
    saved = [image.manifest.snapshots[name] for name in names if name in image.manifest.snapshots]
    if not saved:
        return b""
    part = program.plan.subtopology(stage.subtopology)
    topics = {*stage.topics, *stage.internal, *part.source_topics}
    snapshot = carried(saved, nodes, topics, _renamed_topics(image, comparison, program))
    return pack([snapshot]) if stage.has_globals else snapshot
