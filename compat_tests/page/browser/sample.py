"""Snapshots of an application that does not run: the same ones for each tick."""

from __future__ import annotations

import math
from typing import Any

Json = dict[str, Any]

START = 1_790_000_000_000
"""When the application started, in epoch milliseconds."""
SECOND = 1000

_STAGES = [
    (["orders"], ["shop-orders-by-customer-repartition"], []),
    (["shop-orders-by-customer-repartition", "customers"], ["enriched"], ["customers-table"]),
    (
        ["enriched"],
        ["totals-per-hour", "unreadable-orders"],
        ["hourly-totals", "KTABLE-SUPPRESS-STATE-STORE-0000000016"],
    ),
]
_NODES = [
    ("KSTREAM-SOURCE-0000000000", "source", 0, ["orders"], []),
    ("drop-test-orders", "processor", 0, [], []),
    ("KSTREAM-KEY-SELECT-0000000003", "processor", 0, [], []),
    ("KSTREAM-SINK-0000000004", "sink", 0, ["shop-orders-by-customer-repartition"], []),
    ("KSTREAM-SOURCE-0000000005", "source", 1, ["shop-orders-by-customer-repartition"], []),
    ("KSTREAM-SOURCE-0000000006", "source", 1, ["customers"], []),
    ("KTABLE-SOURCE-0000000007", "processor", 1, [], ["customers-table"]),
    ("KSTREAM-LEFTJOIN-0000000008", "processor", 1, [], ["customers-table"]),
    ("KSTREAM-SINK-0000000009", "sink", 1, ["enriched"], []),
    ("KSTREAM-SOURCE-0000000010", "source", 2, ["enriched"], []),
    ("check-amount", "processor", 2, [], []),
    ("KSTREAM-AGGREGATE-0000000012", "processor", 2, [], ["hourly-totals"]),
    ("KTABLE-SUPPRESS-0000000015", "processor", 2, [], ["KTABLE-SUPPRESS-STATE-STORE-0000000016"]),
    ("KTABLE-TOSTREAM-0000000017", "processor", 2, [], []),
    ("KSTREAM-SINK-0000000018", "sink", 2, ["totals-per-hour"], []),
    ("KSTREAM-SINK-0000000019", "sink", 2, ["unreadable-orders"], []),
]
_EDGES = [
    (0, 1),
    (1, 2),
    (2, 3),
    (4, 7),
    (5, 6),
    (6, 7),
    (7, 8),
    (9, 10),
    (10, 11),
    (11, 12),
    (12, 13),
    (13, 14),
    (10, 15),
]
_TOPICS = [
    ("orders", False, "source"),
    ("customers", False, "source"),
    ("shop-orders-by-customer-repartition", True, "repartition"),
    ("enriched", False, "sink"),
    ("totals-per-hour", False, "sink"),
    ("unreadable-orders", False, "sink"),
]
_STORES = [
    ("customers-table", "TIMESTAMPED_KEY_VALUE", "rocksdb", 1, ["KTABLE-SOURCE-0000000007"], True),
    ("hourly-totals", "WINDOW", "rocksdb", 2, ["KSTREAM-AGGREGATE-0000000012"], True),
    (
        "KTABLE-SUPPRESS-STATE-STORE-0000000016",
        "BUFFER",
        "memory",
        2,
        ["KTABLE-SUPPRESS-0000000015"],
        False,
    ),
]


def topology() -> Json:
    """Return a topology of three sub-topologies, with a join, windows and a suppression."""
    return {
        "description": "Topologies:\n   Sub-topology: 0\n",
        "stages": [
            {"index": n, "subtopology": n, "sources": sources, "sinks": sinks, "stores": stores}
            for n, (sources, sinks, stores) in enumerate(_STAGES)
        ],
        "nodes": [node(*each) for each in _NODES],
        "edges": [{"from": _NODES[a][0], "to": _NODES[b][0]} for a, b in _EDGES],
        "topics": [{"name": n, "internal": i, "role": r} for n, i, r in _TOPICS],
        "bounds": {"width": 900.0, "height": 600.0},
        "stores": [
            dict(
                zip(
                    ("name", "type", "kind", "subtopology", "nodes", "queryable"), each, strict=True
                )
            )
            for each in _STORES
        ],
    }


def node(name: str, kind: str, part: int, topics: list[str], stores: list[str]) -> Json:
    """Return one node of a topology; the page finds its place itself."""
    return {
        "name": name,
        "kind": kind,
        "subtopology": part,
        "topics": topics,
        "stores": stores,
        "x": 0.0,
        "y": 0.0,
        "width": 176.0,
        "height": 40.0,
    }


def snapshot(tick: int = 100) -> Json:
    """Return what the application would report after so many batches, one each second."""
    now = START + tick * SECOND
    rate = _rate(tick)
    return {
        "at": now,
        "application": {
            "id": "shop",
            "state": "RUNNING",
            "started": START,
            "guarantee": "exactly_once_v2",
            "version": "0.2.0",
            "master": "spark://driver:7077",
            "paused": False,
            "spare_for": None,
            "waiting": None,
        },
        "totals": {
            "records": sum(_rate(each) for each in range(tick + 1)),
            "records_per_s": rate,
            "lag": 480 + tick % 7 * 31,
            "batch": tick,
            "batch_ms": _batch(tick)["total_ms"],
            "state_bytes": 48_400_000 + 21_000 * tick,
            "dropped": 46 + tick // 10,
            "late": 31 + tick // 10,
            "dead_lettered": 12,
            "failures": 1,
        },
        "nodes": _nodes(tick),
        "topics": _topics(tick),
        "tasks": _tasks(tick),
        "executors": [
            {"id": "executor 1", "host": "worker-a.example", "tasks": 5, "standbys": 2, "cores": 4},
            {"id": "executor 2", "host": "worker-b.example", "tasks": 4, "standbys": 2, "cores": 4},
            {
                "id": "executor 4",
                "host": "worker-c.example",
                "tasks": 3,
                "standbys": 0,
                "cores": None,
            },
        ],
        "batches": [_batch(each) for each in range(max(0, tick - 59), tick + 1)],
        "stores": _stores(tick),
        "dropped": _dropped(tick),
        "buffers": [
            {
                "name": "KTABLE-SUPPRESS-STATE-STORE-0000000016",
                "task": f"2_{n}",
                "records": 912 + 40 * n,
                "bytes": 118_000 + 5_200 * n,
            }
            for n in range(4)
        ],
        "errors": errors(now),
        "work": None,
    }


def _rate(tick: int) -> int:
    return 12_400 + int(1_900 * math.sin(tick / 6)) + tick * 37 % 411


def _nodes(tick: int) -> Json:
    shares = [
        1.0,
        1.0,
        0.96,
        0.96,
        0.96,
        0.004,
        0.004,
        0.96,
        0.96,
        0.96,
        None,
        0.95,
        0.95,
        0.02,
        0.02,
        0.001,
    ]
    return {
        name: {
            "records_per_s": round(_rate(tick) * share, 1),
            "records": int(_rate(tick) * share) * tick,
        }
        for (name, *_), share in zip(_NODES, shares, strict=True)
        if share is not None
    }


def _topics(tick: int) -> Json:
    rate = _rate(tick)
    through = {"consumed_per_s": rate * 0.96, "produced_per_s": rate * 0.96}
    return {
        "orders": {
            "consumed_per_s": float(rate),
            "produced_per_s": None,
            "lag": 418 + tick % 7 * 31,
            "delay_ms": 840.0,
        },
        "customers": {
            "consumed_per_s": rate * 0.004,
            "produced_per_s": None,
            "lag": 0,
            "delay_ms": 12_400.0,
        },
        "shop-orders-by-customer-repartition": {**through, "lag": None, "delay_ms": None},
        "enriched": {**through, "lag": 62, "delay_ms": 910.0},
        "totals-per-hour": {
            "consumed_per_s": None,
            "produced_per_s": rate * 0.02,
            "lag": None,
            "delay_ms": None,
        },
        "unreadable-orders": {
            "consumed_per_s": None,
            "produced_per_s": 0.0,
            "lag": None,
            "delay_ms": None,
        },
    }


def _tasks(tick: int) -> list[Json]:
    places = [1, 1, 2, 2, 1, 1, 2, 4, 1, 2, 4, 4]
    moved = {7: "executor 3 was lost", 10: "executor 3 was lost", 11: "fewer tasks on executor 4"}
    ids = [(stage, partition) for stage in range(3) for partition in range(4)]
    return [
        {
            "id": f"{stage}_{partition}",
            "stage": stage,
            "executor": f"executor {place}",
            "host": f"worker-{'abcd'[place - 1]}.example",
            "standbys": [f"executor {1 + place % 2}"] if stage == 1 else [],
            "lag": None if stage == 1 else 40 + number * 13 % 97 + (260 if number == 3 else 0),
            "records": _rate(tick) * tick // 12 + number * 1_013,
            "previous": {
                "executor": "executor 3" if number < 11 else "executor 1",
                "at": START + tick * SECOND - 185_000,
                "why": moved[number],
            }
            if number in moved
            else None,
        }
        for number, ((stage, partition), place) in enumerate(zip(ids, places, strict=True))
    ]


def _batch(tick: int) -> Json:
    slow = 2.6 if tick % 23 == 9 else 1.0
    parts = {
        "read": 42 + tick % 5 * 3,
        "plan": 31,
        "pack": 58 + tick % 7 * 2,
        "stage 0": 120 + int(25 * math.sin(tick / 4)),
        "stage 1": 184 + int(30 * math.sin(tick / 5)),
        "stage 2": int((150 + 20 * math.sin(tick / 3)) * slow),
        "sink": 66 + tick % 4 * 5,
        "commit": int((48 + tick % 3 * 4) * slow),
        "other": 14,
    }
    return {
        "id": tick,
        "started": START + tick * SECOND - sum(parts.values()),
        "total_ms": sum(parts.values()),
        "records": _rate(tick),
        "parts": [{"name": name, "ms": ms} for name, ms in parts.items()],
    }


def _stores(tick: int) -> list[Json]:
    rate = _rate(tick)
    return [
        {
            "name": "customers-table",
            "subtopology": 1,
            "entries": 184_220,
            "bytes": 31_400_000,
            "puts_per_s": rate * 0.004,
            "gets_per_s": rate * 0.96,
            "cache_hit_ratio": 0.871,
        },
        {
            "name": "hourly-totals",
            "subtopology": 2,
            "entries": 92_410 + tick,
            "bytes": 16_900_000 + 21_000 * tick,
            "puts_per_s": rate * 0.31,
            "gets_per_s": rate * 0.31,
            "cache_hit_ratio": 0.664,
        },
        {
            "name": "KTABLE-SUPPRESS-STATE-STORE-0000000016",
            "subtopology": 2,
            "entries": None,
            "bytes": 503_200,
            "puts_per_s": None,
            "gets_per_s": None,
            "cache_hit_ratio": None,
        },
    ]


def _dropped(tick: int) -> list[Json]:
    return [
        {
            "task": "2_1",
            "node": "KSTREAM-AGGREGATE-0000000012",
            "reason": "expired window",
            "total": 22 + tick // 10,
            "per_s": 0.1,
        },
        {
            "task": "2_3",
            "node": "KSTREAM-AGGREGATE-0000000012",
            "reason": "expired window",
            "total": 9,
            "per_s": 0.0,
        },
        {
            "task": "0_2",
            "node": "KSTREAM-KEY-SELECT-0000000003",
            "reason": "null key",
            "total": 3,
            "per_s": 0.0,
        },
        {
            "task": "2_0",
            "node": "check-amount",
            "reason": "dead letter: its processing failed",
            "total": 12,
            "per_s": 0.02,
        },
    ]


def errors(now: int) -> list[Json]:
    """Return two errors: one of a record, with its place, and one of the application."""
    return [
        {
            "at": now - 95_000,
            "kind": "DeserializationException",
            "message": "cannot read the value of a record: 0x7b is no Avro record of Order",
            "operator": "KSTREAM-SOURCE-0000000000",
            "task": "0_2",
            "topic": "orders",
            "partition": 2,
            "offset": 1_204_881,
            "hint": "It went to the dead letter topic. Look at it: "
            "millstream peek orders --partition 2 --offset 1204881.",
        },
        {
            "at": now - 188_000,
            "kind": "ExecutorLost",
            "message": "Spark lost executor 3 on worker-c.example; its tasks ran again on others",
            "operator": None,
            "task": None,
            "topic": None,
            "partition": None,
            "offset": None,
            "hint": "Nothing to do. If it happens again, look for its memory in the worker's log.",
        },
    ]


def work(done: int = 3_140_000) -> Json:
    """Return the progress of a replay of five million records."""
    return {
        "kind": "replay",
        "what": "orders from 2026-09-01",
        "done": done,
        "of": 5_000_000,
        "unit": "records",
    }
