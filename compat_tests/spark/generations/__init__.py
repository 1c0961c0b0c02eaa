"""Tests of generations of a checkpoint."""
