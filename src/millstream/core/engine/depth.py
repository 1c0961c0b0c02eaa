"""Room on Python's stack for topologies with many operators below one another."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from millstream.core.plan import SubTopology

# A record goes down by calls: some five for an operator, more where a cache is flushed.
CALLS_PER_OPERATOR = 12
CALLS_AROUND = 1000
"""What the program that runs the task, the operators' functions and serdes may need."""
FEW_CALLS = CALLS_AROUND // 2
"""Of so many Python's own limit leaves enough: it stays as it is."""


def longest_way(part: SubTopology) -> int:
    """Return how many nodes a record of a source can go through, one below the other."""
    depths: dict[str, int] = {}
    for node in part.nodes:
        depths[node.name] = 1 + max((depths[parent] for parent in node.parents), default=0)
    return max(depths.values(), default=0)


def make_room(parts: Iterable[SubTopology]) -> None:
    """Raise Python's limit of nested calls, if operators may need more; it is never lowered."""
    calls = max(map(longest_way, parts), default=0) * CALLS_PER_OPERATOR
    if calls > FEW_CALLS:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), calls + CALLS_AROUND))
