"""What the topologies of the relay are made of: steps, and what each output shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

TEXT = ["string", "string"]
STREAM = {"op": "stream", "key": "string", "value": "string"}
TEXTS = {"key": "string", "value": "string"}
TIME_KEY = "tw:string:1000"
SESSION_KEY = "sw:string"
TUMBLING = {"type": "tumbling", "size": 1000, "grace": 500}
HOPPING = {"type": "hopping", "size": 1000, "advance": 400, "grace": 500}
SLIDING = {"type": "sliding", "diff": 600, "grace": 500}
SESSION = {"type": "session", "gap": 300, "grace": 500}


@dataclass(frozen=True)
class Part:
    """Steps with one output, and the kind of store whose contents it shows."""

    shows: str
    output: str
    steps: Sequence[Json]
    key: str = "string"
    unordered: bool = False
    """It comes from several threads of work, so that only the last result of a key counts."""
    known: str = ""
    """Why it differs, if Kafka Streams itself cannot go on with that store."""
    types: Mapping[str, Sequence[str]] = ()  # type: ignore[assignment]
    """Key and value types of stores that a processor takes commands for."""


def relay(
    name: str,
    feeds: Mapping[str, str],
    sources: Sequence[Json],
    parts: Sequence[Part],
    partitions: int = 2,
    of_globals: Sequence[str] = (),
) -> Json:
    """Return a scenario of the relay.

    Args:
        name: Its name.
        feeds: Input topic -> what it has, by a name of `inputs.VALUES`; most come to the first.
        sources: The steps before all parts.
        parts: The parts.
        partitions: Of each topic.
        of_globals: Input topics of global stores, of which no offsets are committed.
    """
    outputs = [part.output for part in parts]
    return {
        "name": name,
        "feature": "relay",
        "partitions": partitions,
        "feeds": dict(feeds),
        "topics": dict.fromkeys(feeds, TEXT) | {p.output: [p.key, "string"] for p in parts},
        "inputs": [topic for topic in feeds if topic not in of_globals],
        "outputs": outputs,
        "unordered": [part.output for part in parts if part.unordered],
        "shows": {part.output: part.shows for part in parts},
        "known": {part.output: part.known for part in parts if part.known},
        "stores": {name: list(types) for part in parts for name, types in dict(part.types).items()},
        "topology": [*sources, *(step for part in parts for step in part.steps)],
    }


def to(source: str, topic: str, key: str = "string") -> Json:
    return {"op": "to", "from": [source], "topic": topic, "key": key, "value": "string"}


def texts(table: str, output: str, key: str = "string") -> list[Json]:
    """A table's updates as a stream of texts."""
    return [
        {"id": f"{output}-stream", "op": "toStream", "from": [table]},
        {"id": f"{output}-text", "op": "mapValues", "from": [f"{output}-stream"], "fn": "toString"},
        to(f"{output}-text", output, key),
    ]


def aggregated(shows: str, output: str, source: str, key: str = "string", **given: Any) -> Part:
    """An aggregation (a count, if nothing else is said) and its updates.

    Args:
        shows: The kind of store.
        output: The topic of the updates; the store has its name, too.
        source: The id of the grouped stream.
        key: The type of the output's keys.
        given: More of the step; ``store`` is more of its ``materialized``, ``held`` a step that
            suppresses updates.
    """
    store = {"store": f"{output}-store", "value": "long"} | given.pop("store", {})
    held = given.pop("held", None)
    named = f"{output}-table"
    step = {"id": named, "op": "count", "from": [source], "materialized": store} | given
    steps = [step]
    if held is not None:
        steps.append({"id": f"{output}-held", "op": "suppress", "from": [named], **held})
        named = f"{output}-held"
    return Part(shows, output, [*steps, *texts(named, output, key)], key)
