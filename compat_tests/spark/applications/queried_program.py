"""An application that answers on its standard output, for tests that kill its executors.

``python -m compat_tests.spark.applications.queried_program CONFIG SOURCE``: CONFIG is JSON. For a
line of its input it prints a line of JSON: the counts of the keys, the number of the last
batch that carried changes, the last that the copies have, and how often it has read the checkpoint.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from pyspark.sql import SparkSession

from millstream import (
    Grouped,
    KafkaStreams,
    Materialized,
    QueryableStoreTypes,
    Serdes,
    StoreQueryParameters,
    StreamsBuilder,
    Topology,
)

STORE = "counts"


def counts(source: str) -> Topology:
    """Return the topology that counts records by key."""
    text = Serdes.String()
    builder = StreamsBuilder()
    stream = builder.stream(source)
    stream.groupByKey(Grouped.with_(text, text)).count(Materialized.as_(STORE))
    return builder.build()


def main() -> None:
    """Answer until standard input ends."""
    config = json.loads(sys.argv[1])
    config["default.key.serde"] = config["default.value.serde"] = Serdes.String()
    streams = KafkaStreams(counts(sys.argv[2]), config)
    streams.setStateListener(lambda new, old: os._exit(1) if new.name == "ERROR" else None)
    reads = 0
    with streams:
        streams.start()
        queries: Any = streams._queries
        manifests = queries._committed.manifests

        def counted(*arguments: Any) -> Any:
            nonlocal reads
            reads += 1
            return manifests(*arguments)

        queries._committed.manifests = counted
        kind = QueryableStoreTypes.keyValueStore()
        view = streams.store(StoreQueryParameters.fromNameAndType(STORE, kind))
        for _ in sys.stdin:
            found = {
                "counts": {entry.key: entry.value for entry in view.all()},
                "carried": streams._runner.carrying.newest(),
                "shown": queries.oldest({0}),
                "reads": reads,
            }
            print(json.dumps(found), flush=True)
    SparkSession.builder.getOrCreate().stop()


if __name__ == "__main__":
    main()
