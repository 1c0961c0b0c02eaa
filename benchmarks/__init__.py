"""Benchmarks of millstream; run from the root of the repository with ``python -m``."""
