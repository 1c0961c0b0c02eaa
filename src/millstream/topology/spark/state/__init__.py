"""The state of a task in Spark's checkpoint, and its working copies on a worker's machine."""
