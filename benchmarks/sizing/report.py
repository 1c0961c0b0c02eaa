"""The tables, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.sizing.batches import Point
from benchmarks.sizing.check import Checked
from benchmarks.sizing.model import Constants, Line
from benchmarks.sizing.plan import Plan
from benchmarks.sizing.state import Held

PARTS = ("addBatch", "queryPlanning", "latestOffset", "walCommit", "commitOffsets")
_LINES = (
    ("serial_ms", "driver, serial, of a batch", "ms"),
    ("run_ms", "tasks on cores, of a batch", "core-ms"),
    ("jvm_cpu_ms", "processor time of the JVM, of a batch", "ms"),
    ("python_cpu_ms", "processor time of Python, of a batch", "ms"),
    ("result_bytes", "results of tasks, of a batch", "bytes"),
    ("connections", "connections of the broker", ""),
    ("workers_mb", "memory of Python workers", "MB"),
)


def points_table(points: Sequence[Point]) -> str:
    """Return a line for each number of partitions; times in milliseconds, of a batch."""
    heads = "partitions, batch, *, rest, tasks, tasks on cores, CPU of tasks' JVM threads, "
    heads += "CPU of the JVM, of it the driver, of it compilers, CPU of Python, "
    heads += (
        "results kB, JVM MB, workers MB, connections, files of state, of segments, batches, load"
    )
    rows = [
        (
            f"{each.partitions}",
            f"{each.batch_ms:,.0f}",
            *(f"{each.parts.get(part, 0):,.0f}" for part in PARTS),
            f"{each.batch_ms - sum(each.parts.get(part, 0) for part in PARTS):,.0f}",
            f"{each.tasks:.0f}",
            f"{each.run_ms:,.0f}",
            f"{each.task_cpu_ms:,.0f}",
            f"{each.jvm_cpu_ms:,.0f}",
            f"{each.driver_cpu_ms:,.0f}",
            f"{each.compiler_cpu_ms:,.0f}",
            f"{each.python_cpu_ms:,.0f}",
            f"{each.result_bytes / 1000:,.0f}",
            f"{each.jvm_mb:,.0f}",
            f"{each.workers_mb:,.0f} in {each.workers}",
            f"{each.connections}",
            f"{each.state_files:,}",
            f"{each.segment_files:,}",
            f"{each.committed}",
            f"{each.load:.1f}",
        )
        for each in points
    ]
    return _table(heads.replace("*", ", ".join(PARTS)).split(", "), rows)


def constants_table(found: Constants) -> str:
    """Return a line for each constant: its fixed part, and that of a partition."""
    rows = []
    for name, words, unit in _LINES:
        line: Line = getattr(found, name)
        rows.append((words, unit, f"{line.fixed:,.1f}", f"{line.each:,.2f}"))
    return _table(("constant", "unit", "fixed", "for each partition"), rows)


def state_table(held: Sequence[Held]) -> str:
    """Return a line for each store and size; bytes for a key."""
    rows = [
        (
            each.store,
            f"{each.keys:,}",
            f"{each.segment_bytes / each.entries:,.0f}",
            f"{each.entries / each.keys:.2f}",
            f"{each.copy_bytes / each.keys:,.0f}",
            f"{each.own_bytes / each.keys:,.0f}",
            f"{each.mapped_bytes / each.keys:,.0f}",
            f"{each.restore_s:.2f}",
            f"{each.entries / each.restore_s:,.0f}",
        )
        for each in held
    ]
    heads = "store, keys, an entry of a segment, entries of a key, working copy on disk, memory, "
    heads += "mapped, restore CPU s, entries a CPU second"
    return _table(heads.split(", "), rows)


def check_table(checks: Sequence[Checked]) -> str:
    """Return a line for each drain beside what the model says."""
    rows = [
        (
            each.drained.master,
            f"{each.drained.records:,}",
            f"{each.drained.seconds:,.1f}",
            f"{each.model_s:,.1f}",
            f"{each.bound_s:,.1f}",
            f"{each.ratio:.2f}",
            f"{each.drained.cpu_s:,.1f}",
            f"{each.cpu_s:,.1f}",
            f"{each.cpu_ratio:.2f}",
            f"{each.drained.broker_cpu_s:,.1f}",
            f"{each.drained.others:.1f}",
        )
        for each in checks
    ]
    heads = "master, records, measured s, model s, bound by the machine s, ratio, CPU s, "
    heads += "model CPU s, CPU ratio, broker CPU s, other load"
    return _table(heads.split(", "), rows)


def plan_table(plan: Plan) -> str:
    """Return a line for each figure of a planned cluster."""
    return _table(("", ""), plan.rows())


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
