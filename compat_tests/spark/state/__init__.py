"""Tests of the state of tasks in Spark's checkpoint."""
