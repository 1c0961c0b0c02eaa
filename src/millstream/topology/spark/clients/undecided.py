"""Committed offsets that wait for the end of a transaction.

A broker gives out the offsets of a group only when no open transaction has others for it. One that
never ends, as the broker has lost its end, keeps all readers of these offsets waiting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka import KafkaError, TopicPartition
from confluent_kafka import KafkaException as ClientException

from millstream.topology.spark.clients.consumers import committed, connected, offsets_only
from millstream.topology.spark.clients.settings import code_of

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
        StreamsException: The broker refuses a request, or gives out no offsets at all.
    """
    asked = [TopicPartition(*place) for place in places]
    # A broker that does not answer this one in time is slow, or away.
    with connected({**settings, **offsets_only(group)}, _PROBLEM) as consumer:
        committed(consumer, asked, timeout_s, timeout_s)
    with connected({**settings, **offsets_only(group, stable=True)}, _PROBLEM) as consumer:
        try:
            committed(consumer, asked, timeout_s, timeout_s)
        except ClientException as error:
            if code_of(error) != KafkaError._TIMED_OUT:
                raise
            return True
    return False
