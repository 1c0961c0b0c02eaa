"""Topologies of the relay, in the form of the oracle's scenarios, with stores of every kind."""

from __future__ import annotations

from compat_tests.relay.aggregations import AGGREGATIONS
from compat_tests.relay.joins import JOINS
from compat_tests.relay.parts import STREAM, TEXTS, TIME_KEY, TUMBLING, Json, aggregated, relay
from compat_tests.relay.processors import PROCESSORS
from compat_tests.relay.tables import TABLES

KINDS: dict[str, Json] = {each["name"]: each for each in (AGGREGATIONS, JOINS, TABLES, PROCESSORS)}

SMALL = relay(
    "small-relay",
    {"a": "text"},
    [
        {**STREAM, "id": "a", "topics": ["a"]},
        {"id": "g", "op": "groupByKey", "from": ["a"], **TEXTS},
    ],
    [
        aggregated("key-value", "out-count", "g"),
        aggregated("suppressed windows", "out-final", "g", TIME_KEY, window=TUMBLING,
                   held={"until": "windowCloses", "name": "held-back"}),
    ],
)  # fmt: skip
"""A count, and windows that are held back until they close."""


def named(scenario: Json, prefix: str) -> Json:
    """The scenario with other names of topics."""
    names = {name: f"{prefix}-{name}" for name in scenario["topics"]}

    def step(given: Json) -> Json:
        found = dict(given)
        if isinstance(found.get("topic"), str):
            found["topic"] = names.get(found["topic"], found["topic"])
        if "topics" in found:
            found["topics"] = [names.get(each, each) for each in found["topics"]]
        return found

    return {
        **scenario,
        "topics": {names[name]: types for name, types in scenario["topics"].items()},
        "inputs": [names[name] for name in scenario["inputs"]],
        "outputs": [names[name] for name in scenario["outputs"]],
        "topology": [step(each) for each in scenario["topology"]],
    }
