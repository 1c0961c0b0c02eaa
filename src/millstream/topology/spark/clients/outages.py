"""Failures that a broker causes by its absence: waiting mends them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from millstream.core.errors import BrokerNotFoundException, StreamsException, TimeoutException
from millstream.topology.spark.clients.connecting import all_topics

_LOOK_S = 2.0
_SIGNS = re.compile(
    r"org\.apache\.kafka\.common\.errors\.(?:Timeout|Disconnect|Network|BrokerNotAvailable"
    r"|CoordinatorNotAvailable|CoordinatorLoadInProgress|LeaderNotAvailable|NotCoordinator"
    r"|NotLeaderOrFollower|NotEnoughReplicas|NotEnoughReplicasAfterAppend|UnknownLeaderEpoch"
    r"|FencedLeaderEpoch|KafkaStorage|ListenerNotFound|OffsetNotAvailable|ReplicaNotAvailable"
    r"|(?:Eligible|Preferred)Leaders?NotAvailable)Exception"
    r"|Cannot fetch record for offset"
)
"""Errors of the JVM's Kafka clients, and of Spark's connector."""
_MOST_CAUSES = 20


def is_outage(failure: StreamsException) -> bool:
    """Return whether a query failed because Kafka did not answer in time.

    A failure of a user's function is none, whatever it raised.
    """
    if any(label == "at" for label, _ in failure.more):
        return False
    return any(
        isinstance(each, TimeoutException | BrokerNotFoundException) or _SIGNS.search(str(each))
        for each in _chain(failure)
    )


def answers(settings: Mapping[str, Any]) -> bool:
    """Return whether a broker answers; a refusal is an answer.

    Args:
        settings: Settings of a client.
    """
    try:
        all_topics(settings, _LOOK_S)
    except BrokerNotFoundException:
        return False
    except StreamsException:
        return True
    return True


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(_MOST_CAUSES):
        if error is None:
            return
        yield error
        error = error.__cause__
