"""Plugin of the stock assignors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from millstream.plugins.markers import hookimpl

if TYPE_CHECKING:
    from millstream.core.assignment import TaskAssignor


@hookimpl
def millstream_register_assignors() -> list[type[TaskAssignor]]:
    """Offer ours."""
    # A Spark worker loads every plugin and never asks for assignors.
    from millstream.topology.assign.sticky_task_assignor import StickyTaskAssignor
    from millstream.topology.assign.stock import (
        HighAvailabilityByName,
        RoundRobinByName,
        StickyByName,
    )

    return [HighAvailabilityByName, RoundRobinByName, StickyByName, StickyTaskAssignor]
