"""Plugins chosen by name in the configuration: serdes, assignors, observers."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from millstream import KeyValue, Serdes, StreamsBuilder, StreamsConfig
from millstream.core.errors import ConfigException, PluginError
from millstream.core.metrics import MetricName, Metrics
from millstream.core.serdes.text import StringSerde
from millstream.plugins import Observer, hookimpl
from millstream.plugins.names import observers, with_plugins
from millstream.plugins.observers import Observers, ReadWhenUsed
from millstream.plugins.registry import registered
from millstream.testing import MockProcessorContext, TopologyTestDriver

BASE = {"application.id": "app", "bootstrap.servers": "nowhere:0"}


def copied() -> Any:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    return builder.build()


def test_serdes_have_short_names_in_the_driver() -> None:
    config = {"default.key.serde": "string", "default.value.serde": " long "}
    with TopologyTestDriver(copied(), config) as driver:
        key, value = Serdes.String(), Serdes.Long()
        source = driver.createInputTopic("in", key.serializer(), value.serializer())
        target = driver.createOutputTopic("out", key.deserializer(), value.deserializer())
        source.pipeInput("k", 7)
        assert target.readKeyValue() == KeyValue("k", 7)


def test_what_a_configuration_warns_of_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    given = {**BASE, "default.key.serde": "string", "num.stream.thread": 4}
    config = with_plugins(StreamsConfig(given))
    assert config.originals() == given | {"default.key.serde": StringSerde}
    assert isinstance(config.defaultKeySerde(), StringSerde)
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_serdes_have_short_names_in_a_mock() -> None:
    assert isinstance(MockProcessorContext({"default.key.serde": "string"}).keySerde(), StringSerde)


def test_a_plugins_serde_and_assignor_are_found() -> None:
    class Upside(StringSerde):
        pass

    class Fixed:
        def assign(self, *arguments: Any) -> None:
            pass

    class Plugin:
        @hookimpl
        def millstream_register_serdes(self) -> dict[str, Any]:
            return {"upside": Upside}

        @hookimpl
        def millstream_register_assignors(self) -> dict[str, Any]:
            return {"fixed": Fixed}

    given = {**BASE, "default.key.serde": "upside", "task.assignor.class": "fixed"}
    with registered(Plugin()):
        config = with_plugins(StreamsConfig(given))
    assert isinstance(config.default_key_serde(), Upside)
    assert config.getClass("task.assignor.class") is Fixed


def test_a_name_that_no_plugin_has_is_an_error() -> None:
    config = with_plugins(StreamsConfig({**BASE, "default.key.serde": "strnig"}))
    with pytest.raises(ConfigException, match="Class strnig could not be found") as caught:
        config.default_key_serde()
    assert caught.value.hint.endswith("or a short name that `millstream plugins` lists.")


def test_nothing_changes_without_names() -> None:
    config = StreamsConfig({**BASE, "default.key.serde": Serdes.String()})
    assert with_plugins(config) is config


class Noting(Observer):
    name = "noting"
    heard: list[Any] = []

    def state_changed(self, new: str, old: str) -> None:
        self.heard.append((self.application_id, old, new))

    def batch_done(self, metrics: Any) -> None:
        self.heard.append(len(list(metrics)) >= 0)
        raise ValueError("no matter")

    def close(self) -> None:
        self.heard.append("closed")


class NotingPlugin:
    @hookimpl
    def millstream_register_observers(self) -> list[type[Observer]]:
        return [Noting]


def test_observers_follow_a_driver_and_what_they_raise_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    Noting.heard = []
    serdes = {"default.key.serde": "string", "default.value.serde": "string"}
    config = {"application.id": "app", "millstream.observer.names": "log, noting", **serdes}
    with caplog.at_level(logging.INFO, "millstream"), registered(NotingPlugin()):
        TopologyTestDriver(copied(), config).close()
    assert Noting.heard == [
        ("app", "CREATED", "RUNNING"),
        True,
        ("app", "RUNNING", "NOT_RUNNING"),
        "closed",
    ]
    assert "state application=app from=CREATED to=RUNNING" in caplog.messages
    assert "an observer failed observer=noting" in caplog.messages


def test_an_observer_hears_nothing_after_its_end() -> None:
    Noting.heard = []
    group = Observers([Noting("app", {})])
    group.close()
    group.failed(ValueError())
    group.close()
    assert Noting.heard == ["closed"]
    assert not group


def test_an_observer_may_refuse_the_start_by_an_error_of_ours_only(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Refusing(Noting):
        def attached(self, streams: Any) -> None:
            raise streams

    group = Observers([Refusing("app", {})])
    group.attached(ValueError("no matter"))
    assert "an observer failed observer=noting" in caplog.messages
    with pytest.raises(ConfigException, match="port"):
        group.attached(ConfigException("the port is taken"))


def test_metrics_that_no_observer_uses_are_not_read() -> None:
    reads: list[int] = []

    def read() -> Any:
        reads.append(1)
        return {}

    metrics = ReadWhenUsed(read)
    Observers([Observer("app", {})]).batch_done(metrics)
    assert reads == []
    assert (len(metrics), list(metrics)) == (0, [])
    assert reads == [1]


def test_an_unknown_observer_is_an_error() -> None:
    with pytest.raises(
        PluginError, match='no installed plugin offers an observer named "promethius"'
    ):
        observers("app", {"millstream.observer.names": ["promethius"]})


def test_the_log_observer_writes_metrics_and_failures(caplog: pytest.LogCaptureFixture) -> None:
    group = observers("app", {"millstream.observer.names": "log"})
    metrics = Metrics()
    metrics.gauge(MetricName("dropped-records-total", "stream-task-metrics"), 2.0)
    metrics.gauge(MetricName("batch-time-ms", "stream-metrics"), 1.5)
    with caplog.at_level(logging.INFO, "millstream"):
        group.batch_done(metrics.asMap())
        group.failed(ValueError("one\ntwo"))
    assert caplog.messages == [
        "metrics application=app batch-time-ms=1.5 dropped-records-total=2",
        "failure application=app error=one",
    ]
