"""Hypothesis strategies of programs and of what they read."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from compat_tests.conformance.replay import build, scenario_config
from compat_tests.properties import joining, processors, stateful, stateless
from compat_tests.properties.program import KEYS, VALUES, Program
from millstream.core.errors import StreamsException

Json = dict[str, Any]
CONTINUE = "org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler"
FEATURES = frozenset({"cache", "clock", "emit", "fk", "global", "versioned"})
KINDS = [
    stateless.STEPS,
    stateful.AGGREGATIONS,
    stateful.TABLE_STEPS,
    joining.STEPS,
    processors.STEPS,
]


@st.composite
def programs(
    draw: Any, features: frozenset[str] = FEATURES, most: int = 6, *, continues: bool = False
) -> Json:
    """A scenario without events.

    Args:
        draw: Hypothesis' own.
        features: ``cache``: stores may be cached; ``clock``: punctuations by wall clock; ``emit``:
            emission on window close; ``fk``, ``global``: these joins; ``versioned`` tables.
        most: At most so many steps, but for those that the steps need.
        continues: Always go on after a failure in a function.
    """
    program = Program(draw, features)
    for _ in range(draw(st.integers(1, most))):
        kind = draw(st.sampled_from(KINDS))
        draw(st.sampled_from(kind))(program)
    return finished(draw, program, continues=continues)


def finished(draw: Any, program: Program, *, continues: bool) -> Json:
    if not program.flows:
        program.source("in")
    config: Json = {
        "topology.optimization": draw(st.sampled_from(["none", "all"])),
        "default.dsl.store": draw(st.sampled_from(["in_memory", "rocksDB"])),
    }
    if continues or draw(st.integers(0, 4)) != 4:
        config["processing.exception.handler"] = CONTINUE
    sizes = [0, 10_000_000, 400] if "cache" in program.features else [0]
    if draw(st.integers(0, 3)) == 3:
        config["errors.dead.letter.queue.topic.name"] = "dead"
    config["statestore.cache.max.bytes"] = draw(st.sampled_from(sizes))
    scenario = program.scenario(config)
    if config["topology.optimization"] == "all" and not _optimizes(scenario):
        config["topology.optimization"] = "none"
    return scenario


def _optimizes(scenario: Json) -> bool:
    """Tell whether the optimiser knows the program's shape; like Kafka's it refuses some."""
    try:
        build(scenario, scenario_config(scenario))
    except StreamsException:
        return False
    return True


@st.composite
def events(draw: Any, scenario: Json, most: int = 30) -> list[Json]:
    """Records for the topics that a program reads, in any order of time."""
    topics = sorted(set(scenario["topics"]) & {"in", "in2", "in3", "table", "table2", "table3"})
    headers = draw(st.booleans())
    far = draw(st.sampled_from([[0], [0], [0, 0, 0, 100_000], [0, 0, 70_000, 200_000]]))
    strategy = st.fixed_dictionaries(
        {
            "pipe": st.sampled_from(topics),
            "key": st.sampled_from(KEYS),
            "value": st.integers(0, 4),
            "ts": st.integers(0, 40),
            "far": st.sampled_from(far),
            "timeless": st.integers(0, 9),
            "headers": st.sampled_from([[], [], [["h", "0"]], [["h", None]]] if headers else [[]]),
        }
    )
    # Left to itself Hypothesis draws three or so, too few for anything to meet anything.
    least = draw(st.sampled_from([1, most // 4, most, most]))
    raws = draw(st.lists(strategy, min_size=least, max_size=most))
    return [_event(scenario, raw) for raw in raws]


def _event(scenario: Json, raw: Json) -> Json:
    kind = scenario["topics"][raw["pipe"]][1]
    event = {
        "pipe": raw["pipe"],
        "key": raw["key"],
        "value": VALUES[kind][raw["value"]],
        "ts": raw["ts"] + raw["far"],
    }
    if raw["timeless"] == 9 and raw["pipe"] in _forgiving(scenario):
        event["ts"] = -1
    return event | ({"headers": raw["headers"]} if raw["headers"] else {})


def _forgiving(scenario: Json) -> set[str]:
    """Topics that may have records without a time."""
    return {step["topics"][0] for step in scenario["topology"] if "ts" in step}


@st.composite
def globals_(draw: Any, scenario: Json) -> list[Json]:
    """Records for the global table, if there is one."""
    if "global" not in scenario["topics"]:
        return []
    return [
        {"pipe": "global", "key": key, "value": draw(st.sampled_from(VALUES["string"])), "ts": 0}
        for key in ("a", "b", "m0")
    ]


@st.composite
def runs(draw: Any, features: frozenset[str] = FEATURES, *, continues: bool = False) -> Json:
    """A whole scenario: program, what global tables hold, then records."""
    scenario = draw(programs(features, continues=continues))
    scenario["events"] = draw(globals_(scenario)) + draw(events(scenario))
    return scenario  # type: ignore[no-any-return]
