"""Doors for Spark's own world: stores as DataFrames.

``register(spark)`` adds the format ``millstream`` to a session; ``readStore`` reads the stores of
applications, too.
"""

from millstream.topology.spark.frames.stores import readStore as readStore
from millstream.topology.spark.frames.stores import register as register
