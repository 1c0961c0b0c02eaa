"""Check of `millstream doctor` on the archive with which Spark's JVM starts sooner."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from millstream.cli.finding import Finding, fine, warning
from millstream.cli.progress import size
from millstream.core.config.own_keys import CLASS_ARCHIVE
from millstream.core.errors import MillstreamError
from millstream.jars import java_command, read_lock
from millstream.jars.fetch import cache_dir

_WHAT = "archive of Java's classes"


def class_archive(given: Mapping[str, Any]) -> Finding:
    """Tell whether an application with this configuration starts with an archive."""
    if str(given.get(CLASS_ARCHIVE, "")).lower() == "off":
        return Finding("skipped", _WHAT, f"{CLASS_ARCHIVE} is off")
    master = str(given.get("spark.master") or "local[*]")
    if not master.startswith("local"):
        return Finding("skipped", _WHAT, f"not for {master}")
    try:
        return _found(given)
    except ImportError:
        return Finding("skipped", _WHAT, "pyspark is missing")
    except MillstreamError as error:
        return Finding("skipped", _WHAT, error.problem)
    except OSError as error:
        return warning(_WHAT, f"{error}.", "Delete it: Java starts without it.")


def _found(given: Mapping[str, Any]) -> Finding:
    from millstream.topology.spark.driver.class_archives import (
        JAVA_OPTIONS,
        archive_for,
        options_allow,
        usable,
    )
    from millstream.topology.spark.driver.session import session_settings

    entries = {key: str(value) for key, value in given.items() if key.startswith("spark.")}
    jars = [str(cache_dir() / "jars" / jar.file_name) for jar in read_lock("spark")]
    settings = session_settings(entries, {}, "", jars)
    if not options_allow(settings.get(JAVA_OPTIONS, ""), os.environ):
        return Finding("skipped", _WHAT, "Java's options decide on it")
    archive = archive_for(settings, os.environ, java_command())
    if archive is None:
        return Finding("skipped", _WHAT, "this Java has none")
    if not usable(archive):
        return fine(_WHAT, "none yet; the first application that runs for a while makes it")
    return fine(_WHAT, f"{archive}, {size(archive.stat().st_size)}")
