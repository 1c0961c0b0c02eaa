"""A store whose changes a running application also writes to a changelog topic."""

from __future__ import annotations

from dataclasses import dataclass

from millstream.core.state.changelog_format import ChangelogFormat

SPILLED = "-spilled"
"""Ending of the part of a buffer's store that is on disk."""


@dataclass(frozen=True, slots=True)
class LoggedStore:
    """The changelog topic of a store; its partitions are those of the tasks."""

    topic: str
    format: ChangelogFormat
