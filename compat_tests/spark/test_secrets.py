"""No text about an application shows its passwords and keys."""

from __future__ import annotations

import dataclasses
import importlib
import logging
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import millstream
from millstream import KafkaStreams, StreamsBuilder, StreamsConfig
from millstream.core.engine.settings import TaskSettings
from millstream.topology.spark.clients.settings import (
    client_settings,
    connector_settings,
    consumer_settings,
    producer_settings,
)
from millstream.topology.spark.compile import Layout
from millstream.topology.spark.driver import brokers
from millstream.topology.spark.driver.line import BatchLimit, LineOptions
from millstream.topology.spark.job import Job

SECRET = "pa55-of-alice"
# Where an application's entries, or clients' settings made of them, are kept.
HOLDERS = {"client", "configs", "connector", "consumer", "global_connector", "producer", "topology"}


def config(directory: Path) -> StreamsConfig:
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    return StreamsConfig(
        {
            "application.id": "app",
            "bootstrap.servers": "127.0.0.1:1",
            "state.dir": str(directory),
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "PLAIN",
            "sasl.jaas.config": f'{module} required username="alice" password="{SECRET}";',
            "ssl.key.password": SECRET,
            "my.api.token": SECRET,
        }
    )


def shown(directory: Path) -> Iterator[str]:
    """Yield the texts of what holds an application's configuration."""
    found = config(directory)
    job = Job(
        application_id="app",
        checkpoint_id="c",
        run_id="r",
        topology=SECRET.encode(),
        layout=Layout(stages=(), routes={}, keys=(0,)),
        sink_partitions={},
        exactly_once=True,
        state_dir="",
        client=client_settings(found),
        producer=producer_settings(found),
        consumer=consumer_settings(found, "app"),
    )
    assert SECRET in str(job.producer)
    options = LineOptions(
        checkpoint="c",
        connector=connector_settings(found),
        starting_offsets={},
        batches=BatchLimit(first=1, most=1),
        trigger_ms=0,
        ticks=False,
        global_connector=connector_settings(found),
    )
    assert SECRET in str(options.connector)
    for each in (found, job, options, TaskSettings.of(found)):
        yield from (repr(each), str(each), f"{each}")


def test_neither_repr_nor_str_shows_a_secret(tmp_path: Path) -> None:
    assert [text for text in shown(tmp_path) if SECRET in text] == []


def classes() -> Iterator[Any]:
    for module in pkgutil.walk_packages(millstream.__path__, "millstream."):
        if not module.name.endswith("__main__"):
            found = vars(importlib.import_module(module.name)).values()
            yield from (c for c in found if isinstance(c, type) and dataclasses.is_dataclass(c))


def test_no_class_shows_the_configuration_that_it_holds() -> None:
    told = {
        f"{each.__qualname__}.{field.name}"
        for each in classes()
        for field in dataclasses.fields(each)
        if field.name in HOLDERS and field.repr and "Mapping" in str(field.type)
    }
    assert told == set()


@pytest.mark.spark
def test_a_failed_start_does_not_show_a_secret(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(brokers, "TIMEOUT_S", 0.2)
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    with caplog.at_level(logging.DEBUG), pytest.raises(millstream.StreamsException) as failure:
        KafkaStreams(builder.build(), config(tmp_path)).start()
    assert SECRET not in str(failure.getrepr(style="short")) + caplog.text
