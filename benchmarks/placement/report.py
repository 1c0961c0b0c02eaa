"""Report of the runs side by side."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.cluster.table import print_table
from benchmarks.placement.experiment import Outcome

HEADINGS = (
    "way",
    "moves of the lost executor's tasks",
    "moves of other tasks",
    "tasks by executor at the end",
    "new executor after s",
    "balance after s more",
    "batch ms before",
    "longest",
    "after",
    "exactly once",
)


def print_report(found: Sequence[tuple[str, Outcome]]) -> None:
    """Print a table with a row for each run."""
    print_table(HEADINGS, [(way, *row(outcome)) for way, outcome in found])


def row(outcome: Outcome) -> list[str]:
    """Return what a run showed, in the order of the headings."""
    moves = outcome.moved()
    others = [task for task, names in outcome.owners.items() if names[0] != outcome.lost]
    theirs = sum(moves[task] for task in others)
    balanced = outcome.balanced_s
    return [
        str(sum(moves.values()) - theirs),
        str(theirs),
        " + ".join(map(str, outcome.balance())),
        f"{outcome.joined_s:.0f}",
        "never" if balanced is None else f"{balanced:.0f}",
        *(f"{outcome.batch_ms[name]:.0f}" for name in ("before", "longest", "after")),
        "no" if outcome.wrong else f"yes ({outcome.records} results)",
    ]
