"""Tests of the engine: tasks, sources, punctuation."""
