"""Merge of a record cache with the store below it, entry by entry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Item = tuple[Any, Any, Any]
"""The item's place in the order, its raw key, its cell (None: deleted in the cache)."""


def merged(
    cached: Iterator[Item], stored: Iterator[Item], *, reverse: bool
) -> Iterator[tuple[Any, Any]]:
    """Yield raw keys and cells of both, each in the order asked for; the cache wins.

    The comparison that skips deletions in the cache ignores ``reverse``. That is Kafka's rule, so a
    backward read shows what Kafka shows.
    """
    above = next(cached, None)
    below = next(stored, None)
    while True:
        while above is not None and above[2] is None:
            if below is not None:
                if above[0] > below[0]:
                    break
                if above[0] == below[0]:
                    below = next(stored, None)
            above = next(cached, None)
        if above is not None and (
            below is None or (above[0] > below[0] if reverse else above[0] < below[0])
        ):
            yield above[1], above[2]
            above = next(cached, None)
        elif above is not None and below is not None and above[0] == below[0]:
            yield above[1], above[2]
            above = next(cached, None)
            below = next(stored, None)
        elif below is not None:
            yield below[1], below[2]
            below = next(stored, None)
        else:
            return
