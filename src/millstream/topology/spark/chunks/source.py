"""The DataFrame of a Kafka source whose rows are chunks of records."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from millstream.topology.spark.chunks.jar import chunk_classes
from millstream.topology.spark.wire import chunk_schema
from millstream.topology.spark.worker.pack import PACKED_SCHEMA, PIECE_BYTES

log = logging.getLogger(__name__)

_MOST_RECORDS = "spark.sql.execution.arrow.maxRecordsPerBatch"
_NO_LIMIT = 1 << 20
_COLUMNS = ("offsets", "timestamps", "keys", "values")


@dataclass(slots=True, kw_only=True)
class BatchShares:
    """The records of a batch, shared between the stages by what each has not read.

    With a backlog, all stages should finish theirs at the same time: joined tables then advance
    together, and no batch has unused room.
    """

    whole: int
    """The most records of a batch."""
    most: int
    """What this may grow to, in the JVM, while batches are quick."""
    least: float
    """The least share of a stage, as a fraction of what all have not read."""
    unread: Mapping[int, int]
    """Index of a stage -> number of records that it has not read at the start."""
    _java: Any = field(default=None, init=False, repr=False)

    def alike(self) -> int:
        """Return the limit of each stage where the JVM does not follow what it has not read."""
        return max(1, self.whole // len(self.unread))

    def in_jvm(self, source: _Source) -> Any:
        """Return the same for the JVM, which follows what the stages have not read."""
        if self._java is None:
            self._java = source.new("BatchShares", self.whole, self.most, self.least)
            for stage, records in self.unread.items():
                self._java.note(stage, records)
        return self._java

    def hasten(self, query: StreamingQuery) -> None:
        """Let a batch begin at once where the one before has left records unread."""
        running: Any = query._jsq
        if self._java is not None:
            self._java.hasten(running.streamingQuery())


def chunks_of(
    records: DataFrame, stage: int, keys: Sequence[int], shares: BatchShares | None = None
) -> DataFrame | None:
    """Return packed rows instead of the rows of a Kafka source; None where that is not possible.

    Args:
        records: What Spark's Kafka source gives, with nothing done to it yet; of a query, or of
            ranges of offsets that are read at once.
        stage: Index of the stage that reads it.
        keys: The group key of each of the stage's tasks.
        shares: How batches are shared; None if no stage reads topics.
    """
    try:
        return _Source(records).chunks(stage, keys, shares)
    except Exception as error:  # noqa: BLE001 - another version of Spark may raise anything
        log.warning("Python workers make chunks of records, the JVM cannot: %r", error)
        return None


class _Source:
    """Spark's source, taken apart and put together again with our readers."""

    def __init__(self, records: DataFrame) -> None:
        self._session: SparkSession = records.sparkSession
        self._gateway: Any = self._session.sparkContext._gateway
        self._java_session: Any = self._session._jsparkSession
        frame: Any = records._jdf
        self._is_streaming = records.isStreaming
        self._relation = frame.queryExecution().analyzed()
        kafka = self._relation.table().getClass().getClassLoader()
        self._loader = chunk_classes(self._session, kafka)

    def chunks(self, stage: int, keys: Sequence[int], shares: BatchShares | None) -> DataFrame:
        jvm: Any = self._session._jvm
        schema = jvm.org.apache.spark.sql.types.StructType.fromDDL(PACKED_SCHEMA)
        measured = self._java_session.sparkContext().collectionAccumulator()
        most = int(self._session.conf.get(_MOST_RECORDS) or 0)
        readers = self.new(
            "ChunkReaders",
            stage,
            self._array(jvm.int, keys),
            most if most > 0 else _NO_LIMIT,
            PIECE_BYTES,
            _beginning(*_COLUMNS),
            _beginning(*_COLUMNS, "headers"),
            self._is_streaming,
            measured,
        )
        java_shares = None if shares is None else shares.in_jvm(self)
        kafka = self._relation.table()
        table = self.new("ChunkTable", kafka, schema, readers, measured, java_shares)
        ours = self._streaming(table, schema) if self._is_streaming else self._at_once(table)
        rows = jvm.org.apache.spark.sql.classic.Dataset.ofRows(self._java_session, ours)
        return DataFrame(rows, self._session)

    def _streaming(self, table: Any, schema: Any) -> Any:
        jvm: Any = self._session._jvm
        relation, nothing = self._relation, jvm.scala.Option.empty()
        return jvm.org.apache.spark.sql.catalyst.streaming.StreamingRelationV2(
            nothing,
            relation.sourceName(),
            table,
            relation.extraOptions(),
            jvm.org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes(schema),
            nothing,
            nothing,
            nothing,
            relation.sourceIdentifyingName(),
        )

    def _at_once(self, table: Any) -> Any:
        jvm: Any = self._session._jvm
        kind = jvm.org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
        nothing = jvm.scala.Option.empty()
        return kind.create(table, nothing, nothing, self._relation.options(), nothing)

    def new(self, name: str, *arguments: Any) -> Any:
        (constructor,) = self._loader.loadClass(f"millstream.{name}").getDeclaredConstructors()
        kind = self._gateway.jvm.java.lang.Object
        return constructor.newInstance(self._array(kind, arguments))

    def _array(self, kind: Any, items: Sequence[Any]) -> Any:
        array = self._gateway.new_array(kind, len(items))
        for place, item in enumerate(items):
            array[place] = item
        return array


def _beginning(*columns: str) -> bytes:
    """Return what the Arrow stream of a chunk with these columns begins with."""
    return bytes(chunk_schema(columns).serialize())
