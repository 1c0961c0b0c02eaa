"""The application that is measured, in a process of its own.

``python -m benchmarks.sizing.program CONFIG``: CONFIG is JSON; ``sizing.shape`` is ``count`` or
``table``. It prints a line of JSON for each batch, and ends when its standard input does.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

from benchmarks.latency.shapes import SOURCE
from benchmarks.latency.shapes import topology as latency_topology
from millstream import Consumed, KafkaStreams, Materialized, Serdes, StreamsBuilder, Topology

_LOOK_S = 0.2
_KEPT = 4
"""Of the session's ``numRecentProgressUpdates``."""


def topology(shape: str) -> Topology:
    """Return the program: a count by key, or the last value of each key."""
    if shape == "count":
        return latency_topology("one-stage")
    text = Serdes.String()
    builder = StreamsBuilder()
    materialized = Materialized.as_("table").withKeySerde(text).withValueSerde(text)
    builder.table(SOURCE, Consumed.with_(text, text), materialized)
    return builder.build()


def main() -> None:
    """Run until standard input ends."""
    config: dict[str, Any] = json.loads(sys.argv[1])
    streams = KafkaStreams(topology(config.pop("sizing.shape")), config)
    streams.setStateListener(_end_on_error)
    with streams:
        streams.start()
        threading.Thread(target=_tell_batches, args=(streams,), daemon=True).start()
        sys.stdin.read()


def _tell_batches(streams: Any) -> None:
    last = -1
    while True:
        threading.Event().wait(_LOOK_S)
        for batch in streams._runner.recent_batches(last, _KEPT):
            last = int(batch["batchId"])
            line = {"batch": last, "records": batch["numInputRows"], "ms": batch["durationMs"]}
            print(json.dumps(line), flush=True)


def _end_on_error(new: object, _old: object) -> None:
    if new is KafkaStreams.State.ERROR:
        os._exit(1)


if __name__ == "__main__":
    main()
