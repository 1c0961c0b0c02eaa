"""Settings of a new session: the configuration, spark-submit's, and those of millstream."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from compat_tests.spark.applications.test_checks_before_start import pass_through
from compat_tests.spark.support import Playground
from millstream import ConfigException, KafkaStreams
from millstream.topology.spark.driver.session import (
    check_worker_python,
    new_session,
    query_session,
    session_settings,
    spark_entries,
    submitted,
    warn_of_a_shared_session,
    worker_python,
)

OWN = ["/cache/kafka-clients-3.9.2.jar", "/cache/connector.jar"]


def test_what_spark_submit_was_told_is_not_overridden() -> None:
    told = {
        "spark.master": "spark://one:7077",
        "spark.app.name": "app.py",
        "spark.ui.enabled": "true",
        "spark.driver.memory": "3g",
        "spark.jars": "hdfs://jars/udf.jar",
    }
    found = session_settings({}, told, "orders", OWN)
    assert found["spark.master"] == "spark://one:7077"
    assert found["spark.ui.enabled"] == "true"
    assert found["spark.driver.memory"] == "3g"
    assert found["spark.app.name"] == "orders"
    assert found["spark.jars"].split(",") == ["hdfs://jars/udf.jar", *OWN]
    assert found["spark.speculation"] == "false"


def test_pyspark_does_not_look_for_the_lines_that_make_columns_unless_told() -> None:
    # For each it would import IPython where that is installed: half a second of a start.
    key = "spark.python.sql.dataFrameDebugging.enabled"
    assert session_settings({}, {}, "orders", OWN)[key] == "false"
    assert session_settings({key: "true"}, {}, "orders", OWN)[key] == "true"


def test_the_configuration_wins_over_spark_submit_and_names_stay() -> None:
    told = {"spark.master": "yarn", "spark.app.name": "nightly", "spark.jars": "/b.jar"}
    given = {"spark.master": "spark://two:7077", "spark.jars": "/a.jar, /elsewhere/connector.jar"}
    found = session_settings(given, told, "orders", OWN)
    assert found["spark.master"] == "spark://two:7077"
    assert found["spark.app.name"] == "nightly"
    jars = found["spark.jars"].split(",")
    assert jars == ["/a.jar", "/elsewhere/connector.jar", "/b.jar", OWN[0]]


def test_alone_it_runs_on_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    found = session_settings({}, submitted(), "orders", OWN)
    assert found["spark.master"] == "local[*]"
    assert found["spark.app.name"] == "orders"
    assert found["spark.jars"].split(",") == OWN


def test_alone_it_has_what_the_file_of_sparks_defaults_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    file = tmp_path / "spark-defaults.conf"
    file.write_text(
        "# ours\nspark.master   spark://one:7077 \nspark.driver.memory=1g\nother.key 1\n"
        "spark.ui.enabled true\nspark.jars /mine.jar\n"
    )
    found = session_settings({"spark.driver.memory": "3g"}, submitted(), "orders", OWN)
    assert found["spark.master"] == "spark://one:7077"
    assert (found["spark.driver.memory"], found["spark.ui.enabled"]) == ("3g", "true")
    assert found["spark.jars"].split(",") == ["/mine.jar", *OWN]
    assert "other.key" not in found
    file.unlink()
    file.mkdir()
    with pytest.raises(ConfigException, match="cannot read"):
        submitted()


@pytest.mark.parametrize(
    ("master", "entry", "chosen", "expected"),
    [
        ("local[2]", None, None, sys.executable),
        ("local[2]", None, "/other/python", sys.executable),
        ("local", "/mine/python", "/other/python", "/mine/python"),
        ("spark://one:7077", None, None, sys.executable),
        ("spark://one:7077", None, "./environment/bin/python", "./environment/bin/python"),
        ("yarn", "./env.pex", "/other/python", "./env.pex"),
    ],
)
def test_workers_on_a_cluster_run_the_python_that_was_shipped(
    master: str, entry: str | None, chosen: str | None, expected: str
) -> None:
    settings = {"spark.master": master} | ({"spark.pyspark.python": entry} if entry else {})
    assert worker_python(settings, chosen) == expected


def test_the_workers_python_must_be_on_the_drivers_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigException, match="cannot be run here") as caught:
        check_worker_python("./env.pex")
    assert str(tmp_path) in str(caught.value)
    file = tmp_path / "env.pex"
    file.write_text("")
    with pytest.raises(ConfigException, match=r"\./env\.pex"):
        check_worker_python("./env.pex")
    file.chmod(0o700)
    check_worker_python("./env.pex")
    check_worker_python(sys.executable)


class _Static(AnalysisException):
    def getCondition(self) -> str:
        return "CANNOT_MODIFY_STATIC_CONFIG"


def _session_of(settings: Mapping[str, str], static: Collection[str] = ()) -> Any:
    conf = SimpleNamespace(get=settings.get, getAll=settings.items)
    context = SimpleNamespace(pythonExec=sys.executable, getConf=lambda: conf)
    entries: dict[str, str] = {}

    def change(key: str, value: str) -> None:
        if key in static:
            raise _Static(key)
        entries[key] = value

    made = SimpleNamespace(
        set=change, get=entries.get, isModifiable=lambda key: key not in static, entries=entries
    )
    query = SimpleNamespace(conf=made, sparkContext=context)
    return SimpleNamespace(sparkContext=context, newSession=lambda: query)


@pytest.mark.parametrize(("reuse", "warned"), [("false", True), ("true", False)])
def test_workers_that_are_new_in_each_batch_are_warned_of(
    reuse: str, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    query_session(_session_of({"spark.python.worker.reuse": reuse}), {}, 2)
    assert ("spark.python.worker.reuse is false" in caplog.text) == warned


@pytest.mark.parametrize("own", [{}, {"spark.sql.streaming.stopTimeout": "9s"}])
def test_a_limit_of_the_session_does_not_end_the_wait_for_a_query_that_stops(
    own: dict[str, str],
) -> None:
    key = "spark.sql.streaming.stopTimeout"
    query: Any = query_session(_session_of({key: "1"}), own, 2)
    assert query.conf.entries[key] == own.get(key, "0")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (
            "stateStore.providerClass",
            "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider",
        ),
        ("offsetLog.formatVersion", 2),
        ("minBatchesToRetain", -1),
        ("numRecentProgressUpdates", "0"),
    ],
)
def test_an_entry_with_which_no_query_runs_is_refused_at_the_start(name: str, value: Any) -> None:
    key = f"spark.sql.streaming.{name}"
    with pytest.raises(ConfigException, match=rf"{value} for configuration {key}"):
        query_session(_session_of({}), {key: value}, 2)


def test_offsets_have_the_format_that_a_restart_reads_whatever_the_session_says() -> None:
    key = "spark.sql.streaming.offsetLog.formatVersion"
    query: Any = query_session(_session_of({key: "2"}), {}, 2)
    assert query.conf.entries[key] == "1"


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, ("15s", None)),
        ({"num.standby.replicas": 0}, ("15s", None)),
        ({"num.standby.replicas": "1"}, ("5s", "5")),
        (
            {
                "num.standby.replicas": 1,
                "spark.sql.streaming.stateStore.maintenanceInterval": "40s",
            },
            ("40s", "5"),
        ),
    ],
)
def test_with_standbys_snapshots_of_state_are_uploaded_more_often(
    config: dict[str, Any], expected: tuple[str, str | None]
) -> None:
    entries = query_session(_session_of({}), config, 2).conf.entries  # type: ignore[attr-defined]
    state = "spark.sql.streaming.stateStore."
    found = [entries.get(state + name) for name in ("maintenanceInterval", "minDeltasForSnapshot")]
    assert tuple(found) == expected


MADE = {
    "spark.master": "local[2,4]",
    "spark.driver.memory": "2g",
    "spark.jars": "/cache/a.jar,/mine/b.jar",
    "spark.driver.extraJavaOptions": "-Xss4m -XX:+UseSerialGC",
}


@pytest.mark.parametrize(
    ("entries", "lost"),
    [
        ({}, None),
        ({"spark.master": "local[2]", "spark.driver.memory": "2g"}, None),
        ({"spark.jars": "/mine/b.jar", "spark.driver.extraJavaOptions": "-XX:+UseSerialGC"}, None),
        ({"spark.sql.session.timeZone": "UTC", "spark.sql.shuffle.partitions": 7}, None),
        ({"spark.master": "local[4]", "spark.driver.memory": "2g"}, "spark.master"),
        ({"spark.ui.enabled": True, "spark.jars": "c.jar"}, "spark.jars, spark.ui.enabled"),
        ({"spark.sql.extensions": "io.delta.X"}, "spark.sql.extensions"),
    ],
)
def test_entries_that_a_shared_session_does_not_take_are_named(
    entries: dict[str, Any], lost: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    session = query_session(_session_of(MADE, static=["spark.sql.extensions"]), entries, 2)
    warn_of_a_shared_session(session, entries)
    assert caplog.text.count("without effect") == (0 if lost is None else 1)
    assert lost is None or f"made without them: {lost}. " in caplog.text


@pytest.mark.spark
def test_an_application_in_a_session_of_others_says_what_it_does_not_get(
    play: Playground, spark: SparkSession, caplog: pytest.LogCaptureFixture
) -> None:
    source, target = play.topic("in", 1), play.topic("out", 1)
    play.produce(source, [(b"k", b"v", 0)])
    given = {"spark.sql.extensions": "io.delta.X", "spark.driver.memory": "17g"}
    with KafkaStreams(pass_through(source, target), play.config() | given, spark=spark):
        assert play.pairs(target, 1) == [(b"k", b"v")]
    assert "made without them: spark.driver.memory, spark.sql.extensions. " in caplog.text


@pytest.mark.spark
def test_a_session_that_the_program_has_keeps_its_settings(spark: SparkSession) -> None:
    keys = ["spark.sql.session.timeZone", "spark.sql.streaming.checkpointFileManagerClass"]
    before = [str(spark.conf.get(key)) for key in keys]
    manager = "org.apache.spark.sql.execution.streaming.checkpointing"
    spark.conf.set(keys[1], f"{manager}.FileContextBasedCheckpointFileManager")
    try:
        found = new_session({keys[0]: "Asia/Kathmandu"}, "another")
        assert found.conf.get(keys[0]) == before[0]
        assert "FileContextBased" in str(found.conf.get(keys[1]))
    finally:
        for key, value in zip(keys, before, strict=True):
            spark.conf.set(key, value)


def test_entries_of_spark_become_the_text_that_spark_reads() -> None:
    given = {
        "spark.jars": [Path("/a.jar"), "/b.jar"],
        "spark.network.timeout": timedelta(minutes=2),
        "spark.ui.enabled": True,
        "spark.cores.max": 2,
        "other": None,
    }
    assert spark_entries(given) == {
        "spark.jars": "/a.jar,/b.jar",
        "spark.network.timeout": "120000ms",
        "spark.ui.enabled": "true",
        "spark.cores.max": "2",
    }


@pytest.mark.parametrize("value", [None, {"enabled": True}, object])
def test_entries_of_spark_that_have_no_text_are_refused(value: Any) -> None:
    with pytest.raises(ConfigException, match=r"for configuration spark\.ui\.enabled") as caught:
        spark_entries({"spark.ui.enabled": value})
    assert "leave the entry out" in caught.value.hint
