"""Garbage collector and compiler of JVMs that start on this machine, unless the user has chosen.

What of a batch is Java's work is done by short tasks, for which Java's defaults do too much: they
are made for programs that keep gigabytes on their heap and run the same Java code for hours.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from millstream.topology.spark.driver.class_archives import JAVA_OPTIONS, OPTIONS_OF_ENVIRONMENT
from millstream.topology.spark.driver.compiler_threads import NICENESS

EXECUTOR_OPTIONS = "spark.executor.extraJavaOptions"
_DEFAULT_OPTIONS = {
    JAVA_OPTIONS: "spark.driver.defaultJavaOptions",
    EXECUTOR_OPTIONS: "spark.executor.defaultJavaOptions",
}

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
BEHIND_TASKS = ("-XX:ThreadPriorityPolicy=1", f"-XX:CompilerThreadPriority={NICENESS}")
"""Of executors that share the machine with everything else. The driver's JVM prints Java's warning
about it where its user is not root, so its threads are set from outside."""
CLASSES = "-XX:MetaspaceSize=256m"
"""Spark loads classes for more than Java's 21 MB at once: a JVM would collect its whole heap for
it, 50 to 130 ms in its first batches. It is a threshold, not a reserve."""

_COLLECTOR_CHOSEN = re.compile(r"-XX:[+-]Use\w+GC\b|-XX:(?:Flags|VMOptionsFile)")
_COMPILER_CHOSEN = re.compile(
    r"-XX:(?:Tier|[+-]?Tiered|[+-]?CompilationMode|Flags|VMOptionsFile)|-Xint\b|-Xcomp\b"
)
_PRIORITIES_CHOSEN = re.compile(r"Priorit(?:y|ies)|-XX:(?:Flags|VMOptionsFile)")
_CLASSES_CHOSEN = re.compile(r"-XX:(?:MetaspaceSize|Flags|VMOptionsFile)")


def launched_here(settings: Mapping[str, str]) -> list[str]:
    """Return the settings that have the options of the JVMs that start on this machine.

    With the master ``local-cluster`` these are the executors' ones, too.

    Args:
        settings: Those of the Spark session.
    """
    executors = settings.get("spark.master", "").strip().startswith("local-cluster")
    return [JAVA_OPTIONS, EXECUTOR_OPTIONS] if executors else [JAVA_OPTIONS]


def with_java_options(
    settings: Mapping[str, str], environment: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Add the collector, and thresholds of compiler and classes, to the options of the JVMs.

    Two collectors are an error of Java, so options from everywhere are looked at.

    Args:
        settings: Those of the Spark session.
        environment: The process's environment.
    """
    found = dict(settings)
    for key in launched_here(settings):
        given = settings.get(key, "")
        every = [given, settings.get(_DEFAULT_OPTIONS[key], "")]
        every += [environment.get(name, "") for name in OPTIONS_OF_ENVIRONMENT]
        options = list(_chosen(every))
        if key == EXECUTOR_OPTIONS and not any(map(_PRIORITIES_CHOSEN.search, every)):
            options.extend(BEHIND_TASKS)
        if options:
            found[key] = " ".join([*options, given]).strip()
    return found


def _chosen(every: list[str]) -> Iterator[str]:
    """Yield what is added to options of the user's."""
    if not any(map(_COLLECTOR_CHOSEN.search, every)):
        yield COLLECTOR
    if not any(map(_COMPILER_CHOSEN.search, every)):
        yield from COMPILER
    if not any(map(_CLASSES_CHOSEN.search, every)):
        yield CLASSES
