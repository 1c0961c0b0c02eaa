"""The topologies of the relay: they can be built, and have every kind of store."""

from __future__ import annotations

import pytest

from compat_tests.conformance.options import _STORE_KINDS, _builder_over
from compat_tests.conformance.replay import build, scenario_config
from compat_tests.relay.inputs import records, thirds
from compat_tests.relay.parts import Json
from compat_tests.relay.processors import KINDS as PROCESSOR_KINDS
from compat_tests.relay.topologies import KINDS, SMALL, named
from millstream import Stores

OURS = {"inMemoryVersionedKeyValueStore"}
"""Kafka Streams does not have it."""


def of_stores(ends: tuple[str, ...]) -> set[str]:
    return {name for name in vars(Stores) if name.endswith(ends)}


def kinds() -> list[tuple[str, str]]:
    """Form and kind of the processors' stores."""
    given = [kind for kinds in PROCESSOR_KINDS.values() for kind in kinds.values()]
    parts = [kind.rpartition(" over ") for kind in given]
    return [(form, kind) for form, _, kind in parts]


def test_every_supplier_of_stores_is_in_the_relay() -> None:
    found = {_STORE_KINDS[kind][0] for _, kind in kinds()}

    assert found == of_stores(("Store", "StoreWithHeaders", "lruMap")) - OURS


def test_every_builder_of_stores_is_in_the_relay() -> None:
    found = {
        _builder_over(form, _STORE_KINDS[kind][1]) if form else _STORE_KINDS[kind][1]
        for form, kind in kinds()
    }

    assert found == of_stores(("Builder",))


@pytest.mark.parametrize("scenario", [*KINDS.values(), SMALL], ids=lambda each: each["name"])
@pytest.mark.parametrize(
    "config",
    [{}, {"topology.optimization": "all"}, {"dsl.store.format": "headers"}],
    ids=["default", "optimized", "headers"],
)
def test_the_topologies_can_be_built(scenario: Json, config: Json) -> None:
    own = {**named(scenario, "prefix"), "config": config}

    described = str(build(own, {**scenario_config(own), **config}).describe())

    assert all(topic in described for topic in own["topics"])


@pytest.mark.parametrize("scenario", KINDS.values(), ids=KINDS)
def test_the_input_is_the_same_for_a_seed_and_begins_at_time_zero(scenario: Json) -> None:
    sent = records(3, 90, scenario["feeds"])

    assert sent == records(3, 90, scenario["feeds"])
    assert [part for third in thirds(sent) for part in third] == sent
    assert sent[0].time == 0
    assert {each.topic for each in sent} == set(scenario["feeds"])
