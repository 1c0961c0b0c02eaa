"""The application of the smoke test, in a process of its own.

``python -m compat_tests.smoke.program CONFIG``: CONFIG is JSON. Runs until its standard input ends,
then closes. Ends with status 1 when the application fails and 2 when its start is refused; the
error is on standard error, after ``FAILED`` or ``REFUSED``.
"""

from __future__ import annotations

import json
import os
import sys
import threading

from pyspark.sql import SparkSession

from compat_tests.smoke.topology import smoke, spare
from millstream import KafkaStreams

FAILED, REFUSED = 1, 2


def main() -> None:
    """Run until standard input ends."""
    config = json.loads(sys.argv[1])
    parts = os.environ["SMOKE_PARTS"].split(",")
    topology = smoke(parts) if config["application.id"] == "smoke" else spare()
    streams = KafkaStreams(topology, config)
    if os.environ.get("SMOKE_CLEAN_UP"):
        streams.cleanUp()
    streams.setStateListener(lambda new, _: _say(f"STATE {new.name}"))
    try:
        streams.start()
    except BaseException as error:  # noqa: BLE001 - the error is what is looked at
        _end(REFUSED, f"REFUSED {type(error).__name__}: {error}")
    _say("STARTED")
    threading.Thread(target=_close_at_end_of_input, args=(streams,), daemon=True).start()
    try:
        streams.wait()
    except BaseException as error:  # noqa: BLE001 - the error is what is looked at
        _end(FAILED, f"FAILED {type(error).__name__}: {error}")
    SparkSession.builder.getOrCreate().stop()


def _close_at_end_of_input(streams: KafkaStreams) -> None:
    sys.stdin.read()
    streams.close()


def _end(status: int, said: str) -> None:
    _say(said)
    os._exit(status)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
