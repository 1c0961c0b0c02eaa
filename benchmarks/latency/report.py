"""The table of latencies, and that of a batch's parts."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.latency.batches import TOTAL
from benchmarks.latency.measure import Case, Outcome

_PARTS = ("addBatch", "queryPlanning", "latestOffset", "walCommit", "commitOffsets")


def table(outcomes: Sequence[Outcome]) -> str:
    """Return Markdown with a line for each outcome."""
    columns = "side, shape, guarantee, records/s, p50 ms, p99 ms, results, first result s, load"
    names = columns.split(", ")
    lines = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    for each in outcomes:
        case = each.case
        lines.append(
            f"| {name(case)} | {case.shape} | {case.guarantee} | {case.rate:,} "
            f"| {each.percentile(0.5):,.0f} | {each.percentile(0.99):,.0f} | {len(each.ages):,} "
            f"| {each.first_output_s:.1f} | {each.load:.1f} |"
        )
    return "\n".join(lines)


def parts_table(outcomes: Sequence[Outcome]) -> str:
    """Return Markdown with the median duration of each part of a batch, in milliseconds."""
    lines = [
        f"| side | shape | guarantee | records/s | batch | {' | '.join(_PARTS)} | rest |",
        "|---|---|---|---|---|" + "---|" * (len(_PARTS) + 1),
    ]
    for each in outcomes:
        if TOTAL not in each.parts:
            continue
        case = each.case
        shown = [each.parts.get(part, 0) for part in _PARTS]
        rest = each.parts[TOTAL] - sum(shown)
        cells = " | ".join(f"{value:,.0f}" for value in [each.parts[TOTAL], *shown, rest])
        lines.append(
            f"| {name(case)} | {case.shape} | {case.guarantee} | {case.rate:,} | {cells} |"
        )
    return "\n".join(lines)


def name(case: Case) -> str:
    """Return what a side is called in a table."""
    if case.side == "kafka_streams":
        return f"Kafka Streams, commit.interval.ms {case.interval_ms:,}"
    return "an empty line on Spark" if case.side == "floor" else "millstream"
