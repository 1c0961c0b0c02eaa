"""Stores measured alone, beside what they are made of: `python -m benchmarks.stores --help`."""
