"""Serdes that the workloads share."""

from __future__ import annotations

from typing import Any

from millstream import Consumed, Grouped, Materialized, Produced, Serdes

TEXT, NUMBER = Serdes.String(), Serdes.Long()
READ = Consumed.with_(TEXT, TEXT)
GROUPED = Grouped.with_(TEXT, TEXT)
TEXTS, NUMBERS = Produced.with_(TEXT, TEXT), Produced.with_(TEXT, NUMBER)


def counts() -> Materialized[str, int, Any]:
    """Return how a store of numbers is kept."""
    return Materialized.as_("counts").withKeySerde(TEXT).withValueSerde(NUMBER)
