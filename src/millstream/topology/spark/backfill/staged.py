"""Sorted files of a run over history, and their partitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedPartition:
    """The sorted records of one partition."""

    path: str
    """Its Parquet file; empty if there are no records."""
    records: int
    following: int | None
    """The offset after the last record, if the records have offsets."""


Staged = Mapping[str, Mapping[int, StagedPartition]]
"""Topic -> partition -> its records."""
