"""An application in a process of its own, whose configuration has secrets.

``python -m compat_tests.spark.secrets.program FILE``: FILE has source, target and configuration as
JSON. It prints what it knows of itself, and runs until its standard input ends. Ends with status 2
if the start is refused.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from millstream import KafkaStreams, Produced, Serdes, StreamsBuilder, StreamsConfig
from millstream.core.errors import StreamsException


def main() -> None:
    """Run until standard input ends."""
    logging.basicConfig(level=logging.DEBUG)
    given: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text())
    config = given["config"]
    config["default.key.serde"] = config["default.value.serde"] = Serdes.String()
    builder = StreamsBuilder()
    counts = builder.stream(given["source"]).groupBy(lambda _, word: word).count()
    counts.toStream().to(given["target"], Produced.with_(Serdes.String(), Serdes.Long()))
    topology = builder.build()
    print(topology.describe(), StreamsConfig(config))
    streams = KafkaStreams(topology, config)
    print(repr(streams))
    try:
        streams.start()
    except StreamsException as error:
        print(f"REFUSED: {error} {error!r} {error.__cause__!r}", flush=True)
        os._exit(2)
    print("STARTED", streams.metrics(), streams.metadataForLocalThreads(), flush=True)
    session = SparkSession.builder.getOrCreate()
    print(f"UI {session.sparkContext.uiWebUrl} {session.sparkContext.applicationId}", flush=True)
    for command in sys.stdin:
        if command.startswith("savepoint"):
            print("SAVED", streams.savepoint(command.split()[1]), flush=True)
    streams.close()
    session.stop()


if __name__ == "__main__":
    main()
