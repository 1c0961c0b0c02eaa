"""Topologies between DataFrames: frames as input and output, stores as tables."""
