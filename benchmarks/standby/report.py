"""Report of the runs: a line for each figure, a column for each way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median

from benchmarks.cluster.table import print_table
from benchmarks.standby.measure import Outcome

WITHOUT = "without"
_FIGURES: Mapping[str, Callable[[Outcome], float]] = {
    "ordinary batch, s": lambda each: each.ordinary_s,
    "executor killed: next output of its task after s": lambda each: each.next_output_s,
    "… in ordinary batches": lambda each: each.next_output_s / each.ordinary_s,
    "… first output for a record sent after it, s": lambda each: each.first_output_s,
    "… longest batch until the new executor, s": lambda each: each.longest_after_kill_s,
    "… entries restored": lambda each: each.restored,
    "new executor after s": lambda each: each.joined_s,
    "… longest batch from then on, in ordinary ones": lambda each: each.moving_s / each.ordinary_s,
    "… runs in which it got a task": lambda each: each.balanced,
    "executor ended by Spark: longest batch, s": lambda each: each.ended_s,
    "executor added: ordinary batch before, s": lambda each: each.before_s,
    "… longest batch from then on, s": lambda each: each.added_s,
    "… in ordinary ones": lambda each: each.added_s / each.before_s,
    "records a second of the burst": lambda each: each.burst / each.burst_s,
    "results lost, repeated or wrong": lambda each: each.wrong,
    "load of the machine at the kill": lambda each: each.load[0] if each.load else 0,
}


def print_report(found: Sequence[tuple[str, Outcome]]) -> None:
    """Print medians, with the least and the largest figure where there are several runs."""
    by_way: dict[str, list[Outcome]] = {}
    for way, outcome in found:
        by_way.setdefault(way, []).append(outcome)
    print_table(("", *(f"{way} ({len(runs)})" for way, runs in by_way.items())), rows(by_way))


def rows(by_way: Mapping[str, Sequence[Outcome]]) -> list[list[str]]:
    """Return the lines of the report.

    Args:
        by_way: The runs of each way, in the order of their numbers.
    """
    lines = [
        [name, *(shown([figure(each) for each in runs]) for runs in by_way.values())]
        for name, figure in _FIGURES.items()
    ]
    base = by_way.get(WITHOUT)
    if base:
        lines.append(["… next output, times as fast as without"])
        lines.append(["… throughput, as a part of that without"])
        for runs in by_way.values():
            # The first run of a way is compared with the first one without, and so on.
            pairs = list(zip(base, runs, strict=False))
            lines[-2].append(shown([b.next_output_s / each.next_output_s for b, each in pairs]))
            lines[-1].append(shown([b.burst_s / each.burst_s for b, each in pairs]))
    return lines


def shown(figures: Sequence[float]) -> str:
    """Return figures as text: ``1.25 (1.02 to 1.31)``.

    Example:
        >>> shown([3, 1, 2.5])
        '2.50 (1 to 3)'
        >>> shown([1234567.0])
        '1,234,567'
    """
    if not figures:
        return "-"
    middle, least, most = map(_number, (median(figures), min(figures), max(figures)))
    return middle if least == most else f"{middle} ({least} to {most})"


def _number(figure: float) -> str:
    whole = float(figure).is_integer() or abs(figure) >= 100
    return f"{figure:,.0f}" if whole else f"{figure:.2f}"
