"""Job whose sink writes to a real broker."""

from __future__ import annotations

import pytest

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


@pytest.fixture(params=[True, False], ids=["exactly_once_v2", "at_least_once"])
def job(request: pytest.FixtureRequest, play: Playground) -> Job:
    config = StreamsConfig(play.config())
    job = Job(
        application_id=play.name,
        checkpoint_id="c1",
        run_id="r1",
        topology=b"",
        layout=Layout(stages=(), routes={}, keys=(0,)),
        sink_partitions={},
        exactly_once=request.param,
        state_dir="",
        client=client_settings(config),
        producer=producer_settings(config),
        consumer=consumer_settings(config, play.name),
    )
    create_topic(play.servers, job.progress_topic, partitions=2)
    return job
