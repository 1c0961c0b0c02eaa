"""Benchmark of `suppress` with more state than its buffer may keep in memory."""
