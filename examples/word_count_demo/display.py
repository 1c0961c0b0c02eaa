"""Display of the running demo: a live table, or a plain line every two seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from heapq import nlargest
from typing import Protocol

from rich.columns import Columns
from rich.console import Console
from rich.live import Live
from rich.table import Table
from typing_extensions import Self

TOP = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """One look at a running demo."""

    seconds: float
    lines: int
    lines_a_second: float
    lag: int
    batch_ms: float | None
    updates: int
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def batch(self) -> str:
        return "-" if self.batch_ms is None else f"{self.batch_ms:,.0f} ms"

    def top(self) -> list[tuple[str, int]]:
        """The most frequent words, in alphabetical order where they tie."""
        return nlargest(TOP, sorted(self.counts.items()), key=lambda item: item[1])


class Display(Protocol):
    """Shows a status every `interval_s`."""

    interval_s: float

    def show(self, status: Status) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exc: object) -> None: ...


class PlainDisplay:
    """A line every two seconds, for logs and pipes."""

    interval_s = 2.0

    def show(self, status: Status) -> None:
        words = " ".join(f"{word}={count:,}" for word, count in status.top()[:3])
        print(
            f"{status.seconds:5.0f} s  {status.lines:,} lines  {status.lines_a_second:,.0f}/s  "
            f"batch {status.batch}  lag {status.lag:,}  {status.updates:,} updates  {words}",
            flush=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        pass


class TableDisplay:
    """A table that is drawn anew in place."""

    interval_s = 0.5

    def __init__(self) -> None:
        self._live = Live(console=Console(), auto_refresh=False)

    def show(self, status: Status) -> None:
        self._live.update(_picture(status), refresh=True)

    def __enter__(self) -> Self:
        self._live.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        self._live.stop()


def _picture(status: Status) -> Columns:
    words = Table(title="Words", expand=False)
    words.add_column("word")
    words.add_column("count", justify="right")
    for word, count in status.top():
        words.add_row(word, f"{count:,}")
    facts = Table.grid(padding=(0, 2))
    for name, value in (
        ("running", f"{status.seconds:,.0f} s"),
        ("lines", f"{status.lines:,}"),
        ("lines a second", f"{status.lines_a_second:,.0f}"),
        ("batch time", status.batch),
        ("lag", f"{status.lag:,} lines"),
        ("updates", f"{status.updates:,}"),
    ):
        facts.add_row(name, value)
    return Columns([words, facts], padding=(0, 4))
