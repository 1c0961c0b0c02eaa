"""Scenario files below a folder, and the verdict on each."""

from __future__ import annotations

import json
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compat_tests.conformance.api import NotBuiltYetError
from compat_tests.conformance.compare import differences
from compat_tests.conformance.hostile import HEADER, reason_to_skip
from compat_tests.conformance.hosts import HOSTS
from compat_tests.conformance.replay import replay

TIME_LIMIT_S = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What became of one scenario: at most one of the first two fields is set."""

    differences: tuple[str, ...] = ()
    skipped_for: str | None = None
    """Why it was not compared."""
    not_compared: tuple[str, ...] = ()
    """What was left out, as on this host it is different by right."""


def scenario_files(folder: Path, *, feature: str | None = None, name: str = "") -> list[Path]:
    """The scenario files below `folder`, sorted; of one feature, with `name` in their name."""
    files = sorted(folder.rglob("*.json")) if folder.is_dir() else [folder]
    return [
        file
        for file in files
        if name in file.stem and (feature is None or read_scenario(file)["feature"] == feature)
    ]


def read_scenario(file: Path) -> dict[str, Any]:
    scenario: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return scenario


def with_serdes(scenario: dict[str, Any], kind: str | None) -> dict[str, Any]:
    """The scenario, to be run with serdes and functions of a hostile kind; None: as it says."""
    return scenario if kind is None else {**scenario, "serdes": kind}


def judge(scenario: dict[str, Any], host: str = "driver") -> Verdict:
    """Replay a scenario on a new host of the given kind and compare."""
    if scenario.get("serdes") is not None and (reason := reason_to_skip(scenario)):
        return Verdict(skipped_for=reason)
    try:
        with _time_limit():
            actual = replay(scenario, HOSTS[host]())
    except NotBuiltYetError as missing:
        return Verdict(skipped_for=f"{missing} is not built yet")
    except Exception as error:  # noqa: BLE001 - the failure is the result
        return crashed(error)
    if HEADER.encode().hex() in json.dumps(actual):
        return Verdict(skipped_for="the bytes that it shows hold headers of hostile serializers")
    return Verdict(differences=tuple(differences(scenario, actual)))


def crashed(error: Exception) -> Verdict:
    """The verdict on a scenario that could not be run to its end."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(where.filename).name}:{where.lineno}"
    return Verdict(differences=(f"crashed with {type(error).__name__}: {error} ({place})",))


@contextmanager
def _time_limit() -> Iterator[None]:
    def expire(signum: int, frame: Any) -> None:
        raise TimeoutError(f"no end after {TIME_LIMIT_S} s")

    before = signal.signal(signal.SIGALRM, expire)
    signal.alarm(TIME_LIMIT_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
