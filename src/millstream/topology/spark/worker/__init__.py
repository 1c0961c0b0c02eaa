"""What runs in Spark's Python workers: packing, tasks, sinks."""
