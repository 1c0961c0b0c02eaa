"""The millstream side of the benchmark; takes the arguments of `java/KafkaStreamsSide.java`.

It ends when its standard input does.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from benchmarks.vs_kafka_streams.topologies import build
from millstream import KafkaStreams


def main() -> None:
    workload, sources, output, _warm, _end, config_file = sys.argv[1:]
    topology = build(workload, sources.split(","), output)
    streams = KafkaStreams(topology, properties(Path(config_file)))
    streams.setStateListener(_end_on_error)
    with streams:
        streams.start()
        sys.stdin.read()


def _end_on_error(new: object, _old: object) -> None:
    if new is KafkaStreams.State.ERROR:
        # Whoever waits for standard input cannot be told otherwise; what happened is in the log.
        os._exit(1)


def properties(file: Path) -> dict[str, str]:
    """Read the lines `key=value` of a file."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)


if __name__ == "__main__":
    main()
