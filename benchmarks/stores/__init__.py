"""Benchmarks of stores alone, against their libraries: `python -m benchmarks.stores --help`."""
