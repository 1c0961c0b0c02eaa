"""Serdes and functions that behave badly cannot be told from polite ones, whatever the program."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compat_tests.conformance.corpus import with_serdes
from compat_tests.conformance.hostile import KINDS
from compat_tests.properties.effort import examples
from compat_tests.properties.programs import runs
from compat_tests.properties.world import Seen, records, run

Json = dict[str, Any]
# What serializers add to headers shows in results, and takes room in a cache.
SILENT = [kind for kind in KINDS if kind != "headers"]


def seen(scenario: Json, size: int, *, by_chunks: bool) -> Seen:
    sent = records(scenario)
    batches = [sent[at : at + size] for at in range(0, len(sent), size)]
    return run(scenario, batches, by_chunks=by_chunks)


@given(runs(), st.sampled_from(SILENT), st.sampled_from([1000, 3]))
@examples(100)
def test_hostile_serdes_do_what_polite_ones_do(scenario: Json, kind: str, size: int) -> None:
    polite = seen(scenario, size, by_chunks=False)
    hostile = seen(with_serdes(scenario, kind), size, by_chunks=True)
    assert hostile == polite


@given(runs(), st.sampled_from([1000, 3]))
@examples(50)
def test_headers_that_serializers_add_are_the_same_in_chunks(scenario: Json, size: int) -> None:
    adding = with_serdes(scenario, "headers")
    assert seen(adding, size, by_chunks=True) == seen(adding, size, by_chunks=False)
