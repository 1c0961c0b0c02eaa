"""What the tests of the live page share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from millstream import Grouped, KafkaStreams, Materialized, Serdes, StreamsBuilder, Topology
from millstream.page import plugin
from millstream.page.app import application
from millstream.page.errors import LastErrors
from millstream.page.live import LivePage
from millstream.page.settings import PageSettings
from millstream.plugins.kinds import OBSERVERS
from millstream.plugins.registry import offered, registered


@contextmanager
def page_offered() -> Iterator[None]:
    """Offer the page also where the installed package has been made before it."""
    with nullcontext() if "page" in offered(OBSERVERS) else registered(plugin):
        yield


def _chosen(key: str, value: str) -> str:
    if value == "bad":
        raise ValueError("bad")
    return value


def counted(source: str = "lines", target: str = "counted") -> Topology:
    """Return a topology with two sub-topologies and a store, which fails at the value "bad"."""
    builder = StreamsBuilder()
    (
        builder.stream(source)
        .selectKey(_chosen)
        .groupByKey(Grouped.with_(Serdes.String(), Serdes.String()))
        .count(Materialized.as_("counts"))
        .toStream()
        .mapValues(str)
        .to(target)
    )
    return builder.build()


def unstarted(directory: Path, **entries: Any) -> KafkaStreams:
    """Return an application that is not started, and needs neither Spark nor a broker."""
    given: Mapping[str, Any] = {
        "application.id": "app",
        "bootstrap.servers": "nowhere:9092",
        "state.dir": str(directory),
    }
    return KafkaStreams(
        counted(), {**given, **{k.replace("_", "."): v for k, v in entries.items()}}
    )


def total(streams: KafkaStreams, name: str, topic: str) -> float:
    """Return the sum of a metric over all that is measured of a topic."""
    return sum(
        float(metric.metricValue())
        for found, metric in streams.metrics().items()
        if found.name() == name and found.tags().get("topic") == topic
    )


def page_of(streams: KafkaStreams, **settings: Any) -> LivePage:
    """Return the page of an application, without its server."""
    return LivePage(streams, PageSettings(**{"port": 0, **settings}), LastErrors())


def client_of(page: LivePage, **options: Any) -> TestClient:
    """Return a client of a page's routes."""
    options = {"base_url": "http://127.0.0.1", "raise_server_exceptions": False, **options}
    return TestClient(application(page), **options)
