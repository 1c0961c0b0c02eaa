"""Calls of Spark's JVM take as long as they take, whatever the program's sockets may wait."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.clientserver import JavaParameters
from pyspark import SparkContext

from millstream.topology.spark.driver import jvm


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float | None]]:
    """Limits of the sockets that starts of the JVM have made."""
    limits: list[float | None] = []

    def launch_gateway(*_: Any) -> Any:
        with socket.socket() as made:
            limits.append(made.gettimeout())
        return SimpleNamespace(proc=None, java_parameters=JavaParameters())

    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setattr(SparkContext, "_gateway", None)
    monkeypatch.setattr(jvm, "launch_gateway", launch_gateway)
    limit = socket.getdefaulttimeout()
    yield limits
    socket.setdefaulttimeout(limit)


@pytest.mark.parametrize("limit", [3.0, None])
def test_the_programs_limit_for_sockets_is_not_that_of_calls_of_the_jvm(
    limit: float | None, launches: list[float | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    ensured = lambda gateway: found.append(gateway.java_parameters.read_timeout)  # noqa: E731
    monkeypatch.setattr(SparkContext, "_ensure_initialized", ensured)
    socket.setdefaulttimeout(limit)
    jvm.launched_jvm({}, None)
    assert launches == [None]
    assert socket.getdefaulttimeout() == limit
    assert found == [None if limit is None else 2_000_000]
    with socket.socket() as taken:
        taken.settimeout(found[0])
