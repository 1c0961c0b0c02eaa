"""A program whose application fails, is closed by signals or loses its JVM.

``python -m compat_tests.spark.applications.lifecycle_program KIND CONFIG SOURCE TARGET``: CONFIG is
JSON. KIND is ``fail``: a function fails; ``pass``: records pass; ``block``: a record never ends;
``again``: run a second time after a failure; ``leave``: start, and end the program. Standard output
has the states.
"""

from __future__ import annotations

import json
import sys
import time

from millstream import (
    KafkaStreams,
    Serdes,
    StreamsBuilder,
    StreamsException,
    StreamThreadExceptionResponse,
    Topology,
)


def seventh(value: str) -> int:
    """Fail for the value "7"."""
    return 1 // (int(value) - 7)


def blocked(value: str) -> str:
    """Never return."""
    print("blocked", flush=True)
    time.sleep(3600)
    return value


FUNCTIONS = {
    "fail": lambda value: str(seventh(value)),  # the user's line
    "block": blocked,
}


def topology(kind: str, source: str, target: str) -> Topology:
    """Return the topology."""
    builder = StreamsBuilder()
    builder.stream(source).mapValues(FUNCTIONS.get(kind, str)).to(target)
    return builder.build()


def run(kind: str, config: dict[str, object], *topics: str) -> None:
    """Run one application."""
    streams = KafkaStreams(topology(kind, *topics), config)
    streams.setStateListener(lambda new, _: print(new.name, flush=True))
    streams.setUncaughtExceptionHandler(handler)
    if kind == "leave":
        streams.start()
    else:
        streams.run()


def handler(error: Exception) -> StreamThreadExceptionResponse:
    """Say that it was asked, and end this instance."""
    del error
    print("handler", flush=True)
    return StreamThreadExceptionResponse.SHUTDOWN_CLIENT


def main() -> None:
    """Run until the application ends."""
    kind, text, *topics = sys.argv[1:]
    config = json.loads(text)
    config["default.key.serde"] = config["default.value.serde"] = Serdes.String()
    if kind == "again":
        try:
            run(kind, config, *topics)
        except StreamsException as error:
            print(error.problem, flush=True)
    run(kind, config, *topics)


if __name__ == "__main__":
    main()
