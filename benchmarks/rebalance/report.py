"""Table of the results."""

from __future__ import annotations

from typing import Any

ABOUT = {
    "no-delay": "the same, but a lost executor's tasks move at once",
    "learners": "the same, but owners stop what others learn in each rebalance",
    "eager": "the same assignor, but all tasks stop in each rebalance",
    "hash": "the hash of the task, modulo executors; all tasks stop",
    "random": "as Spark places: new executors take at random; all wait for those that restore",
}
COLUMNS = (
    ("moved", 10),
    ("down, task-s", 14),
    ("restored, GB", 14),
    ("rebalances", 12),
    ("balanced after, s", 19),
    ("tasks max/mean", 16),
    ("bytes max/mean", 16),
)
TITLES = {
    "scale_up": "A tenth more executors join",
    "bounce": "An executor is away for half of the delay",
    "history": "A random history of {steps} steps",
}


def table(found: dict[str, Any]) -> str:
    """Return what has been measured as text."""
    seconds = ", ".join(f"{what} {each:.2f} s" for what, each in found["assign"].items())
    lines = [
        f"{found['executors']:,} executors, {found['tasks']:,} tasks, seed {found['seed']}",
        f"one assignment by {found['assignor']}: {seconds}",
    ]
    for told, title in TITLES.items():
        lines += ["", title.format(steps=found["steps"])]
        lines.append(f"{'':20}" + "".join(f"{name:>{width}}" for name, width in COLUMNS))
        lines += [_row(name, lived[told]) for name, lived in found["strategies"].items()]
    about = [f"{name}: {ABOUT[name]}" for name in found["strategies"] if name in ABOUT]
    return "\n".join([*lines, "", *about])


def _row(name: str, lived: dict[str, Any]) -> str:
    values = (
        f"{lived['moved']:,}",
        f"{lived['downtime_s']:,.0f}",
        f"{lived['restored_gb']:,.1f}",
        f"{lived['rebalances']:,}",
        f"{lived['balance_s_mean']:,.0f} ({lived['balance_s_max']:,.0f})",
        f"{lived['imbalance']:.2f}",
        f"{lived['imbalance_bytes']:.2f}",
    )
    cells = (f"{value:>{width}}" for value, (_, width) in zip(values, COLUMNS, strict=True))
    return f"{name[-20:]:20}" + "".join(cells)
