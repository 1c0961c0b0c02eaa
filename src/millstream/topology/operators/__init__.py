"""Processors of the DSL, one small class for each operation."""
