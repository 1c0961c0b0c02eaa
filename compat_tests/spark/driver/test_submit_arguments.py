"""PYSPARK_SUBMIT_ARGS holds where a program starts Spark by itself, as with spark-submit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from millstream.topology.spark.driver.session import session_settings, submitted, with_jars
from millstream.topology.spark.driver.submit_arguments import (
    VARIABLE,
    others_only,
    submit_arguments,
)

MASTER = "spark.master"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, {}),
        ("pyspark-shell", {}),
        (
            "--master local[2] --driver-memory 3g --name 'my job' --jars a.jar,b.jar pyspark-shell",
            {
                MASTER: "local[2]",
                "spark.driver.memory": "3g",
                "spark.app.name": "my job",
                "spark.jars": "a.jar,b.jar",
            },
        ),
        (
            "--conf spark.ui.enabled=true -c 'spark.a=b=c d' --conf=spark.e=f pyspark-shell",
            {"spark.ui.enabled": "true", "spark.a": "b=c d", "spark.e": "f"},
        ),
        # As in spark-submit, an option of its own wins over --conf, in any order.
        ("--master yarn --conf spark.master=local pyspark-shell", {MASTER: "yarn"}),
        (
            "--verbose --packages a:b:1 --master=spark://one:7077 pyspark-shell",
            {MASTER: "spark://one:7077"},
        ),
        ("--conf not.of.spark=1 pyspark-shell --master yarn", {}),
        # Refused before Spark starts.
        ("--master 'local[2]", {}),
        ("--master", {MASTER: ""}),
    ],
)
def test_options_are_entries(text: str | None, expected: dict[str, str]) -> None:
    assert submit_arguments({} if text is None else {VARIABLE: text}) == expected


def test_they_win_over_the_file_and_our_defaults_and_not_over_the_configuration(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A notebook's image names the cluster so: the application ran on this machine instead."""
    (tmp_path / "spark-defaults.conf").write_text("spark.master yarn\nspark.cores.max 3\n")
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    options = (
        "--master spark://one:7077 --driver-memory 4g --jars /mine.jar -c spark.ui.enabled=true"
    )
    monkeypatch.setenv(VARIABLE, f"{options} pyspark-shell")
    found = session_settings({"spark.driver.memory": "1g"}, submitted(), "orders", ["/own.jar"])
    assert found[MASTER] == "spark://one:7077"
    assert found["spark.cores.max"] == "3"
    assert found["spark.ui.enabled"] == "true"
    assert found["spark.driver.memory"] == "1g"
    assert found["spark.jars"] == "/mine.jar,/own.jar"
    assert found["spark.app.name"] == "orders"


def test_the_jvm_starts_by_what_is_left_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """By --jars there would be those jars alone, and no connector of Kafka."""
    given = "--jars a.jar --packages 'b:c:1 2' --verbose --master=yarn -c spark.d=e pyspark-shell f"
    monkeypatch.setenv(VARIABLE, given)
    with others_only():
        assert os.environ[VARIABLE] == "--packages 'b:c:1 2' --verbose pyspark-shell f"
    assert os.environ[VARIABLE] == given
    monkeypatch.delenv(VARIABLE)
    with others_only():
        assert VARIABLE not in os.environ


def test_executors_get_the_jars_of_packages() -> None:
    """spark-submit finds them when the JVM starts, and adds them to spark.jars."""
    settings = {"spark.jars": "/cache/own.jar,/mine.jar", "spark.a": "b"}
    found = "file:///cache/own.jar,file:///ivy/org.x_thing-1.0.jar"
    jars = "/cache/own.jar,/mine.jar,file:///ivy/org.x_thing-1.0.jar"
    assert with_jars(settings, found) == settings | {"spark.jars": jars}
    assert with_jars(settings, None) == settings
