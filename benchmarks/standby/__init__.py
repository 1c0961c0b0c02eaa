"""Losing and gaining an executor: with standby copies, without, and as Spark does alone."""
