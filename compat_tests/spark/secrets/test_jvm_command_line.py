"""What goes on the command line of Spark's JVM, and into py4j's log."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark import SparkContext

from millstream.core.errors import StreamsException
from millstream.topology.spark.driver import jvm
from millstream.topology.spark.logs import LogOptions

SECRETS = {
    "spark.authenticate.secret": "s1",
    "spark.ssl.keyPassword": "s2",
    "spark.ssl.trustStorePassword": "s3",
    "spark.hadoop.fs.s3a.secret.key": "s4",
    "spark.hadoop.fs.s3a.access.key": "s5",
    "spark.hadoop.fs.azure.account.oauth2.client.secret": "s6",
    "spark.my.api.token": "s7",
    "spark.hadoop.credentials": "s8",
}


class _Launched(Exception):
    pass


@pytest.mark.parametrize("level", ["normal", "off", None])
def test_secret_entries_are_not_on_the_command_line(
    level: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, str] = {}

    def launch(conf: Any, popen: Any) -> None:
        given.update(conf.getAll())
        raise _Launched

    monkeypatch.setattr(jvm, "launch_gateway", launch)
    monkeypatch.setattr(SparkContext, "_gateway", None)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    log = None if level is None else LogOptions(level, tmp_path / "log")
    with pytest.raises((_Launched, StreamsException)):
        jvm.launched_jvm({**SECRETS, "spark.driver.memory": "1g"}, log)
    assert given == {"spark.driver.memory": "1g"}


@pytest.fixture
def calls() -> Iterator[logging.Logger]:
    logger = logging.getLogger("py4j")
    before = logger.level
    yield logger
    logger.setLevel(before)


def test_py4j_does_not_log_more_than_the_program_asks_for(
    calls: logging.Logger, caplog: pytest.LogCaptureFixture
) -> None:
    calls.setLevel(logging.NOTSET)
    with caplog.at_level(logging.WARNING):
        jvm.hide_calls()
        assert not logging.getLogger("py4j.clientserver").isEnabledFor(logging.INFO)


def test_py4j_does_not_log_its_calls_to_a_program_that_logs_everything(
    calls: logging.Logger,
) -> None:
    calls.setLevel(logging.NOTSET)
    jvm.hide_calls()
    assert not logging.getLogger("py4j.clientserver").isEnabledFor(logging.DEBUG)


def test_a_level_that_the_program_has_set_for_py4j_stays(calls: logging.Logger) -> None:
    calls.setLevel(logging.DEBUG)
    jvm.hide_calls()
    assert calls.level == logging.DEBUG
