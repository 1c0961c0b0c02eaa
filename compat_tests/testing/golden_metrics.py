"""Metrics of the real TopologyTestDriver beside ours, for the same topology and records."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from compat_tests import ROOT
from compat_tests.conformance.hosts import DriverHost
from compat_tests.conformance.replay import Replay, build, scenario_config

FOLDER = ROOT / "compat_tests" / "oracle" / "metrics"

Place = tuple[str, tuple[tuple[str, str], ...]]
Values = dict[Place, dict[str, float | None]]


class MeasuredHost(DriverHost):
    """The driver, and its metrics."""

    def metrics(self) -> Values:
        """Return values by group and tags, then by name."""
        found: Values = {}
        for name, metric in self._driver.metrics().items():
            place = name.group(), tuple(sorted(name.tags().items()))
            found.setdefault(place, {})[name.name()] = metric.metricValue()
        return found


def scenarios() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def scenario(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return loaded


def kafkas(scene: dict[str, Any]) -> Values:
    """What the real driver has; None where a value says nothing."""
    return {
        (group, tuple(sorted(tags.items()))): {
            name: math.nan if value == "NaN" else value for name, value in values.items()
        }
        for group, tags, values in scene["expect"]["metrics"]
    }


def ours(scene: dict[str, Any]) -> Values:
    """What our driver has after the same events."""
    config = scenario_config(scene)
    topology = build(scene, config)
    host = MeasuredHost()
    try:
        host.start(topology, config, scene.get("wallClock", 0))
        replay = Replay(scene, host)
        for event in scene["events"]:
            replay.happen(event)
        return host.metrics()
    finally:
        host.close()


def differences(theirs: Values, found: Values) -> Iterator[tuple[Place, str, Any, Any]]:
    """Yield place and name with both values, where they differ; missing ones as `missing`."""
    for place in sorted(theirs.keys() | found.keys()):
        left, right = theirs.get(place, {}), found.get(place, {})
        for name in sorted(left.keys() | right.keys()):
            if name not in left or name not in right:
                yield place, name, left.get(name, "missing"), right.get(name, "missing")
            elif not same(left[name], right[name]):
                yield place, name, left[name], right[name]


def same(theirs: Any, own: Any) -> bool:
    if theirs is None:
        return True
    if isinstance(theirs, str) or isinstance(own, str):
        return bool(theirs == own)
    if math.isnan(theirs) or math.isnan(own):
        return math.isnan(theirs) and math.isnan(own)
    return math.isclose(theirs, own, rel_tol=1e-9)
