"""The table as markdown, and its place in a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median

from benchmarks.report.figures import Round, SideFigures
from benchmarks.vs_kafka_streams.costs import KINDS
from benchmarks.vs_kafka_streams.errors import BenchmarkError

BEGIN, END = "<!-- report -->", "<!-- end of report -->"
_HEADER = (
    "workload",
    "ratio",
    "records/s",
    "Kafka Streams' records/s",
    "CPU s per million",
    "of Kafka Streams",
    "peak MB",
    "of Kafka Streams",
    "other load",
)


def tables(rounds: Sequence[Round]) -> str:
    """Return a table for each guarantee and size of the caches, workloads in order of rounds."""
    parts = []
    for (guarantee, cache), found in _grouped(rounds, lambda each: (each.guarantee, each.cache)):
        lines = [_line(_HEADER), _line(["---"] + ["---:"] * 3 + ["---"] * 2 + ["---:"] * 3)]
        for (workload, records), same in _grouped(
            found, lambda each: (each.workload, each.records)
        ):
            lines.append(_line([f"{workload}, {records:,}", *_cells(same)]))
        caches = f"caches of {cache:,} bytes" if cache else "caches off"
        parts.append(f"`{guarantee}`, {caches}:\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def put_into(page: Path, text: str) -> None:
    """Replace what stands between the marks of a page.

    Raises:
        BenchmarkError: The page cannot be read, or does not have each mark once, in order.
    """
    try:
        whole = page.read_text(encoding="utf-8")
    except OSError as error:
        raise BenchmarkError(f"cannot read {page}", detail=f"{error.strerror}.") from error
    before, begin, rest = whole.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in rest or END in after:
        raise BenchmarkError(
            f"{page} has no place for the table",
            hint=f"Write a line {BEGIN} where it is to begin, and {END} where it ends.",
        )
    page.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", encoding="utf-8")


def _cells(rounds: Sequence[Round]) -> list[str]:
    ours, theirs = [each.ours for each in rounds], [each.theirs for each in rounds]
    others = [side.others for side in (*ours, *theirs)]
    return [
        _with_spread([each.ratio for each in rounds], 2),
        *(f"{median(side.rate for side in sides):,.0f}" for sides in (ours, theirs)),
        *(_cpu(sides) for sides in (ours, theirs)),
        *(f"{max(side.peak_mb for side in sides):,.0f}" for sides in (ours, theirs)),
        _with_spread(others, 1),
    ]


def _cpu(sides: Sequence[SideFigures]) -> str:
    by_kind = {kind: median(side.cpu_s.get(kind, 0.0) for side in sides) for kind in KINDS}
    shown = {kind: f"{used:.1f}" for kind, used in by_kind.items() if used >= 0.05}
    if not shown:
        return "not measured"
    own = sum(used for kind, used in by_kind.items() if kind != "broker")
    return f"{own:.1f}: " + ", ".join(f"{kind} {used}" for kind, used in shown.items())


def _with_spread(figures: Sequence[float], digits: int) -> str:
    middle, least, most = (f"{f:.{digits}f}" for f in (median(figures), min(figures), max(figures)))
    return middle if least == most else f"{middle} ({least} to {most})"


def _grouped(
    rounds: Iterable[Round], key: Callable[[Round], tuple[str, int]]
) -> list[tuple[tuple[str, int], list[Round]]]:
    found: dict[tuple[str, int], list[Round]] = {}
    for each in rounds:
        found.setdefault(key(each), []).append(each)
    return list(found.items())


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
