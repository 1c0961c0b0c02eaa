"""Latency from a record's creation to its result, as a consumer of committed records sees it."""
