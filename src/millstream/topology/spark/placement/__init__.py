"""Placement of tasks on executors: observed, decided by an assignor, passed to Spark as hints."""
