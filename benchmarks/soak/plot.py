"""Picture of the series of a soak; it needs matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from millstream.core.errors import IllegalStateException

PANELS = (
    ("resident memory, MB", "memory MB"),
    ("open files", "open files"),
    ("threads", "threads"),
    ("files on disk", "on disk: files"),
    ("on disk, MB", "on disk: MB"),
    ("JVM's heap after collections, MB", "heap_mb"),
)
"""Title of each panel, and the end of the names of its series."""
_POINTS = 200
"""About how many points of a series are drawn."""


def plot(
    times: Sequence[float], series: Mapping[str, Sequence[float]], title: str, path: Path
) -> None:
    """Draw the series by kind.

    Args:
        times: When each sample was taken, in seconds.
        series: Name -> value of each sample.
        title: Of the whole picture.
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
    step = max(1, len(times) // _POINTS)
    minutes = [at / 60 for at in times[::step]]
    with mpl.rc_context({"svg.hashsalt": "millstream", "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(12, 6.5), layout="constrained")
        for axis, (name, end) in zip(figure.subplots(2, 3).flat, PANELS, strict=True):
            roles: dict[str, str] = {}
            for each in sorted(each for each in series if each.endswith(end)):
                role = _role(each)
                known = role in roles
                color = roles.setdefault(role, f"C{len(roles)}")
                label = "_" if known else role
                values = series[each][::step]
                axis.plot(minutes, values, label=label, color=color, linewidth=0.8)
            axis.set_title(name)
            axis.set_xlabel("minutes")
            axis.set_ylim(bottom=0)
            if roles:
                axis.legend(loc="upper left", fontsize=7)
        figure.suptitle(title)
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def _role(name: str) -> str:
    """Return what a series is of: a kind of process, or a directory."""
    owner = name.partition(":")[0]
    kind, _, number = owner.rpartition(" ")
    return kind if number.isdigit() else owner.removesuffix(" on disk")
