"""An application in a process of its own whose topology is another one at each start.

``python -m compat_tests.spark.generations.changing_program CONFIG SOURCE TARGET SIDE VARIANT``:
CONFIG is JSON. Runs until its standard input ends, then closes; ends with status 1 if the
application fails, with the error on standard error.
"""

from __future__ import annotations

import json
import os
import sys
from threading import Event
from typing import Any

from pyspark.sql import SparkSession

from compat_tests.spark.applications.word_count_program import count
from millstream import KafkaStreams, Serdes, StreamsBuilder, Topology
from millstream.core.errors import StreamsException

VARIANTS = 3


def word_count(source: str, target: str, side: str, variant: int) -> Topology:
    """Return a topology that counts words; its nodes, numbers and sub-topologies vary."""
    builder = StreamsBuilder()
    if variant == 2:
        builder.stream(side).filter(lambda *_: False).to(target)
    words = builder.stream(source).flatMapValues(lambda line: line.split())
    if variant:
        words = words.filter(lambda _, word: word != "").peek(lambda *_: None)
    count(words, target)
    return builder.build()


def main() -> None:
    """Run until standard input ends."""
    config = json.loads(sys.argv[1])
    source, target, side, variant = sys.argv[2:6]
    config["default.key.serde"] = config["default.value.serde"] = Serdes.String()
    streams = KafkaStreams(word_count(source, target, side, int(variant)), config)
    started = Event()

    def end_with_the_application(new: Any, _: Any) -> None:
        if new.name == "ERROR" and started.is_set():
            os._exit(1)

    streams.setStateListener(end_with_the_application)
    try:
        streams.start()
    except StreamsException as error:
        print(f"REFUSED: {error}", file=sys.stderr, flush=True)
        os._exit(2)
    started.set()
    print(f"STARTED {variant}", file=sys.stderr, flush=True)
    sys.stdin.read()
    streams.close()
    SparkSession.builder.getOrCreate().stop()


if __name__ == "__main__":
    main()
