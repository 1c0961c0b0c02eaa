"""The `millstream` command as a process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

WORD_COUNT = """
from millstream import (
    Consumed, Grouped, KafkaStreams, Materialized, Produced, Serdes, StreamsBuilder, Topology
)

text, number = Serdes.String(), Serdes.Long()


def build_topology() -> Topology:
    builder = StreamsBuilder()
    lines = builder.stream("lines", Consumed.with_(text, text))
    words = lines.flatMapValues(lambda line: line.split())
    counts = words.groupBy(lambda _, word: word, Grouped.with_(text, text)).count(
        Materialized.as_("counts-store")
    )
    counts.toStream().to("counts", Produced.with_(text, number))
    return builder.build()
"""


def command(
    *arguments: str, cwd: Path, text: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command; `text` is its standard input."""
    return subprocess.run(
        [sys.executable, "-m", "millstream", *arguments],
        cwd=cwd,
        input=text,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def printed(*arguments: str, cwd: Path, text: str | None = None, **environment: str) -> str:
    """Run the command, which must be fine, and return what it prints."""
    done = command(*arguments, cwd=cwd, text=text, **environment)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return done.stdout


def refused(*arguments: str, cwd: Path, text: str | None = None, **environment: str) -> str:
    """Run the command, which must end with an error of ours in one line, and return the line."""
    done = command(*arguments, cwd=cwd, text=text, **environment)
    assert done.returncode == 1, done.stdout + done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("millstream: ")
    return lines[0].removeprefix("millstream: ")
