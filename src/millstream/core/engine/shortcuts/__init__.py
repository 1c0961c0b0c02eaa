"""Shortcuts: faster ways to process records that wait, where the results are the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from millstream.core.engine.shortcuts.cached_updates import CachedUpdates
from millstream.core.engine.shortcuts.join_merger import JoinMerger
from millstream.core.engine.shortcuts.last_records import LastRecords
from millstream.core.engine.shortcuts.merged_updates import MergedUpdates
from millstream.core.engine.shortcuts.shortcut import Shortcut as Shortcut

if TYPE_CHECKING:
    from millstream.core.engine.task import Task

SHORTCUTS: tuple[type[Shortcut], ...] = (
    LastRecords,
    CachedUpdates,
    MergedUpdates,
    JoinMerger,
)
"""All of them, in the order in which a task asks them."""


def gathered(task: Task, kinds: Iterable[type[Shortcut]]) -> tuple[Shortcut, ...]:
    """Return the shortcuts of these kinds that apply to a task whose processors are initialised."""
    if not task.by_chunks:
        return ()
    made = (kind.of(task) for kind in kinds)
    return tuple(each for each in made if each is not None)
