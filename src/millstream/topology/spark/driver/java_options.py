"""Garbage collector and compiler of a JVM that is launched here, unless the user has chosen.

What of a batch is Java's work is done by short tasks, for which Java's defaults do too much: they
are made for programs that keep gigabytes on their heap and run the same Java code for hours.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

import pyspark

from millstream.topology.spark.driver.class_archives import JAVA_OPTIONS, OPTIONS_OF_ENVIRONMENT

_DEFAULT_OPTIONS = "spark.driver.defaultJavaOptions"

COLLECTOR = "-XX:+UseParallelGC"
"""Batches have no use for the short pauses of G1, whose threads run beside them."""
COMPILER = (
    "-XX:Tier4InvocationThreshold=50000",
    "-XX:Tier4MinInvocationThreshold=6000",
    "-XX:Tier4CompileThreshold=150000",
    "-XX:Tier4BackEdgeThreshold=400000",
)
"""Ten times Java's thresholds for its second compiler, which took more than half of the JVM's
processor time in the first minutes. Loops over records are past them in the first batch."""

_COLLECTOR_CHOSEN = re.compile(r"-XX:[+-]Use\w+GC\b|-XX:(?:Flags|VMOptionsFile)")
_COMPILER_CHOSEN = re.compile(
    r"-XX:(?:Tier|[+-]?Tiered|[+-]?CompilationMode|Flags|VMOptionsFile)|-Xint\b|-Xcomp\b"
)


def with_java_options(
    settings: Mapping[str, str], environment: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Add the collector and the thresholds of the compiler to the options of a JVM.

    Two collectors are an error of Java, so options from everywhere are looked at.

    Args:
        settings: Those of the Spark session.
        environment: The process's environment.
    """
    given = settings.get(JAVA_OPTIONS, "")
    every = [given, settings.get(_DEFAULT_OPTIONS, ""), _spark_defaults(environment)]
    every += [environment.get(name, "") for name in OPTIONS_OF_ENVIRONMENT]
    options: list[str] = []
    if not any(map(_COLLECTOR_CHOSEN.search, every)):
        options.append(COLLECTOR)
    if not any(map(_COMPILER_CHOSEN.search, every)):
        options += COMPILER
    if not options:
        return dict(settings)
    return {**settings, JAVA_OPTIONS: " ".join([*options, given]).strip()}


def _spark_defaults(environment: Mapping[str, str]) -> str:
    """Return the text of ``spark-defaults.conf``, whose options Spark adds; empty if none."""
    home = environment.get("SPARK_HOME") or Path(pyspark.__file__).parent
    folder = Path(environment.get("SPARK_CONF_DIR") or Path(home) / "conf")
    try:
        return (folder / "spark-defaults.conf").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
