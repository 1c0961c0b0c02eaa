"""The application on Spark, in a process of its own: `python -m benchmarks.latency.program JSON`.

It ends when its standard input does. Its last line is JSON with the batches' durations.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

from benchmarks.latency.batches import Batches
from benchmarks.latency.shapes import topology
from millstream import KafkaStreams


def main() -> None:
    config: dict[str, Any] = json.loads(sys.argv[1])
    shape = config.pop("latency.shape")
    streams = KafkaStreams(topology(shape), config)
    streams.setStateListener(_end_on_error)
    batches = Batches(streams)
    with streams:
        streams.start()
        threading.Thread(target=batches.run, daemon=True).start()
        sys.stdin.read()
        print(json.dumps(batches.found()), flush=True)


def _end_on_error(new: object, _old: object) -> None:
    if new is KafkaStreams.State.ERROR:
        os._exit(1)


if __name__ == "__main__":
    main()
