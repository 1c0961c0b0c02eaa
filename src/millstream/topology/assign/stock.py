"""Stock assignors for ``task.assignor.class``."""

from __future__ import annotations

from millstream.topology.assign.high_availability import HighAvailability
from millstream.topology.assign.public import StockTaskAssignor
from millstream.topology.assign.round_robin import RoundRobin
from millstream.topology.assign.sticky import Sticky


class StickyByName(StockTaskAssignor):
    """Leaves tasks where they are (KIP-429)."""

    name = Sticky.name
    sticky = True
    assignor = Sticky()


class HighAvailabilityByName(StockTaskAssignor):
    """Moves a task only where its state is (KIP-441); the default of Kafka Streams."""

    name = HighAvailability.name
    assignor = HighAvailability()


class RoundRobinByName(StockTaskAssignor):
    """Assigns tasks round-robin."""

    name = RoundRobin.name
    assignor = RoundRobin()
