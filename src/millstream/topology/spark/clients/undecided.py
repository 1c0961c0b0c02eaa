"""Committed offsets that wait for the end of a transaction.

A broker gives out the offsets of a group only when no open transaction has others for it. One that
never ends, as the broker has lost its end, keeps all readers of these offsets waiting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka import TopicPartition

from millstream.core.errors import StreamsException
from millstream.topology.spark.clients.consumers import committed, connected, offsets_only

_PROBLEM = "cannot read committed offsets"


def are_undecided(
    settings: Mapping[str, Any], group: str, places: Sequence[tuple[str, int]], timeout_s: float
) -> bool:
    """Tell whether offsets of a group are held back, as a transaction is open.

    Args:
        settings: Of a client.
        group: The group.
        places: Topics and partitions.
        timeout_s: How long an answer may take; an open transaction is waited for as long.

    Raises:
        StreamsException: The broker answers neither with nor without what is open.
    """
    try:
        _ask(settings, group, places, timeout_s, stable=True)
    except StreamsException:
        _ask(settings, group, places, timeout_s, stable=False)
        return True
    return False


def _ask(
    settings: Mapping[str, Any],
    group: str,
    places: Sequence[tuple[str, int]],
    timeout_s: float,
    *,
    stable: bool,
) -> None:
    own = offsets_only(group, stable=stable)
    with connected({**settings, **own}, _PROBLEM) as consumer:
        committed(consumer, [TopicPartition(*place) for place in places], timeout_s, timeout_s)
