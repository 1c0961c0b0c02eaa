"""DataFrames as output of streams and tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from millstream.core.config import StreamsConfig
from millstream.core.errors import ClassCastException
from millstream.core.wording import a_kind
from millstream.topology.dsl.arguments import ABSENT
from millstream.topology.dsl.options import Produced
from millstream.topology.graph.endpoints import Sink
from millstream.topology.graph.frames import FrameOutput

if TYPE_CHECKING:
    import os

    from pyspark.sql import DataFrame

    from millstream.topology.dsl.flow import Flow


class StreamFrames:
    """The part of ``KStream`` that is read as a DataFrame of Spark."""

    __slots__ = ()
    _flow: Flow

    def toDataFrame(
        self,
        config: StreamsConfig | Mapping[str, Any] = ABSENT,
        *,
        produced: Produced[Any, Any] = ABSENT,
        keyType: str = "",
        valueType: str = "",
        name: str | None = None,
        directory: str | os.PathLike[str] = "",
    ) -> DataFrame:
        """Return the records as a DataFrame: ``key``, ``value``, ``timestamp``, ``headers``.

        It is streaming if an input is: a streaming DataFrame, or a topic. The caller writes it with
        ``writeStream``, and that query runs the whole topology: its checkpoint holds progress and
        stores, and a batch that is repeated gives the same rows. Every query that is started with
        it computes the topology for itself. With ``TopologyTestDriver`` it is an output topic.

        Args:
            config: Entries as of ``KafkaStreams``, as far as they are about processing.
                ``application.id`` is the output's name unless given; ``bootstrap.servers`` is
                needed only to read topics. The default serdes are JSON.
            produced: Serdes, and name of the operation; otherwise the stream's own serdes.
            keyType: Type of the column, such as ``struct<user: string>``. Without it the serde
                decides: strings, numbers, booleans and bytes have their types, windowed keys are
                ``struct<key, start, end>``, and anything else is a string with JSON.
            valueType: See ``keyType``.
            name: Name of the topic that it stands for; made up for None.
            directory: Where copies of DataFrames that are not streaming are kept: on a file system
                that all of Spark sees. By default below ``state.dir``.

        Raises:
            UnsupportedOperationException: The topology writes topics, too, or has a feedback topic,
                as foreign-key joins do; or a DataFrame that is not streaming is read as a stream
                beside a streaming one.
            TopologyException: Another DataFrame has that name; or no DataFrame is read.
            ConfigException: A topic is read and ``bootstrap.servers`` is missing.
            StreamsException: A part of the topology cannot be sent to workers.

        Example::

            counts = words.groupByKey().count().toDataFrame()
            query = counts.writeStream.format("parquet").option("path", "out")
            query.option("checkpointLocation", "checkpoints/counts").start()
        """
        from millstream.topology.spark.frames.outputs import output_frame
        from millstream.topology.spark.frames.rows_out import OutputColumns

        topic, how = self._read_sink(produced, name)
        columns = OutputColumns(
            topic=topic,
            key_serde=how.key_serde,
            value_serde=how.value_serde,
            key_type=keyType,
            value_type=valueType,
        )
        frames = self._flow.graph.frames
        return output_frame(frames, columns, {} if config is ABSENT else config, directory)

    def _read_sink(self, produced: Any, name: str | None) -> tuple[str, Produced[Any, Any]]:
        """Return topic and options of the sink that is read as a DataFrame; add it if it is new."""
        how = Produced() if produced is ABSENT else produced
        if not isinstance(how, Produced):
            raise ClassCastException(
                f"a DataFrame cannot be written with {a_kind(how)}",
                hint="Give Produced.with_(keySerde, valueSerde).",
            )
        flow = self._flow
        frames = flow.graph.frames
        how = replace(
            how,
            key_serde=how.key_serde or flow.key_serde,
            value_serde=how.value_serde or flow.value_serde,
        )
        output = FrameOutput(flow.node, how)
        topic, new = frames.output(name, output)
        if new:
            operator = flow.graph.names.operator("KSTREAM-SINK-", how.name)
            flow.add(Sink(name=operator, target=topic, produced=how))
            frames.outputs[topic] = output
        return topic, how
