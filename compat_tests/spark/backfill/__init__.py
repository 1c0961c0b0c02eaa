"""Tests of the parts of a run over history that need no Spark."""
