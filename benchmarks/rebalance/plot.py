"""Plots of the results; they need matplotlib."""

from __future__ import annotations

from pathlib import Path

from benchmarks.rebalance.measure import Lives
from benchmarks.rebalance.settings import Setting
from millstream.core.errors import IllegalStateException

BARS = (
    ("moved", "tasks moved"),
    ("downtime_s", "downtime, task-seconds"),
    ("restored_gb", "state restored, GB"),
    ("balance_s_mean", "mean time to balance, s"),
    ("imbalance", "tasks of the fullest executor / mean"),
)


def plot(setting: Setting, found: Lives, path: Path) -> None:
    """Draw what strategies cost in the random history.

    Args:
        setting: What was measured.
        found: By strategy.
        path: Where to; its suffix says in which format.

    Raises:
        IllegalStateException: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise IllegalStateException(
            "cannot plot without matplotlib", hint="Install it: pip install millstream[plot]."
        ) from error
    names = list(found)
    costs = {name: lived["history"].costs for name, lived in found.items()}
    rows = {name: each.summary(setting.tasks) for name, each in costs.items()}
    # The same picture for the same numbers, to the byte.
    with mpl.rc_context({"svg.hashsalt": "millstream", "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(12, 6.5), layout="constrained")
        axes = figure.subplots(2, 3).flat
        colors = [f"C{number}" for number in range(len(names))]
        for (column, title), axis in zip(BARS, axes, strict=False):
            axis.barh(names, [rows[name][column] for name in names], color=colors)
            axis.set_title(title)
            axis.invert_yaxis()
            if column == "downtime_s":
                axis.set_xscale("symlog")
        axis = axes[len(BARS)]
        for name, color in zip(names, colors, strict=True):
            hours = [when / 3600 for when, _ in costs[name].downtime_at]
            axis.plot(hours, [down for _, down in costs[name].downtime_at], color=color, label=name)
        axis.set_title("downtime until then, task-seconds")
        axis.set_xlabel("hours")
        axis.set_yscale("symlog")
        axis.legend()
        figure.suptitle(
            f"{setting.executors:,} executors, {setting.tasks:,} tasks, "
            f"{setting.history_steps()} steps, seed {setting.seed}"
        )
        metadata = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(path, metadata=metadata)
