"""Tests of DataFrames as input and output, and of stores as tables."""
