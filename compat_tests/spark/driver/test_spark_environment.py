"""A Spark that the environment hides, or turns into another one, is refused before it starts."""

from __future__ import annotations

from pathlib import Path

import pyspark
import pytest
from pyspark import SparkContext

from millstream import ConfigException, StreamsException
from millstream.topology.spark.driver.session import new_session
from millstream.topology.spark.driver.spark_environment import check_spark_environment

APPLICATION = {"application.id": "app", "bootstrap.servers": "127.0.0.1:9092"}
OTHER_PROGRAMS = {"SPARK_CONNECT_MODE": "0", "SPARK_API_MODE": "classic", "HOME": "/root"}


@pytest.fixture(autouse=True)
def no_jvm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SparkContext, "_gateway", None)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)


def spark_of(version: str, home: Path) -> dict[str, str]:
    """Make what looks like a Spark of a version, and return the variable that names it."""
    for file in ("bin/spark-submit", f"jars/spark-core_2.13-{version}.jar"):
        Path(home, file).parent.mkdir(parents=True)
        Path(home, file).touch()
    return {"SPARK_HOME": str(home)}


@pytest.mark.parametrize(
    ("settings", "environment", "named"),
    [
        ({"spark.api.mode": "Connect"}, {}, "The entry spark.api.mode is connect."),
        ({"spark.remote": "sc://host"}, {}, "The entry spark.remote is sc://host."),
        ({}, {"SPARK_REMOTE": "local"}, "The variable SPARK_REMOTE is set."),
        ({}, {"SPARK_CONNECT_MODE_ENABLED": "1"}, "The variable SPARK_CONNECT_MODE_ENABLED is set"),
        ({}, {"SPARK_API_MODE": "connect"}, "The variable SPARK_API_MODE or SPARK_CONNECT_MODE"),
        ({"spark.api.mode": "classic"}, {"SPARK_REMOTE": "local"}, "SPARK_REMOTE is set"),
    ],
)
def test_spark_connect_is_refused_by_the_name_of_what_asks_for_it(
    settings: dict[str, str], environment: dict[str, str], named: str
) -> None:
    with pytest.raises(ConfigException, match="in a session of Spark Connect") as caught:
        check_spark_environment(settings, environment)
    assert named in caught.value.detail
    assert '"spark.api.mode" to "classic"' in caught.value.hint


def test_an_entry_that_says_classic_wins_over_the_variable() -> None:
    check_spark_environment({"spark.api.mode": "classic"}, {"SPARK_API_MODE": "connect"})


def test_a_spark_home_without_a_spark_is_named(tmp_path: Path) -> None:
    with pytest.raises(StreamsException, match=f'SPARK_HOME is "{tmp_path}", and no Spark') as e:
        check_spark_environment({}, {"SPARK_HOME": str(tmp_path)})
    assert e.value.hint.startswith("Unset SPARK_HOME")


def test_a_spark_home_of_another_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StreamsException, match="not of pyspark's version") as caught:
        check_spark_environment({}, spark_of("3.5.1", tmp_path))
    assert f"is Spark 3.5, and pyspark is {pyspark.__version__}" in caught.value.detail


def test_a_spark_home_of_the_same_version_is_taken(tmp_path: Path) -> None:
    version = ".".join(pyspark.__version__.split(".")[:2])
    check_spark_environment({}, spark_of(f"{version}.9", tmp_path))


@pytest.mark.parametrize("text", ["", "--master local[2]", "--conf 'a=b pyspark-shell"])
def test_arguments_of_spark_submit_without_their_last_word_are_refused(text: str) -> None:
    with pytest.raises(StreamsException, match="does not end with pyspark-shell") as caught:
        check_spark_environment({}, {"PYSPARK_SUBMIT_ARGS": text})
    assert repr(text) in caught.value.detail


def test_what_other_programs_have_set_rightly_is_taken() -> None:
    arguments = {"PYSPARK_SUBMIT_ARGS": "--master 'local[2]' pyspark-shell"}
    check_spark_environment({}, OTHER_PROGRAMS | arguments)


def test_a_jvm_that_runs_already_needs_no_spark_home() -> None:
    check_spark_environment({}, {"SPARK_HOME": "/nowhere", "PYSPARK_GATEWAY_PORT": "1"})


def test_a_new_session_is_checked_before_its_jvm_starts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    monkeypatch.setattr("millstream.topology.spark.driver.session.jars", lambda _: [])
    with pytest.raises(StreamsException, match="SPARK_HOME is"):
        new_session(APPLICATION, "app")
