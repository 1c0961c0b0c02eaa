"""Java's collector and compiler are chosen for batches, unless the user has chosen."""

from __future__ import annotations

from pathlib import Path

import pytest

from millstream.topology.spark.driver.java_options import COLLECTOR, COMPILER, with_java_options

OPTIONS = "spark.driver.extraJavaOptions"


def chosen(tmp_path: Path, given: str = "", **environment: str) -> list[str]:
    environment = {"SPARK_CONF_DIR": str(tmp_path), **environment}
    found = with_java_options({OPTIONS: given} if given else {}, environment)
    return found.get(OPTIONS, "").split()


def test_a_launched_jvm_has_a_collector_and_a_compiler_for_batches(tmp_path: Path) -> None:
    assert chosen(tmp_path) == [COLLECTOR, *COMPILER]
    assert chosen(tmp_path, "-Da=b") == [COLLECTOR, *COMPILER, "-Da=b"]


@pytest.mark.parametrize("given", ["-XX:+UseG1GC", "-Da=b -XX:+UseZGC", "-XX:Flags=file"])
def test_another_collector_stays_the_only_one(given: str, tmp_path: Path) -> None:
    assert COLLECTOR not in chosen(tmp_path, given)
    assert COLLECTOR not in chosen(tmp_path, JAVA_TOOL_OPTIONS=given)
    settings = {"spark.driver.defaultJavaOptions": given}
    environment = {"SPARK_CONF_DIR": str(tmp_path)}
    assert COLLECTOR not in with_java_options(settings, environment).get(OPTIONS, "")
    (tmp_path / "spark-defaults.conf").write_text(f"spark.driver.defaultJavaOptions {given}\n")
    assert COLLECTOR not in chosen(tmp_path)


@pytest.mark.parametrize(
    "given",
    ["-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation", "-XX:Tier4CompileThreshold=1", "-Xint"],
)
def test_thresholds_are_left_to_who_has_set_any(given: str, tmp_path: Path) -> None:
    assert chosen(tmp_path, given) == [COLLECTOR, given]


def test_nothing_is_added_where_both_are_chosen(tmp_path: Path) -> None:
    assert chosen(tmp_path, "-XX:+UseSerialGC -Xcomp") == ["-XX:+UseSerialGC", "-Xcomp"]
