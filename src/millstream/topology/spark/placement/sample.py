"""A few records of a source topic, read once to make an executor ready to read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame, SparkSession

RECORDS = 10


@dataclass(frozen=True, slots=True)
class Sample:
    """Records of one partition.

    Attributes:
        connector: Options of the Kafka source.
        topic: The topic.
        partition: The partition.
        end: The offset after the last of them.
    """

    connector: Mapping[str, str] = field(repr=False)
    topic: str
    partition: int
    end: int

    def read(self, session: SparkSession) -> DataFrame:
        """Return the records as a frame of one partition; fewer, where some were deleted."""
        begin = max(0, self.end - RECORDS)
        return (
            session.read.format("kafka")
            .options(**self.connector)
            .option("assign", json.dumps({self.topic: [self.partition]}))
            .option("startingOffsets", self._at(begin))
            .option("endingOffsets", self._at(self.end))
            .option("failOnDataLoss", "false")
            .option("includeHeaders", "true")
            .load()
        )

    def _at(self, offset: int) -> str:
        return json.dumps({self.topic: {str(self.partition): offset}})


def sample_of(connector: Mapping[str, str], progress: Mapping[str, Any]) -> Sample | None:
    """Return the last records that a batch has read of some partition.

    Args:
        connector: Options of the Kafka source; empty where the application does not read by it.
        progress: Spark's progress of the batch.

    Returns:
        The records; None where nothing was read.
    """
    for source in progress.get("sources") or ():
        for topic, ends in _offsets(source.get("endOffset")).items():
            for partition, end in _offsets(ends).items():
                if connector and end > 0:
                    return Sample(connector, topic, int(partition), end)
    return None


def _offsets(found: Any) -> Mapping[str, Any]:
    # The source of ticks has a number.
    return found if isinstance(found, Mapping) else {}
