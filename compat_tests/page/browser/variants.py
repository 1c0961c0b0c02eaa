"""Other samples: hostile names, five hundred nodes, and numbers that are not known."""

from __future__ import annotations

from typing import Any

from compat_tests.page.browser import sample
from compat_tests.page.browser.sample import Json

HOSTILE = "<img src=x onerror=\"document.title='owned'\">"
NAMES = (
    HOSTILE,
    "'\"&amp;</text><script>document.title='owned'</script>",
    "注文-🧾-ترتيب",
    "a" * 400,
)


def hostile() -> tuple[Json, Json]:
    """Return a topology and a snapshot in which every name is what a page must not believe."""
    source, processor, sink, topic = NAMES[0], NAMES[1], NAMES[2], NAMES[3]
    nodes = [
        sample.node(f"source {source}", "source", 0, [HOSTILE], []),
        sample.node(processor, "processor", 0, [], [HOSTILE]),
        sample.node(f"sink {sink}", "sink", 0, [topic], []),
    ]
    names = [node["name"] for node in nodes]
    topology = {
        **sample.topology(),
        "stages": [
            {
                "index": 0,
                "subtopology": 0,
                "sources": [HOSTILE],
                "sinks": [topic],
                "stores": [HOSTILE],
            }
        ],
        "nodes": nodes,
        "edges": [{"from": names[0], "to": names[1]}, {"from": names[1], "to": names[2]}],
        "topics": [
            {"name": HOSTILE, "internal": False, "role": "source"},
            {"name": topic, "internal": False, "role": "sink"},
        ],
        "stores": [
            {
                "name": HOSTILE,
                "type": "KEY_VALUE",
                "kind": "memory",
                "subtopology": 0,
                "nodes": [processor],
                "queryable": True,
            }
        ],
    }
    return topology, {**sample.snapshot(), **_hostile_facts()}


def _hostile_facts() -> Json:
    ordinary = sample.snapshot()
    error = {
        **ordinary["errors"][0],
        "kind": HOSTILE,
        "message": HOSTILE * 20,
        "hint": HOSTILE,
        "operator": HOSTILE,
    }
    previous = {"executor": HOSTILE, "at": ordinary["at"] - 5_000, "why": NAMES[1]}
    return {
        "application": {
            **ordinary["application"],
            "id": HOSTILE,
            "waiting": NAMES[1],
            "master": "m" * 300,
        },
        "nodes": {},
        "topics": {
            HOSTILE: {"consumed_per_s": 1.5, "produced_per_s": None, "lag": 3, "delay_ms": 20.0}
        },
        "tasks": [
            {**task, "executor": HOSTILE, "standbys": [HOSTILE], "previous": previous}
            for task in ordinary["tasks"]
        ],
        "executors": [
            {"id": HOSTILE, "host": NAMES[3], "tasks": 12, "standbys": 12, "cores": None}
        ],
        "stores": [{**ordinary["stores"][0], "name": HOSTILE}],
        "dropped": [{**ordinary["dropped"][0], "reason": HOSTILE, "node": NAMES[3]}],
        "buffers": [{**ordinary["buffers"][0], "name": NAMES[3]}],
        "errors": [error, error],
        "work": {**sample.work(), "what": NAMES[3]},
    }


def large(parts: int = 40) -> tuple[Json, Json]:
    """Return a chain of sub-topologies, side by side four at a time, with 500 nodes or more."""
    stages: list[Json] = []
    nodes: list[Json] = []
    edges: list[Json] = []
    topics: list[Json] = [
        {"name": f"input-{n}", "internal": False, "role": "source"} for n in range(4)
    ]
    for part in range(parts):
        row = part // 4 * 4
        before = sorted({part - 4, row - 4 + (part + 1) % 4})
        reads = [f"input-{part}"] if part < 4 else [f"app-part-{n}-repartition" for n in before]
        writes = f"app-part-{part}-repartition"
        topics.append(
            {
                "name": writes,
                "internal": part < parts - 4,
                "role": "repartition" if part < parts - 4 else "sink",
            }
        )
        added = _part(part, reads, writes)
        nodes += added
        names = [node["name"] for node in added]
        sources, rest = names[: len(reads)], names[len(reads) :]
        edges += [{"from": name, "to": rest[0]} for name in sources]
        edges += [{"from": a, "to": b} for a, b in zip(rest, rest[1:], strict=False)]
        stores = [f"store-{part}"]
        stages.append(
            {
                "index": part,
                "subtopology": part,
                "sources": reads,
                "sinks": [writes],
                "stores": stores,
            }
        )
    kept = [
        {
            "name": f"store-{n}",
            "type": "KEY_VALUE",
            "kind": "rocksdb",
            "subtopology": n,
            "nodes": [],
            "queryable": True,
        }
        for n in range(parts)
    ]
    topology = {
        **sample.topology(),
        "stages": stages,
        "nodes": nodes,
        "edges": edges,
        "topics": topics,
        "stores": kept,
    }
    return topology, _busy(topology)


def _part(part: int, reads: list[str], writes: str) -> list[Json]:
    first = part * 13
    made = [
        sample.node(f"KSTREAM-SOURCE-{first + n:010}", "source", part, [topic], [])
        for n, topic in enumerate(reads)
    ]
    kinds = [
        "FILTER",
        "MAPVALUES",
        "PEEK",
        "AGGREGATE",
        "TOSTREAM",
        "FLATMAP",
        "PROCESSOR",
        "MERGE",
        "KEY-SELECT",
        "MAP",
    ]
    for n, kind in enumerate(kinds):
        stores = [f"store-{part}"] if kind == "AGGREGATE" else []
        made.append(
            sample.node(f"KSTREAM-{kind}-{first + 2 + n:010}", "processor", part, [], stores)
        )
    return [*made, sample.node(f"KSTREAM-SINK-{first + 12:010}", "sink", part, [writes], [])]


def _busy(topology: Json) -> Json:
    found = sample.snapshot()
    ids = [(stage["index"], partition) for stage in topology["stages"] for partition in range(12)]
    task = found["tasks"][0]
    return {
        **found,
        "nodes": {
            node["name"]: {"records_per_s": 100.0 + n, "records": 1_000 * n}
            for n, node in enumerate(topology["nodes"])
            if node["kind"] != "processor"
        },
        "topics": {
            topic["name"]: {
                "consumed_per_s": 900.0 + n,
                "produced_per_s": 800.0 + n,
                "lag": n,
                "delay_ms": 50.0 * n,
            }
            for n, topic in enumerate(topology["topics"])
        },
        "tasks": [
            {
                **task,
                "id": f"{stage}_{partition}",
                "stage": stage,
                "lag": stage * partition,
                "executor": f"executor {1 + partition % 2}",
            }
            for stage, partition in ids
        ],
        "stores": [
            {**found["stores"][0], "name": store["name"], "subtopology": store["subtopology"]}
            for store in topology["stores"]
        ],
    }


def unknown() -> Json:
    """Return a snapshot in which everything that may be null is null."""
    found = sample.snapshot()
    application = {
        **found["application"],
        "state": "CREATED",
        "started": None,
        "waiting": "no broker answers at broker:9092",
    }
    nothing: dict[str, Any] = dict.fromkeys(("lag", "batch", "batch_ms", "state_bytes"))
    return {
        **found,
        "application": application,
        "totals": {**dict.fromkeys(found["totals"], 0), **nothing, "records_per_s": None},
        "nodes": {},
        "topics": {},
        "tasks": [
            {
                **task,
                "executor": None,
                "host": None,
                "standbys": [],
                "lag": None,
                "records": 0,
                "previous": None,
            }
            for task in found["tasks"]
        ],
        "executors": [],
        "batches": [],
        "stores": [
            {
                **store,
                **dict.fromkeys(
                    ("entries", "bytes", "puts_per_s", "gets_per_s", "cache_hit_ratio")
                ),
            }
            for store in found["stores"]
        ],
        "dropped": [],
        "buffers": [],
        "errors": [],
        "work": {
            "kind": "start",
            "what": "waiting for the broker",
            "done": 0,
            "of": None,
            "unit": "steps",
        },
    }
