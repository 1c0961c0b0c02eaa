"""The Grafana dashboard in the docs names metrics that exist."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from compat_tests import ROOT
from millstream.core.metrics.families import _FAMILIES, family
from millstream.page.exposition import INFO, LAG, metric_name

DASHBOARD = json.loads((ROOT / "docs/operating/grafana/millstream.json").read_text("utf-8"))
_OWN = "alive-stream-threads failed-stream-threads records process-rate batch-time-ms batch-id"
_MORE = "records-lag state-size-bytes"
_OPERATIONS = "put get fetch delete range all flush restore"


def existing() -> set[str]:
    """Return the names of all metrics that ``/metrics`` can have."""
    found = {INFO, LAG, f"{LAG}_max"}
    found |= {metric_name("stream-metrics", name) for name in (*_OWN.split(), *_MORE.split())}
    families = [family(name) for name in _FAMILIES]
    families += [family(f"store:{name}") for name in _OPERATIONS.split()]
    found |= {metric_name(each.group, name) for each in families for name in each.metrics}
    return found


def panels() -> list[Any]:
    return [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


@pytest.mark.parametrize("panel", panels(), ids=lambda panel: panel["title"])
def test_every_expression_names_a_metric_that_exists(panel: Any) -> None:
    assert panel["targets"]
    for target in panel["targets"]:
        named = set(re.findall(r"kafka_[a-z0-9_]+", target["expr"]))
        assert named
        assert named - existing() == set()


def test_panels_have_distinct_places_and_numbers() -> None:
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in DASHBOARD["panels"]]
    assert len(set(places)) == len(places)
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


def test_the_dashboard_asks_for_its_data_source() -> None:
    assert [each["name"] for each in DASHBOARD["__inputs"]] == ["DS_PROMETHEUS"]
    assert {p["datasource"]["uid"] for p in panels()} == {"${DS_PROMETHEUS}"}
