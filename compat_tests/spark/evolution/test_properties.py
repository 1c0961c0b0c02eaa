"""Generated programs: a program goes on with its own state, and no store with another one's."""

from __future__ import annotations

import copy
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compat_tests.conformance.replay import build, scenario_config
from compat_tests.properties.effort import examples
from compat_tests.properties.programs import programs
from millstream import StreamsConfig
from millstream.core.errors import StreamsException
from millstream.topology.spark.checkpoint.store_notes import notes_of
from millstream.topology.spark.evolution.comparison import compare
from millstream.topology.spark.evolution.differences import differences, free
from millstream.topology.spark.evolution.facts import Facts
from millstream.topology.spark.evolution.outcome import Comparison, Fate
from millstream.topology.spark.evolution.reading import facts_of

Json = dict[str, Any]
SOURCES = ("stream",)


def facts(scenario: Json) -> Facts:
    config = scenario_config(scenario)
    topology = build(scenario, config)
    notes = notes_of(topology.plan(), StreamsConfig(config))
    return facts_of(str(topology.describe()), application_id="app", notes=notes)


def check_sound(before: Facts, after: Facts, found: Comparison) -> None:
    """Nothing goes on twice, with bytes that mean something else, or is lost without a word."""
    assert len(set(found.stores.values())) == len(found.stores)
    assert len(set(found.nodes.values())) == len(found.nodes)
    refused = {each.name for each in found.refused}
    for new, old in found.stores.items():
        notes = before.stores[old].note, after.stores[new].note
        assert new in refused or free(differences(*notes))
    asked = {each.former for each in found.refused}
    for old in before.stores.keys() - set(found.stores.values()):
        assert old in asked or before.stores[old].subtopology is None


def number_of(name: str) -> int:
    """Return the number in a generated name; -1 for any other."""
    found = re.search(r"\d{10}", name)
    return int(found[0]) if found else -1


def in_order(found: Comparison) -> bool:
    """Tell whether stores with generated names follow each other as before."""
    pairs = sorted((number_of(new), number_of(old)) for new, old in found.stores.items())
    olds = [old for new, old in pairs if new >= 0]
    return olds == sorted(olds)


def with_operator(scenario: Json, place: int, op: Json) -> Json | None:
    """The scenario with one operator below a stream; None if it has no stream."""
    made = copy.deepcopy(scenario)
    streams = [n for n, step in enumerate(made["topology"]) if step["op"] in SOURCES]
    if not streams:
        return None
    at = streams[place % len(streams)]
    source = made["topology"][at]["id"]
    for step in made["topology"][at + 1 :]:
        if "from" in step:
            step["from"] = ["added" if name == source else name for name in step["from"]]
    made["topology"].insert(at + 1, {"id": "added", "from": [source], **op})
    return made


@examples(150)
@given(scenario=programs())
def test_a_program_goes_on_with_its_own_state_in_place(scenario: Json) -> None:
    before = facts(scenario)
    found = compare(before, facts(scenario))
    assert found.same
    assert found.stores == {name: name for name in before.stores}
    assert {each.fate for each in found.outcomes} <= {Fate.SAME}


@examples(200)
@given(
    scenario=programs(),
    place=st.integers(0, 5),
    op=st.sampled_from([{"op": "filter", "pred": "true"}, {"op": "peek"}]),
)
def test_one_operator_more_or_less_keeps_every_store(scenario: Json, place: int, op: Json) -> None:
    longer = with_operator(scenario, place, op)
    if longer is None:
        return
    try:
        one, other = facts(scenario), facts(longer)
    except StreamsException:
        # The optimiser refuses some shapes, as Kafka's does.
        return
    for before, after in ((one, other), (other, one)):
        found = compare(before, after)
        check_sound(before, after, found)
        assert in_order(found)
        for each in found.outcomes:
            if each.kind == "store" and each.name not in found.stores:
                # What nothing tells apart is asked for.
                assert each.fate is Fate.NEEDS_WORD


@examples(200)
@given(one=programs(), other=programs())
def test_any_two_programs_are_compared_soundly(one: Json, other: Json) -> None:
    before, after = facts(one), facts(other)
    check_sound(before, after, compare(before, after))
