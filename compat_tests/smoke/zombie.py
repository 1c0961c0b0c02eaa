"""A writer that was taken for dead goes on in the middle of its transaction.

``python -m compat_tests.smoke.zombie SERVERS NAME DIRECTORY MOMENT``: two writers of one sink
partition write the same batch. The first one stops at ``send_offsets_to_transaction`` or at
``commit_transaction``, the second one writes the batch from its beginning to its end, the first one
goes on. Prints who wrote, and what is committed then. ``SMOKE_WITHOUT`` switches protections off.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
from confluent_kafka import Producer

from compat_tests.kafka.topics import create_topic
from compat_tests.spark.support import Playground
from millstream import StreamsConfig
from millstream.topology.spark.clients.settings import (
    client_settings,
    consumer_settings,
    producer_settings,
)
from millstream.topology.spark.compile import Layout
from millstream.topology.spark.job import Job
from millstream.topology.spark.wire import binary_column, encode_chunk
from millstream.topology.spark.worker import writers

MOMENTS = ("send_offsets_to_transaction", "commit_transaction")
TRANSACTION_TIMEOUT_MS = 10_000


class Stopping(Producer):
    """A producer that stops once at a moment, while somebody else writes."""

    meanwhile: Callable[[], object] | None = None
    moment = ""

    def send_offsets_to_transaction(self, *args: Any) -> None:
        """Stop before the offsets are in the transaction."""
        self._stop("send_offsets_to_transaction")
        super().send_offsets_to_transaction(*args)

    def commit_transaction(self, *args: Any) -> None:
        """Stop when all is in the transaction, and only its end is missing."""
        self._stop("commit_transaction")
        super().commit_transaction(*args)

    def _stop(self, moment: str) -> None:
        if moment == Stopping.moment and (meanwhile := Stopping.meanwhile):
            Stopping.meanwhile = None
            self.flush(30)
            meanwhile()


def job_of(play: Playground) -> Job:
    """Return an application without a topology: only its sink is used."""
    config = StreamsConfig(
        play.config(producer_transaction_timeout_ms=TRANSACTION_TIMEOUT_MS)
        | {StreamsConfig.PROCESSING_GUARANTEE_CONFIG: "exactly_once_v2"}
    )
    return Job(
        application_id=play.name,
        checkpoint_id="c1",
        run_id="r1",
        topology=b"",
        layout=Layout(stages=(), routes={}, keys=(0,)),
        sink_partitions={},
        exactly_once=True,
        state_dir="",
        client=client_settings(config),
        producer=producer_settings(config),
        consumer=consumer_settings(config, play.name),
    )


def main() -> None:
    """Let the two write, and print what became of it as JSON."""
    servers, name, directory, moment = sys.argv[1:]
    assert moment in MOMENTS
    play = Playground(servers, name, Path(directory))
    job = job_of(play)
    create_topic(servers, job.progress_topic)
    source, target = play.topic("in", 1), play.topic("out", 1)
    values = [b"a", b"b"]
    blob = encode_chunk(
        keys=binary_column([b"k"] * 2),
        values=binary_column(values),
        timestamps=pa.array([1, 2], pa.int64()),
    )
    batch: Any = (0, [(target, blob)], [(source, 0, 2)])
    zombie, replacement = writers.SinkWriter(job, 0), writers.SinkWriter(job, 0)
    wrote: dict[str, bool] = {}
    vars(writers)["Producer"] = Stopping
    Stopping.moment = moment
    Stopping.meanwhile = lambda: wrote.update(replacement=replacement.write(*batch))
    wrote["zombie"] = zombie.write(*batch)
    found = [value.decode() for value in (v for _, v in play.pairs(target, 2, more=1)) if value]
    print(json.dumps({"wrote": wrote, "committed": found}))
    zombie.close()
    replacement.close()


if __name__ == "__main__":
    main()
