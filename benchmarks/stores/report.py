"""Report of the benchmark."""

from __future__ import annotations

import json
from typing import Any

TARGETS = {
    ("memory", "get"): 2.0,
    ("memory", "put"): 2.0,
    ("rocksdb", "get"): 2.0,
    ("rocksdb", "put"): 1.5,
}
"""How much longer than its peer an operation may take."""

RESTORE_RATE = 300_000
FLAT = 1.2
WORST_BATCH = 3.0
_MEGABYTE = 1 << 20
_BATCHES = {"catch_up": "the changelog's share of a batch", "spark": "a batch on Spark"}


def print_report(found: list[dict[str, Any]], *, as_json: bool) -> None:
    """Print every measurement as one line of JSON, or as tables."""
    missed = missed_targets(found)
    if as_json:
        print(json.dumps({"rows": found, "missed": missed}))
        return
    print(f"{'store':10}{'keys':>10}  {'operation':16}{'us':>9}{'peer us':>9}{'ratio':>7}")
    for row in found:
        for operation, times in row.get("operations", {}).items():
            print(f"{_head(row)}{operation:16}{_times(times)}")
        if "memory" in row:
            own, mapped = (row["memory"][kind] / _MEGABYTE for kind in ("own", "mapped"))
            print(f"{_head(row)}{'memory':16}{own:>8.1f} MB, {mapped:.1f} MB of mapped files")
    print(f"\n{'store':10}{'keys':>10}  {'restore s':>10}{'entries/s':>12}{'batch ms':>10}  worst")
    for row in found:
        if "catch_up" in row:
            each = row["catch_up"]
            rate, worst = each["restore_rate"], each["worst_batch"]
            line = f"{each['restore_s']:>10.3f}{rate:>12,}{each['batch_ms']:>10.2f}  {worst:.1f}x"
            print(_head(row) + line)
    print(f"\n{'store':10}{'keys':>10}  {'batch on Spark ms':>17}  worst")
    for row in found:
        if "spark" in row:
            each = row["spark"]
            print(f"{_head(row)}{each['batch_ms']:>17.0f}  {each['worst_batch']:.1f}x")
    print("\n" + ("\n".join(f"missed: {line}" for line in missed) or "every target met"))


def missed_targets(found: list[dict[str, Any]]) -> list[str]:
    """Return a line for each target that a measurement misses."""
    missed = []
    typical: dict[tuple[str, str], dict[int, float]] = {}
    for row in found:
        place = f"{row['store']} at {row['keys']:,} keys"
        for operation, times in row.get("operations", {}).items():
            limit = TARGETS.get((row["store"], operation))
            if limit is not None and times.get("ratio", 0) > limit:
                ratio = times["ratio"]
                missed.append(f"{place}: {operation} takes {ratio}x, not {limit}x, its peer")
        for part in ("catch_up", "spark"):
            worst = row.get(part, {}).get("worst_batch", 0)
            if worst > WORST_BATCH:
                missed.append(f"{place}: {_BATCHES[part]} takes {worst}x the median")
            if part in row:
                typical.setdefault((row["store"], part), {})[row["keys"]] = row[part]["batch_ms"]
        rate = row.get("catch_up", {}).get("restore_rate", RESTORE_RATE)
        if row["store"] == "memory" and rate < RESTORE_RATE:
            missed.append(f"{place}: {rate:,} entries restored a second")
    for (store, part), times in typical.items():
        if max(times.values()) > FLAT * min(times.values()):
            sizes = ", ".join(f"{ms} ms at {keys:,}" for keys, ms in sorted(times.items()))
            missed.append(f"{store}: {_BATCHES[part]} depends on the state's size: {sizes}")
    return missed


def _head(row: dict[str, Any]) -> str:
    return f"{row['store']:10}{row['keys']:>10,}  "


def _times(times: dict[str, float]) -> str:
    if "peer" not in times:
        return f"{times['ours']:>9.2f}"
    return f"{times['ours']:>9.2f}{times['peer']:>9.2f}{times['ratio']:>7.2f}"
