"""The progress bar of a fetch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from millstream.jars.lock import LockedJar


@contextmanager
def fetch_progress(
    wanted: Sequence[LockedJar], *, show: bool | None
) -> Iterator[Callable[[str, str], None]]:
    """Show how much of `wanted` is fetched; yield a callback for each artifact and version."""
    console = Console(stderr=True)
    sizes = {(jar.artifact, jar.version): jar.size_bytes for jar in wanted}
    with Progress(
        TextColumn("fetching {task.fields[count]} jars"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not (console.is_terminal if show is None else show),
    ) as bar:
        task = bar.add_task("", total=sum(sizes.values()), count=len(wanted))

        def on_jar(artifact: str, version: str) -> None:
            bar.advance(task, sizes.get((artifact, version), 0))

        yield on_jar
