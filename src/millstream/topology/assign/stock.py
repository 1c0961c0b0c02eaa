"""The assignors that millstream brings, for ``task.assignor.class``."""

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
    """Never makes a task wait for its state (KIP-441); what Kafka Streams uses by default."""

    name = HighAvailability.name
    assignor = HighAvailability()


class RoundRobinByName(StockTaskAssignor):
    """Deals tasks out like cards."""

    name = RoundRobin.name
    assignor = RoundRobin()
