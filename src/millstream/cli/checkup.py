"""Checks of `millstream doctor` on this machine: Java, Python, packages, jars, memory, disk."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

from millstream.cli.class_archive import class_archive
from millstream.cli.finding import Finding, broken, fine, warning
from millstream.cli.progress import size
from millstream.cli.settings import streams_config
from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import CHECKPOINT_LOCATION
from millstream.core.errors import MillstreamError
from millstream.jars import java_command, lock_names, read_lock
from millstream.jars.fetch import cache_dir

_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[.*?\])?\s*([^;]*)(?:;(.*))?")
_SHOWN = ("pyspark", "pandas", "pyarrow", "protobuf", "grpcio", "confluent-kafka", "rocksdict")
_OLDEST_PYTHON, _AFTER_PYTHON = (3, 10), (3, 14)
_LITTLE_DISK, _SCARCE_DISK = 1 << 30, 100 << 20
_LITTLE_MEMORY = 4 << 30


def checkup(given: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the findings, one after the other, given the application's configuration."""
    yield _python()
    yield _packages()
    yield _java()
    given = {**_defaults(), **given}
    yield _workers(given)
    yield from _jars()
    yield class_archive(given)
    yield _memory()
    try:
        config = streams_config(given, str(given.get("application.id") or ""))
    except MillstreamError as error:
        yield broken("configuration", error.problem, error.hint)
        return
    try:
        # They need Spark and Kafka's client, which may be what is missing here.
        from millstream.cli.broker_checks import broker_findings
        from millstream.topology.spark.checkpoint.descriptor import local_path
    except ImportError as error:
        yield Finding("skipped", "state.dir and broker", f"not looked at: {error}")
        return
    yield from _disks(config, local_path)
    yield from broker_findings(config)


def _python() -> Finding:
    now = ".".join(map(str, sys.version_info[:3]))
    if platform.system() != "Linux":
        return broken("Python", f"{now} on {platform.system()}.", "millstream runs on Linux.")
    if _OLDEST_PYTHON <= sys.version_info[:2] < _AFTER_PYTHON:
        return fine("Python", f"{now}, {sys.executable}")
    return broken("Python", f"{now} is not supported.", "Install Python 3.10 to 3.13.")


def _packages() -> Finding:
    found, wrong = {"millstream": version("millstream")}, []
    for requirement in requires("millstream") or ():
        match = _REQUIREMENT.match(requirement)
        # Those of extras, and of other versions of Python, have a condition.
        if match is None or match[3]:
            continue
        name, bounds = match[1], match[2]
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            wrong.append(f"{name} is missing")
            continue
        if not _within(found[name], bounds):
            wrong.append(f"{name} is {found[name]}, not {bounds}")
    if wrong:
        cure = "Run: python -m pip install --upgrade millstream"
        return broken("packages", f"{'; '.join(wrong)}.", cure)
    shown = [f"{name} {found[name]}" for name in ("millstream", *_SHOWN) if name in found]
    return fine("packages", ", ".join(shown))


def _within(have: str, bounds: str) -> bool:
    """Tell whether a version is within bounds such as ``>=4.2,<4.3``."""
    numbers = _numbers(have)
    for bound in bounds.split(","):
        match = re.fullmatch(r"\s*(>=|<)\s*([0-9.]+)\s*", bound)
        if match is not None:
            limit = _numbers(match[2])
            if (numbers >= limit) is not (match[1] == ">="):
                return False
    return True


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(".") if part.isdigit()]


def _java() -> Finding:
    try:
        path = java_command()
    except MillstreamError as error:
        return broken("Java", f"{error.problem}. {error.detail}", error.hint)
    release = Path(path).resolve().parent.parent / "release"
    lines = release.read_text("utf-8").splitlines() if release.is_file() else []
    known = dict(line.split("=", 1) for line in lines if "=" in line)
    return fine("Java", f"{known.get('JAVA_VERSION', '17 or newer').strip(chr(34))}, {path}")


def _defaults() -> dict[str, str]:
    """Return Spark's settings for all programs of this machine; none without Spark."""
    with suppress(ImportError, MillstreamError):
        from millstream.topology.spark.driver.spark_defaults import spark_defaults
        from millstream.topology.spark.driver.submit_arguments import submit_arguments

        return spark_defaults() | submit_arguments()
    return {}


def _workers(given: Mapping[str, Any]) -> Finding:
    master = str(given.get("spark.master") or "local[*]")
    code = "import pyspark, pandas, pyarrow, millstream; print(millstream.__file__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["It ended at once."])[-1]
        return broken(
            "Python of workers",
            f"{sys.executable} cannot import what workers need: {last}.",
            "Run: python -m pip install --upgrade millstream",
        )
    if not master.startswith("local"):
        return warning(
            "Python of workers",
            f"those of {master} cannot be seen from here.",
            f"Each needs Python {'.'.join(platform.python_version_tuple()[:2])} with millstream.",
        )
    return fine("Python of workers", f"{sys.executable}, as here ({master})")


def _jars() -> Iterator[Finding]:
    folder = cache_dir() / "jars"
    for name, what in (("spark", "Spark's connector"), ("kafka", "millstream broker")):
        if name not in lock_names():
            continue
        locked = read_lock(name)
        there = [jar for jar in locked if (folder / jar.file_name).is_file()]
        text = f"{len(there)} of {len(locked)} in {folder}"
        if len(there) == len(locked):
            yield fine(f"jars of {what}", text)
        else:
            cure = f"They are fetched when needed; now, with: millstream jars {name}"
            yield warning(f"jars of {what}", f"{text}.", cure)


def _memory() -> Finding:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    text = f"{size(total)}, {os.cpu_count()} cores"
    if total >= _LITTLE_MEMORY:
        return fine("memory", text)
    cure = "Spark's driver takes 2 GB: --set spark.driver.memory=1g makes it smaller."
    return warning("memory", f"{text}.", cure)


def _disks(config: StreamsConfig, local_path: Callable[[str], Path | None]) -> Iterator[Finding]:
    state = Path(config.getString("state.dir")).absolute()
    yield _disk("state.dir", state, "state.dir")
    given = config.getString(CHECKPOINT_LOCATION)
    path = local_path(given) if given else None
    if given and path is None:
        yield Finding("skipped", "checkpoint", f"{given} is not on this machine")
    elif path is not None:
        yield _disk("checkpoint", path.absolute(), CHECKPOINT_LOCATION)


def _disk(what: str, path: Path, key: str) -> Finding:
    there = next(each for each in (path, *path.parents) if each.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        return broken(
            what, f"{there} cannot be written.", f"Set {key} to a directory of this user."
        )
    free = shutil.disk_usage(there).free
    text = f"{path}, {size(free)} free"
    if free < _SCARCE_DISK:
        return broken(what, f"{text}.", f"Make room, or set {key} to another disk.")
    if free < _LITTLE_DISK:
        return warning(what, f"{text}.", f"Make room, or set {key} to another disk.")
    return fine(what, text)
