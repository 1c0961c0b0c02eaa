"""Tests of the files of a checkpoint."""
