"""Tests of the Spark host."""
