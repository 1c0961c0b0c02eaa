"""Applications on clusters: Spark's standalone master and workers, and HDFS."""
