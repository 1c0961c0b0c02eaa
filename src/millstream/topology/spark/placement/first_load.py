"""First load of committed state by an executor's JVM, before a task needs it there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark import RDD
from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class LastState:
    """State of one operator of a query, as a batch has committed it.

    Attributes:
        location: The query's checkpoint.
        operator: Spark's number of the operator.
        batch: The batch.
    """

    location: str
    operator: int
    batch: int

    def first_partition(self, session: SparkSession) -> RDD[Any]:
        """Return what loads the first partition's state store: one task, without a place."""
        found = (
            session.read.format("statestore")
            .option("operatorId", self.operator)
            .option("stateVarName", "manifest")
            .option("batchId", self.batch)
            .load(self.location)
        )
        # The limit ends the task before it reads the other partitions.
        return found.select("partition_id").coalesce(1).limit(1).rdd
