"""Fixtures of every test, and what lets test functions reach Spark's workers."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from pyspark import cloudpickle

import compat_tests
from compat_tests import ROOT
from compat_tests.effort import DEEP, LONG

if TYPE_CHECKING:
    from compat_tests.hosts.broker import BrokerClient
    from compat_tests.hosts.host import TopologyHost
    from compat_tests.kafka.fixture import KafkaServer
    from millstream.testing.registry import EmbeddedRegistry


def _find(name: str) -> None:
    """Let tests import a folder of the root, which no installation has, and no other one."""
    folder = ROOT / name
    where = [str(folder)]
    spec = spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=where)
    if spec is not None and name not in sys.modules:
        sys.modules[name] = module_from_spec(spec)


_find("benchmarks")
_find("examples")
_find("tools")

# Workers cannot import tests or examples: what these modules define travels to them by value.
for _module in (compat_tests, sys.modules["examples"]):
    # Spark's copy of cloudpickle has no types.
    cloudpickle.register_pickle_by_value(_module)  # type: ignore[no-untyped-call]


# No test checks a duration: on a busy machine any example may take long. And every run but a deep
# one tries the same examples each time.
settings.register_profile("tests", settings.default, deadline=None, derandomize=not DEEP)
settings.load_profile("tests")

# What a test starts that asks for one of these fixtures, directly or by way of others.
_STARTED_BY = {"spark": "spark", "kafka": "broker", "secured": "broker", "registry": "broker"}
# What a test uses that all tests of a run share.
_SHARED_BY = {"spark": "shared_spark"}
_ON_SPARK = [pytest.mark.spark, pytest.mark.shared_spark, pytest.mark.broker]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what starts Spark, a broker or a registry, and what uses the session of all tests.

    Tests that start one in a process of their own carry the marker in their source. Long tests are
    left out, unless they are asked for.
    """
    if not LONG and "long" not in config.option.markexpr:
        left_out = [item for item in items if item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        for marks in (_STARTED_BY, _SHARED_BY):
            for fixture in marks.keys() & fixtures:
                item.add_marker(marks[fixture])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Check that a test calls what the table of the public API says that it calls."""
    from compat_tests.api.table import claims

    if (claimed := claims().get(item.nodeid)) is None:
        return (yield)
    from compat_tests.api.recorder import Recorder

    with Recorder() as recorder:
        result = yield
    if missing := claimed - recorder.seen:
        pytest.fail(
            f"compat_tests/api/table.json names this test for what it does not call (any more): "
            f"{', '.join(sorted(missing))}",
            pytrace=False,
        )
    return result


@pytest.fixture(scope="session")
def kafka() -> Iterator[KafkaServer]:
    """A real Kafka for the whole test run: a container where Docker is, else a process."""
    # Most tests need no Kafka, and so neither Docker's client nor the broker.
    from compat_tests.kafka.fixture import kafka_server

    with kafka_server() as server:
        yield server


@pytest.fixture(scope="session")
def spark() -> Iterator[object]:
    """A session as ``KafkaStreams`` makes it, on two cores."""
    from compat_tests.spark.support import QUICK_JVM
    from millstream.topology.spark.driver.session import new_session

    settings = {"spark.master": "local[2]", "spark.log.level": "ERROR", **QUICK_JVM}
    session = new_session(settings, "tests")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def broker(kafka: KafkaServer) -> Iterator[BrokerClient]:
    """The broker, as the hosts use it."""
    from compat_tests.hosts.broker import BrokerClient

    client = BrokerClient(kafka.bootstrap_servers)
    yield client
    client.close()


@pytest.fixture(scope="session")
def registry() -> Iterator[EmbeddedRegistry]:
    """A real schema registry for the whole test run; tests choose names of their own."""
    from millstream.testing.registry import EmbeddedRegistry

    with EmbeddedRegistry() as running:
        yield running


@pytest.fixture(params=["driver", pytest.param("spark", marks=_ON_SPARK)])
def host(request: pytest.FixtureRequest) -> TopologyHost:
    """A place to run topologies: each test that asks for it runs in both."""
    from compat_tests.hosts.host import OnDriver, OnSpark

    if request.param == "driver":
        return OnDriver()
    return OnSpark(request.getfixturevalue("spark"), request.getfixturevalue("broker"))
