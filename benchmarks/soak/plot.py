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
    minutes = [at / 60 for at in times]
    with mpl.rc_context({"svg.hashsalt": "millstream", "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(12, 6.5), layout="constrained")
        for axis, (name, end) in zip(figure.subplots(2, 3).flat, PANELS, strict=True):
            for each in sorted(series):
                if (
                    each.endswith(end)
                    or (end == "directory: files" and each == "checkpoint: files")
                    or (end == "directory: MB" and each == "checkpoint: MB")
                ):
                    axis.plot(minutes, series[each], label=each.partition(":")[0], linewidth=0.8)
            axis.set_title(name)
            axis.set_xlabel("minutes")
            axis.set_ylim(bottom=0)
            if axis.lines:
                axis.legend(fontsize=6)
        figure.suptitle(title)
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
