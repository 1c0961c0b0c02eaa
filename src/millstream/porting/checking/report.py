"""The report of `millstream port-check`: uses by file, obstacles, counts, an estimate of effort."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from millstream.porting.checking import api, knowledge
from millstream.porting.checking.names import Definitions
from millstream.porting.checking.obstacles import obstacles
from millstream.porting.checking.tracker import Tracker
from millstream.porting.checking.verdicts import Judgement, Notice, Status, Use
from millstream.porting.reading.sources import Reading, Unread, read_all

MINUTES_A_FILE = 5.0
MINUTES_A_USE = 0.2
MINUTES_AN_UNKNOWN = 1.0
FORMULA = (
    "5 minutes a file that uses Kafka, 0.2 a use, 1 an unknown receiver, once for each thing that "
    "differs or is missing what it may cost (1 to 20), once a file for each obstacle (1 to 30)"
)


@dataclass(frozen=True, slots=True)
class FileReport:
    """The uses and obstacles of one file."""

    path: Path
    language: str
    uses: tuple[Use, ...]
    notices: tuple[Notice, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The uses of all files."""

    files: tuple[FileReport, ...]
    unread: tuple[Unread, ...]
    without_kafka: int

    @property
    def uses(self) -> list[Use]:
        """All uses."""
        return [use for file in self.files for use in file.uses]

    def counts(self) -> dict[Status, int]:
        """Return how many uses have each status."""
        counted = Counter(use.verdict.status for use in self.uses)
        return {status: counted[status] for status in Status}

    def by_class(self) -> dict[str, int]:
        """Return how often each class is used, most often first."""
        shown = Counter(
            use.shown.removeprefix("new ").partition(".")[0] for use in self.uses if use.owner
        )
        return dict(sorted(shown.items(), key=lambda pair: (-pair[1], pair[0])))

    def minutes(self) -> float:
        """Estimate the effort of a port in minutes, by `FORMULA`."""
        different: dict[str, Judgement] = {}
        for use in self.uses:
            if use.verdict.status in (Status.DIFFERS, Status.MISSING):
                different.setdefault(use.verdict.how, use.verdict)
        advice = knowledge.advice()
        return (
            MINUTES_A_FILE * len(self.files)
            + MINUTES_A_USE * len(self.uses)
            + MINUTES_AN_UNKNOWN * self.counts()[Status.UNKNOWN]
            + sum(verdict.minutes for verdict in different.values())
            + sum(advice[notice.kind].minutes for file in self.files for notice in file.notices)
        )

    @property
    def clean(self) -> bool:
        """Whether nothing is missing and everything could be read."""
        return not self.unread and self.counts()[Status.MISSING] == 0


def check(paths: Iterable[Path]) -> Report:
    """Read sources and judge all that they use of Kafka Streams.

    Raises:
        IllegalArgumentException: A path does not exist, or there is nothing to read.
    """
    return judged(read_all(paths))


def judged(reading: Reading) -> Report:
    """Judge sources that have been read."""
    sources = Definitions.of(reading.units)
    files: list[FileReport] = []
    unread = list(reading.unread)
    for unit in reading.units:
        try:
            uses = Tracker(unit, sources).run()
        except RecursionError:
            unread.append(Unread(unit.path, 0, "nested too deeply"))
            continue
        if uses:
            notices = obstacles(unit, sources, uses)
            files.append(FileReport(unit.path, unit.language, tuple(uses), tuple(notices)))
    return Report(tuple(files), tuple(unread), len(reading.units) - len(files))


def as_json(report: Report) -> dict[str, Any]:
    """Return the report as plain dicts and lists."""
    advice = knowledge.advice()
    return {
        "files": [
            {
                "path": str(file.path),
                "language": file.language,
                "uses": [_use(use) for use in file.uses],
                "obstacles": [
                    {
                        "line": notice.line,
                        "kind": notice.kind,
                        "what": notice.what,
                        "how": advice[notice.kind].text,
                        "link": advice[notice.kind].link,
                    }
                    for notice in file.notices
                ],
            }
            for file in report.files
        ],
        "unread": [
            {"path": str(each.path), "line": each.line, "why": each.why} for each in report.unread
        ],
        "summary": {
            "files": len(report.files),
            "files_without_kafka": report.without_kafka,
            "uses": len(report.uses),
            **{status.value: count for status, count in report.counts().items()},
            "by_class": report.by_class(),
            "effort_minutes": round(report.minutes()),
            "effort_formula": FORMULA,
        },
    }


def _use(use: Use) -> dict[str, Any]:
    verdict = use.verdict
    name = use.owner.removeprefix(api.STREAMS)
    row: dict[str, Any] = {
        "line": use.line, "kind": use.kind, "class": name, "name": use.name,
        "status": verdict.status.value,
    }  # fmt: skip
    if verdict.how:
        row["how"] = verdict.how
    if verdict.link:
        row["link"] = verdict.link
    return row
