"""Conversions of rows that a comparison asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from millstream.plugins.registry import store_kinds
from millstream.topology.spark.evolution.differences import WORD
from millstream.topology.spark.evolution.facts import Facts
from millstream.topology.spark.evolution.outcome import Comparison
from millstream.topology.spark.evolution.words import Words

Convert = Callable[[Sequence[bytes], Sequence[bytes]], tuple[list[bytes], list[bytes]]]
"""Takes keys and values of some rows, and returns those of the converted ones; their number may
differ. It can be sent to workers."""


def conversions(
    comparison: Comparison, before: Facts, after: Facts, words: Words
) -> dict[str, Convert]:
    """Return new store -> conversion of the old store's rows, for the stores that need one.

    Raises:
        ConfigException: The function in ``millstream.state.convert`` cannot be imported.
    """
    found: dict[str, Convert] = {}
    for store, names in comparison.conversions.items():
        former = before.stores[comparison.stores[store]].note
        found[store] = store_kinds().row_conversion(
            store,
            names,
            former,
            after.stores[store].note,
            words.converter(store) if WORD in names else None,
        )
    return found
