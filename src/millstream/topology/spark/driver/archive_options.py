"""Options with which a JVM uses the archive of its classes, or can say what belongs into one."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from pathlib import Path

from millstream.core.errors import MillstreamError
from millstream.jars import java_command
from millstream.topology.spark.driver.class_archives import (
    JAVA_OPTIONS,
    archive_for,
    note_use,
    options_allow,
    usable,
)
from millstream.topology.spark.driver.java_options import launched_here

log = logging.getLogger(__name__)

OFF = "off"
WANTED = "millstream.archive-wanted"
"""Property of a JVM that has no archive: the place of the one that it would use."""
OPENED = "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"
"""Lets such a JVM be asked for the list of its classes: nothing public gives it."""
USED = "millstream.archive-used"
"""Property of a JVM that was given an archive."""

USE = ("-XX:+VerifySharedSpaces", "-Xshare:auto", "-Xlog:cds*=off")
"""Java goes on without an archive that does not fit or is damaged, and says nothing.

Without the first option it would crash by a damaged one; without the last it would print to the
standard output.
"""


def with_class_archive(settings: Mapping[str, str]) -> dict[str, str]:
    """Let the JVMs that start here use an archive, or the driver's be asked for one if none is.

    Executors on this machine have the driver's class path and most of its classes, so they use its
    archive. Nothing is changed where the user's own options decide on an archive.
    """
    given = settings.get(JAVA_OPTIONS, "")
    if not options_allow(given, os.environ):
        return dict(settings)
    try:
        archive = archive_for(settings, os.environ, java_command())
        if archive is None:
            return dict(settings)
        there = usable(archive)
    except (OSError, MillstreamError) as error:
        log.warning("Java starts without an archive of its classes: %s", error)
        return dict(settings)
    if not there:
        options = [OPENED, _quoted(f"-D{WANTED}=", archive)]
        return {**settings, JAVA_OPTIONS: _joined(options, given)}
    note_use(archive)
    use = [_quoted("-XX:SharedArchiveFile=", archive), *USE]
    found = {**settings, JAVA_OPTIONS: _joined([*use, _quoted(f"-D{USED}=", archive)], given)}
    for key in launched_here(settings)[1:]:
        if options_allow(given := settings.get(key, ""), {}):
            found[key] = _joined(use, given)
    return found


def _joined(options: list[str], given: str) -> str:
    return " ".join([*options, given]).strip()


def _quoted(option: str, path: Path) -> str:
    # Spark divides the options at spaces, as a shell does.
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{option}{escaped}"'
