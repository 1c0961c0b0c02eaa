"""DataFrames as input of a ``StreamsBuilder``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from millstream.core.errors import ClassCastException, IllegalArgumentException
from millstream.core.wording import a_kind
from millstream.topology.dsl.arguments import ABSENT
from millstream.topology.dsl.options import Consumed, Materialized

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

    from millstream.topology.dsl.global_ktable import GlobalKTable
    from millstream.topology.dsl.kstream import KStream
    from millstream.topology.graph.graph import GraphBuilder


class FrameInputs:
    """The part of ``StreamsBuilder`` that reads DataFrames of Spark."""

    _graph: GraphBuilder

    def fromDataFrame(
        self,
        df: DataFrame | StructType,
        *,
        key: str | Column | Sequence[str] | None = None,
        value: str | Column | Sequence[str] | None = None,
        timestamp: str | Column | None = None,
        headers: str | Column | None = None,
        consumed: Consumed[Any, Any] = ABSENT,
        partitions: int | None = None,
        name: str | None = None,
    ) -> KStream[Any, Any]:
        """Read a DataFrame as a stream: each row is a record.

        The stream has to end in ``toDataFrame``, and runs in the query that the result is written
        with; ``KafkaStreams`` refuses it. With ``TopologyTestDriver`` it is an input topic.

        A row goes to the partition that Kafka's default partitioner gives to its serialized key;
        without a key, to that of its value. Rows of one partition of Spark keep their order; those
        of several are merged by time. A null timestamp is -1, which the timestamp extractor
        decides about: by default it is an error.

        Args:
            df: A streaming DataFrame; or one that is not, if all of the topology's are. Its schema
                (a ``StructType``) stands for it where the topology is only described and tested.
            key: A column, or names of columns that make a dict. None: records without keys.
            value: A column, or names of columns that make a dict. None: all columns.
            timestamp: A column of type timestamp, or of whole numbers: epoch milliseconds. None:
                the time of the batch.
            headers: A column of type ``array<struct<key: string, value: binary>>``.
            consumed: Serdes, timestamp extractor, name of the operation. Without serdes the types
                of the columns decide: string, whole numbers, float, double, boolean and binary have
                their own; structs, arrays and maps are dicts and lists, as JSON.
            partitions: Number of partitions, at least 1, which must stay as long as a checkpoint
                does. None: the number of what it is joined with, else 4.
            name: Name of the topic that it stands for; made up for None.

        Raises:
            IllegalArgumentException: There is no such column, or its type has no serde.
            ClassCastException: An argument has a wrong type.
            UnsupportedOperationException: It is a DataFrame of Spark Connect.
            TopologyException: Another DataFrame has that name.

        Example::

            orders = builder.fromDataFrame(
                spark.readStream.table("orders"), key="user", value="amount", timestamp="ordered_at"
            )
            orders.groupByKey().reduce(lambda a, b: a + b).toDataFrame().writeStream...
        """
        from millstream.topology.spark.frames.inputs import frame_input

        made = frame_input(
            df,
            topic=self._graph.frames.unused_input(name),
            key=key,
            value=value,
            timestamp=timestamp,
            headers=headers,
            consumed=_consumed(consumed),
            partitions=partitions,
        )
        builder: Any = self
        stream: KStream[Any, Any] = builder.stream(made.topic, _with_serdes(consumed, made))
        self._graph.frames.inputs[made.topic] = made
        return stream

    def globalTableFromDataFrame(
        self,
        df: DataFrame | StructType,
        *,
        key: str | Column | Sequence[str],
        value: str | Column | Sequence[str] | None = None,
        timestamp: str | Column | None = None,
        materialized: Materialized[Any, Any, Any] = ABSENT,
        consumed: Consumed[Any, Any] = ABSENT,
        name: str | None = None,
    ) -> GlobalKTable[Any, Any]:
        """Read a DataFrame as a table that every task sees whole.

        A DataFrame that is not streaming is read when ``toDataFrame`` is called. In a streaming
        query it is kept as a copy, which the query reads in its first batch; a later start with
        other rows sets the rows that it has, and deletes none. A streaming DataFrame sets rows as
        they come, and a null value deletes.

        Args:
            df: See ``fromDataFrame``.
            key: See ``fromDataFrame``; a row without a key is left out.
            value: See ``fromDataFrame``.
            timestamp: See ``fromDataFrame``.
            materialized: Name and kind of the store.
            consumed: See ``fromDataFrame``.
            name: See ``fromDataFrame``.

        Raises:
            IllegalArgumentException: See ``fromDataFrame``; or no key is named.
            ClassCastException: See ``fromDataFrame``.
            UnsupportedOperationException: See ``fromDataFrame``.
            TopologyException: See ``fromDataFrame``.

        Example::

            users = builder.globalTableFromDataFrame(spark.table("users"), key="id", value="name")
            orders.join(users, lambda user, order: user, lambda order, name: (name, order))
        """
        from millstream.topology.spark.frames.inputs import frame_input

        if key is None:
            raise IllegalArgumentException(
                "a global table of a DataFrame needs a key", hint='Name a column: key="id".'
            )
        made = frame_input(
            df,
            topic=self._graph.frames.unused_input(name),
            key=key,
            value=value,
            timestamp=timestamp,
            headers=None,
            consumed=_consumed(consumed),
            partitions=None,
            is_global=True,
        )
        options = [_with_serdes(consumed, made)]
        if materialized is not ABSENT:
            options.append(materialized)  # type: ignore[arg-type]
        builder: Any = self
        table: GlobalKTable[Any, Any] = builder.globalTable(made.topic, *options)
        self._graph.frames.inputs[made.topic] = made
        return table


def _consumed(given: Any) -> Consumed[Any, Any]:
    if given is ABSENT:
        return Consumed()
    if not isinstance(given, Consumed):
        raise ClassCastException(
            f"a DataFrame cannot be read with {a_kind(given)}",
            hint="Give Consumed.with_(keySerde, valueSerde).",
        )
    return given


def _with_serdes(given: Any, made: Any) -> Consumed[Any, Any]:
    how = _consumed(given).withKeySerde(made.key_serde)
    return how.withValueSerde(made.value_serde)
