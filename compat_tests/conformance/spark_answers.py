"""What a task on Spark answers about its stores."""

from __future__ import annotations

from typing import Any

from compat_tests.conformance.hosts import DriverHost
from compat_tests.conformance.replay import Replay
from millstream.core.engine.task import Task
from millstream.testing.driver_stores import DriverStores


def answered(asked: dict[str, Any], *tasks: Task) -> dict[str, Any]:
    """The results of queries by their position, or the contents of all stores.

    Args:
        asked: `queries`, each with a number, a store and a command; or `last`. `stores`: the
            stores' types.
        tasks: One of the scenario's, and those behind its global stores; what is not their own
            they leave out.
    """
    own = {name for task in tasks for name in task.stores}
    stores = {name: types for name, types in asked["stores"].items() if name in own}
    replay = Replay({"stores": stores}, DriverHost.over(DriverStores(*tasks)))
    if asked.get("last"):
        return replay.stores()
    return {
        str(number): replay.query(name, command, view)
        for number, name, command, view in asked.get("queries", ())
        if name in stores
    }
