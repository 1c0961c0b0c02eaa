"""Offsets as Spark's Kafka source reads them."""

from __future__ import annotations

import json

from millstream.topology.spark.driver.offsets import offsets_json


def test_starting_offsets_are_written_for_spark() -> None:
    offsets = {"a": {0: 5, 1: -2}, "b": {0: -1}}

    assert json.loads(offsets_json(offsets, ["a"])) == {"a": {"0": 5, "1": -2}}
