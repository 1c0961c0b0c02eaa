"""Displays of a running application: plain lines, one live line, a dashboard, JSON lines."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Mapping
from typing import Any, Protocol

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from millstream.cli.options import print_json_line
from millstream.cli.progress import RunProgress

_BARS = " ▁▂▃▄▅▆▇█"
_HISTORY = 60
_SAME_S = 30.0


class RunDisplay(Protocol):
    """Shows the progress of an application every ``interval_s``."""

    interval_s: float

    def show(self, progress: RunProgress) -> None:
        """Show the progress."""

    def close(self, facts: Mapping[str, Any]) -> None:
        """Show the end: its kind as ``event``, and what is known of it."""


class PlainLines:
    """A line every few seconds, for logs and pipes; fewer while nothing changes."""

    def __init__(self, interval_s: float) -> None:
        self.interval_s = interval_s
        self._last: RunProgress | None = None

    def show(self, progress: RunProgress) -> None:
        """Print a line, unless it would say the same as one a short time ago."""
        last = self._last
        again = last is not None and last.fields()[1:] == progress.fields()[1:]
        if last is None or not again or progress.seconds - last.seconds >= _SAME_S:
            self._last = progress
            print(progress.line(), flush=True)

    def close(self, facts: Mapping[str, Any]) -> None:
        """Print that the application has ended, unless by an error, which is shown elsewhere."""
        if facts["event"] == "closed":
            print("closed", flush=True)


class JsonLines:
    """One line of JSON for each look, and one for the end."""

    def __init__(self, interval_s: float) -> None:
        self.interval_s = interval_s

    def show(self, progress: RunProgress) -> None:
        """Print a line of JSON."""
        print_json_line(progress.facts())

    def close(self, facts: Mapping[str, Any]) -> None:
        """Print the last line."""
        print_json_line(facts)


class _Rich:
    def __init__(self, interval_s: float) -> None:
        self.interval_s = interval_s
        self._live = Live(console=Console(file=sys.stdout), auto_refresh=False, transient=False)
        self._live.start()

    def show(self, progress: RunProgress) -> None:
        """Draw the progress in place."""
        self._live.update(self.drawn(progress), refresh=True)

    def close(self, facts: Mapping[str, Any]) -> None:
        """Leave the last drawing there, and the cursor below it."""
        del facts
        self._live.stop()

    def drawn(self, progress: RunProgress) -> RenderableType:
        raise NotImplementedError


class LiveLine(_Rich):
    """One line that is drawn anew in place."""

    def drawn(self, progress: RunProgress) -> RenderableType:
        """Return the line."""
        text = Text(no_wrap=True, overflow="ellipsis")
        for label, value in progress.fields():
            text.append(f"{label} " if label else "", "dim")
            text.append(f"{value}  ")
        return text


class Dashboard(_Rich):
    """A panel with all facts and the rates of the last looks.

    Args:
        interval_s: Time between two looks.
        title: The application and its topology's size.
    """

    def __init__(self, interval_s: float, title: str) -> None:
        super().__init__(interval_s)
        self._title = title
        self._rates: deque[float] = deque(maxlen=_HISTORY)

    def drawn(self, progress: RunProgress) -> RenderableType:
        """Return the panel."""
        self._rates.append(progress.rate)
        facts = Table.grid(padding=(0, 3))
        fields = [(label, text) for label, text in progress.fields() if label]
        half = (len(fields) + 1) // 2
        for index in range(half):
            row: list[Text] = []
            for label, text in fields[index::half]:
                row += [Text(label, "dim"), Text(text, justify="right")]
            facts.add_row(*row)
        color = {"RUNNING": "green", "ERROR": "red"}.get(progress.state, "yellow")
        title = f"{self._title}  [{color}]{progress.state}[/]  {progress.seconds:.0f} s"
        return Panel(Group(facts, Text(sparkline(self._rates), "cyan")), title=title, width=80)


def sparkline(values: deque[float]) -> str:
    """Return a bar for each value, the highest for the largest."""
    top = max(values, default=0.0) or 1.0
    return "".join(_BARS[round(value / top * (len(_BARS) - 1))] for value in values)
