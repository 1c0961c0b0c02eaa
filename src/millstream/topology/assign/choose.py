"""Choice of the assignor by configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millstream.core.config import StreamsConfig
from millstream.plugins.kinds import ASSIGNORS
from millstream.plugins.names import with_plugins
from millstream.plugins.registry import find
from millstream.topology.assign.assignor import Assignor
from millstream.topology.assign.public import OfTaskAssignor, StockTaskAssignor


def chosen_assignor(
    config: StreamsConfig | Mapping[str, Any], default: str = "high-availability"
) -> Assignor:
    """Return the assignor that ``task.assignor.class`` names.

    Args:
        config: Its entry is a plugin's name, an import path, a class or an object.
        default: The plugin to take where there is no entry; Kafka Streams' default is ours.

    Raises:
        ConfigException: There is no such class, or it has no method ``assign``.
        PluginError: No plugin has the default's name.
    """
    known = with_plugins(config if isinstance(config, StreamsConfig) else StreamsConfig(config))
    theirs = known.instance(StreamsConfig.TASK_ASSIGNOR_CLASS_CONFIG)
    if theirs is None:
        theirs = find(ASSIGNORS, default)()
    if isinstance(theirs, StockTaskAssignor):
        return theirs.assignor
    return OfTaskAssignor(theirs)
