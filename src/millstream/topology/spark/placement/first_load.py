"""First load and commit of state by an executor's JVM, before a task needs it there."""

from __future__ import annotations

import uuid
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from pyspark import RDD
from pyspark.sql import SparkSession

from millstream.topology.spark.checkpoint.origin import WARMED, root_of
from millstream.topology.spark.placement.first_commit import committing
from millstream.topology.spark.state_location import state_location


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

    def loading(self, session: SparkSession) -> AbstractContextManager[RDD[Any]]:
        """Give what loads the first partition's state store and commits another one: one task.

        Args:
            session: The session of the query.
        """
        found = (
            session.read.format("statestore")
            .option("operatorId", self.operator)
            .option("stateVarName", "manifest")
            .option("batchId", self.batch)
            .load(state_location(self.location))
        )
        # The limit ends the task before it reads the other partitions.
        rows = found.select("partition_id").coalesce(1).limit(1)
        return committing(session, rows, f"{root_of(self.location)}/{WARMED}/{uuid.uuid4()}")
