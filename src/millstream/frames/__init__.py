"""Doors for Spark's own world: stores as DataFrames, and errors of queries with a topology.

``register(spark)`` adds the format ``millstream`` to a session; ``readStore`` reads the stores of
applications, too. ``failureOf`` says what ended a query that was made with ``toDataFrame``.
"""

from millstream.topology.spark.frames.queries import failureOf as failureOf
from millstream.topology.spark.frames.stores import readStore as readStore
from millstream.topology.spark.frames.stores import register as register
