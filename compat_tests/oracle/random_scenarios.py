"""Random scenarios, asked of Kafka Streams and of millstream, and what differs made small.

`python -m compat_tests.oracle.random_scenarios --seed 5 --count 400 DIR` makes them below DIR.
"""

from __future__ import annotations

import argparse
import logging
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from compat_tests.conformance.compare import differences
from compat_tests.conformance.corpus import crashed, read_scenario, scenario_files
from compat_tests.conformance.replay import replay
from compat_tests.oracle.generate.features import FEATURES, scenario
from compat_tests.oracle.generate.written import written
from compat_tests.oracle.runner import run_oracle
from compat_tests.oracle.shrink import shrunk
from compat_tests.testing import golden_metrics
from millstream.core.errors import MillstreamError

Json = dict[str, Any]

METRICS = {
    "stream-task-metrics": r"dropped-records-total",
    "stream-topic-metrics": r"(records|bytes)-(produced|consumed)-total",
    "stream-processor-node-metrics": r"process-total|record-e2e-latency-(min|max)",
    "stream-state-metrics": r"suppression-buffer-.*",
}
"""The metrics that are compared, by group: what a user sees go wrong, but not what caches count."""


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        _record(options.folder, options.seed, options.count, options.feature)
    except MillstreamError as error:
        print(error, file=sys.stderr)
        return 2
    files = list(scenario_files(options.folder))
    count = sum(_tell(file, shrink=options.shrink) for file in files)
    # The program cannot interpret it, or has ended before it came to it.
    unanswered = sum(read_scenario(file).get("expect") is None for file in files)
    print(f"{count} differ, {unanswered} of {len(files)} were not answered")
    return 1 if count or unanswered else 0


def _tell(file: Path, *, shrink: bool) -> bool:
    """Print what differs in a scenario; tell whether something does."""
    made = read_scenario(file)
    found = problem(made)
    if found is None:
        return False
    print(f"{file}: {found}", flush=True)
    if shrink:
        small = shrunk(made, ask, problem)
        target = file.with_suffix(".small")
        target.write_text(written(small), encoding="utf-8")
        print(f"  {target}: {problem(small)}", flush=True)
    return True


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m compat_tests.oracle.random_scenarios",
        description="Ask Kafka Streams and millstream for the same random scenarios.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="where to write; made if need be")
    parser.add_argument("--seed", type=int, required=True, metavar="N")
    parser.add_argument("--count", type=int, default=400, metavar="N")
    parser.add_argument("--feature", choices=FEATURES, default="mixed")
    parser.add_argument(
        "--shrink", action="store_true", help="make what differs small, beside it as .small"
    )
    return parser


def _record(folder: Path, seed: int, count: int, feature: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for index in range(count):
        made = scenario(seed, feature, index)
        Path(folder, made["name"] + ".json").write_text(written(made), encoding="utf-8")
    run_oracle(folder)


def ask(scenes: list[Json]) -> list[Json]:
    """The scenarios with what Kafka Streams does; without those that make no sense."""
    with tempfile.TemporaryDirectory() as scratch:
        for index, scene in enumerate(scenes):
            text = written({**scene, "expect": None})
            Path(scratch, f"{index:05}.json").write_text(text, encoding="utf-8")
        run_oracle(Path(scratch))
        answered = [read_scenario(file) for file in scenario_files(Path(scratch))]
        return [scene for scene in answered if scene["expect"] is not None]


def problem(scene: Json) -> str | None:
    """The first difference; None if there is none, or nothing to compare with."""
    if scene.get("expect") is None:
        return None
    host = _Host()
    try:
        actual = replay(scene, host)
    except Exception as error:  # noqa: BLE001 - the failure is the result
        return crashed(error).differences[0]
    found = differences(scene, actual)
    return found[0] if found else next(_metrics(scene, host.measured), None)


class _Host(golden_metrics.MeasuredHost):
    """The driver, which leaves its metrics behind."""

    measured: golden_metrics.Values | None = None

    def close(self) -> None:
        if self._driver is not None:
            self.measured = self.metrics()
        super().close()


def _metrics(scene: Json, found: golden_metrics.Values | None) -> Iterator[str]:
    # What a driver counts that has failed on the way says nothing.
    if found is None or "metrics" not in scene["expect"] or _failed(scene["expect"]):
        return
    compared = METRICS | ({"stream-topic-metrics": "-"} if _patterns(scene) else {})
    expected = golden_metrics.kafkas(scene)
    for (group, tags), name, theirs, own in golden_metrics.differences(expected, found):
        if dict(tags).get("topic") == "dead" or not re.fullmatch(compared.get(group, "-"), name):
            continue
        yield f"metric {name} of {dict(tags)}: expected {theirs}, got {own}"


def _failed(expect: Json) -> bool:
    return any(isinstance(each, dict) and "error" in each for each in expect["outputs"][-1:])


def _patterns(scene: Json) -> bool:
    """Whether a source has a pattern, which the real driver takes for the name of its topic."""
    return any("pattern" in step for step in scene["topology"])


if __name__ == "__main__":
    # Random programs drop records, and say so.
    logging.getLogger("millstream").setLevel(logging.CRITICAL)
    sys.exit(main())
