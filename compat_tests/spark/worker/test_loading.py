"""Topologies that a worker cannot unpickle: the error says where that was, and what to do."""

from __future__ import annotations

import resource
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from compat_tests.spark.worker.test_live_task import job
from millstream import StreamsBuilder, StreamsConfig, StreamsException
from millstream.topology.spark.driver.pickled import pickled
from millstream.topology.spark.job import Job
from millstream.topology.spark.worker import worker_cache


class Odd:
    """Cannot be made again."""

    def __reduce__(self) -> Any:
        return int, ("no number",)


def priced(value: Any) -> Any:
    """Stand for a function of a module that only the program can import."""
    return value


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.setattr(worker_cache, "_applications", {})
    monkeypatch.setattr(worker_cache, "_collect_less_often", lambda: None)
    return job(tmp_path, "one", "memory")


def mapping(function: Any) -> bytes:
    builder = StreamsBuilder()
    builder.stream("in").mapValues(function).to("out")
    config = {"application.id": "app", "bootstrap.servers": "b:1"}
    return pickled(builder.build().plan(), StreamsConfig(config))


def test_a_module_that_the_worker_has_not_is_named_with_what_to_do(
    own: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("shop_of_a_program")
    monkeypatch.setattr(priced, "__module__", module.__name__)
    vars(module)["priced"] = priced
    monkeypatch.setitem(sys.modules, module.__name__, module)
    sent = replace(own, topology=mapping(priced))
    monkeypatch.delitem(sys.modules, module.__name__)
    with pytest.raises(StreamsException, match="worker of Spark cannot load") as caught:
        worker_cache.application(sent)
    assert "No module named 'shop_of_a_program'" in caught.value.detail
    assert "spark-submit --py-files" in caught.value.hint
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)


def test_an_object_that_cannot_be_made_again_is_told_with_its_error(own: Job) -> None:
    odd = Odd()
    with pytest.raises(StreamsException, match="worker of Spark cannot load") as caught:
        worker_cache.application(replace(own, topology=mapping(lambda value: (odd, value))))
    assert "ValueError: invalid literal for int()" in caught.value.detail
    assert "when they are unpickled" in caught.value.hint


class Library:
    """Stand for a module whose shared library does not fit."""

    def __reduce__(self) -> Any:
        return unloadable, ()


def unloadable() -> None:
    raise ImportError("_parquet.so: failed to map segment from shared object")


def test_a_limit_of_memory_that_libraries_do_not_fit_in_is_named(
    own: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library()
    sent = replace(own, topology=mapping(lambda value: (library, value)))
    with pytest.raises(StreamsException, match="cannot load the topology"):
        worker_cache.application(sent)
    limits = (200 << 20, resource.RLIM_INFINITY)
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits)
    with pytest.raises(StreamsException, match="too little memory for the topology: 200 MiB") as it:
        worker_cache.application(sent)
    assert "spark.executor.pyspark.memory" in it.value.hint
