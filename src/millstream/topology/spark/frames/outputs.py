"""A topology as a DataFrame: its inputs, its stages, and one of its outputs."""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema

from millstream.core.config import StreamsConfig
from millstream.core.errors import ClassCastException
from millstream.core.plan import Plan
from millstream.core.serdes.checks import serializer_of
from millstream.core.wording import a_kind
from millstream.plugins.names import with_plugins
from millstream.topology.graph.frames import FrameInput, Frames
from millstream.topology.spark.checkpoint.store_notes import kinds_of, notes_of
from millstream.topology.spark.clients.settings import client_settings, connector_settings
from millstream.topology.spark.compile import Layout, Stage, compile_plan
from millstream.topology.spark.driver.brokers import Brokers
from millstream.topology.spark.driver.line import (
    BatchLimit,
    LineOptions,
    shares_of_a_batch,
    sources_of,
    stages_of,
)
from millstream.topology.spark.driver.offsets import from_the_beginning, starting_offsets
from millstream.topology.spark.driver.pickled import pickled
from millstream.topology.spark.driver.probe import needs_wall_clock
from millstream.topology.spark.driver.session import query_session
from millstream.topology.spark.frames.checks import check_runnable, session_of
from millstream.topology.spark.frames.inputs import json_serde, records_of
from millstream.topology.spark.frames.packing import Packing
from millstream.topology.spark.frames.partitions import frame_sizes
from millstream.topology.spark.frames.rows_out import OutputColumns, Unpacking
from millstream.topology.spark.frames.sessions import in_session
from millstream.topology.spark.frames.snapshots import snapshot_of
from millstream.topology.spark.frames.stage import FrameStage
from millstream.topology.spark.job import Job
from millstream.topology.spark.private import private_state
from millstream.topology.spark.row_columns import with_clock
from millstream.topology.spark.shipped import shipped
from millstream.topology.spark.wire import RECORDS, SINK
from millstream.topology.spark.worker.pack import PACKED_SCHEMA
from millstream.topology.spark.worker_pools import workers_for

NO_BROKER = "nowhere:0"
_MOST = (1 << 63) - 1


def output_frame(
    frames: Frames,
    columns: OutputColumns,
    config: StreamsConfig | Mapping[str, Any],
    directory: str | os.PathLike[str] = "",
) -> DataFrame:
    """Return one output of a topology as a DataFrame.

    Args:
        frames: The topology's DataFrames, and what builds it.
        columns: The output.
        config: The configuration.
        directory: Where copies of DataFrames that are not streaming are kept; empty: below
            ``state.dir``.

    Raises:
        UnsupportedOperationException: The topology cannot run in a query of the user's.
        StreamsException: A part of it cannot be sent to workers.
    """
    assert frames.build is not None
    checked = _config(config, columns.topic)
    topology = frames.build(config or None)
    line = _Line(frames, columns, checked, topology, os.fspath(directory))
    return line.output()


class _Line:
    """The way from the inputs to one output."""

    def __init__(
        self,
        frames: Frames,
        columns: OutputColumns,
        config: StreamsConfig,
        topology: Any,
        directory: str,
    ) -> None:
        self._config = config
        self._columns = _with_defaults(columns, config)
        self._frames = frames
        self._plan: Plan = topology.plan()
        own = {t for part in self._plan.subtopologies for t in part.source_topics}
        own |= {t for each in self._plan.globals for t in each.source.topics}
        self._inputs = {name: each for name, each in frames.inputs.items() if name in own}
        self._topics = check_runnable(self._plan, self._inputs, frames.outputs, config)
        self._given = session_of(self._inputs)
        self._streaming = bool(self._topics) or any(
            each.frame.isStreaming for each in self._inputs.values()
        )
        self._brokers = Brokers(config) if self._topics else None
        self._layout = self._compiled()
        entries = config.merged()
        tasks = len(self._layout.keys)
        self._session = query_session(self._given, entries, tasks, alike=True)
        # This makes the coordinator of state stores, which a batch without a query lacks.
        _ = self._session.streams
        self._job = self._made_job(str(topology.describe()))
        self._directory = directory or f"file://{self._state_dir() / 'frames'}"

    def output(self) -> DataFrame:
        """Return the records of the output."""
        stage = partial(FrameStage, program=self._program)
        line = stages_of(self._session, self._job, self._arriving(), stage)
        mine = (F.col("stage") == SINK) & (F.col("kind") == RECORDS)
        chunks = line.where(mine & (F.col("topic") == self._columns.topic)).select("blob")
        schema = self._session.createDataFrame([], self._columns.ddl).schema
        unpacking = Unpacking(columns=self._columns, schema=to_arrow_schema(schema, timezone="UTC"))
        with workers_for(self._session, "frames"):
            return chunks.mapInArrow(unpacking.mapper(), schema)

    def _compiled(self) -> Layout:
        name = self._config.getString("application.id")
        sizes: dict[str, int] = {}
        if self._brokers is not None:
            found = self._brokers.topic_sizes(self._plan)
            sizes = {topic: found[topic] for topic in self._topics if topic in found}
        streams = {n: each for n, each in self._inputs.items() if not each.is_global}
        sizes |= frame_sizes(self._plan, streams, sizes)
        if self._brokers is not None:
            self._brokers.source_sizes(self._plan, sizes)
        return compile_plan(self._plan, name, sizes, frames=streams)

    def _made_job(self, description: str) -> Job:
        notes = notes_of(self._plan, self._config)
        facts = [
            description,
            self._layout.tasks(),
            {name: asdict(note) for name, note in notes.items()},
        ]
        digest = hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).digest()
        self._program = int.from_bytes(digest[:8], "big") & _MOST
        private_state(self._state_dir())
        return Job(
            application_id=self._config.getString("application.id"),
            checkpoint_id=uuid.uuid4().hex,
            run_id=uuid.uuid4().hex,
            topology=shipped(pickled(self._plan, self._config), self._session.sparkContext),
            layout=self._layout,
            sink_partitions=dict.fromkeys(self._frames.outputs, 1),
            exactly_once=False,
            state_dir=str(self._state_dir().parent),
            kinds=kinds_of(notes),
            client=client_settings(self._config) if self._topics else {},
        )

    def _state_dir(self) -> Path:
        root = Path(self._config.getString("state.dir")).expanduser().absolute()
        return root / self._config.getString("application.id")

    def _arriving(self) -> Any:
        options = self._options()
        shares = shares_of_a_batch(self._layout.stages, options.backlog, options.batches)
        from_topics = sources_of(self._session, self._job, options, shares)

        def arriving(stage: Stage) -> list[DataFrame]:
            found = [
                self._packed(each, stage)
                for name, each in self._inputs.items()
                if (stage.index == 0 if each.is_global else name in stage.internal)
            ]
            return found + from_topics(stage)

        return arriving

    def _options(self) -> LineOptions:
        offsets: dict[str, dict[int, int]] = {}
        connector: dict[str, str] = {}
        global_topics: dict[str, int] = {}
        if self._brokers is not None:
            sizes = self._brokers.topic_sizes(self._plan)
            read = {t: sizes[t] for stage in self._layout.stages for t in stage.topics}
            offsets = starting_offsets(self._plan, self._config, self._brokers, read)
            connector = connector_settings(self._config)
            known = dict.fromkeys(self._inputs, 1) | sizes
            found = self._brokers.global_sizes(self._plan, known)
            global_topics = {t: n for t, n in found.items() if t in self._topics}
        return LineOptions(
            checkpoint="",
            connector=connector,
            starting_offsets=offsets,
            batches=BatchLimit.of(self._config),
            trigger_ms=0,
            ticks=self._streaming and needs_wall_clock(self._plan, self._config),
            global_connector=connector_settings(self._config, "global.consumer.")
            if global_topics
            else {},
            global_offsets=from_the_beginning(global_topics),
        )

    def _packed(self, given: FrameInput, stage: Stage) -> DataFrame:
        rows = records_of(given, in_session(given.frame, self._session))
        if self._streaming and not given.frame.isStreaming:
            timed = given.timestamp is not None
            rows = snapshot_of(rows, self._directory, given.topic, self._session, timed=timed)
        count = 0 if given.is_global else self._layout.routes[given.topic][1]
        where = f'the DataFrame for topic "{given.topic}"'
        packing = Packing(
            topic=given.topic,
            layout=self._layout,
            stage=stage.index,
            count=count,
            key_serializer=serializer_of(given.key_serde, f"the key serde of {where}"),
            value_serializer=serializer_of(given.value_serde, f"the value serde of {where}"),
            configs=self._config.originals(),
        )
        with workers_for(self._session, "pack"):
            packed = rows.mapInArrow(packing.mapper(), PACKED_SCHEMA)
        return with_clock(packed)


def _config(given: StreamsConfig | Mapping[str, Any], name: str) -> StreamsConfig:
    if isinstance(given, StreamsConfig):
        return with_plugins(given)
    if not isinstance(given, Mapping):
        raise ClassCastException(
            f"config cannot be {a_kind(given)}", hint="Give a dict of entries, or a StreamsConfig."
        )
    entries = {
        "application.id": name,
        "bootstrap.servers": NO_BROKER,
        "default.key.serde": json_serde(is_key=True),
        "default.value.serde": json_serde(is_key=False),
        **given,
    }
    return with_plugins(StreamsConfig(entries))


def _with_defaults(columns: OutputColumns, config: StreamsConfig) -> OutputColumns:
    return OutputColumns(
        topic=columns.topic,
        key_serde=columns.key_serde or config.default_key_serde(),
        value_serde=columns.value_serde or config.default_value_serde(),
        key_type=columns.key_type,
        value_type=columns.value_type,
    )
