"""Names of files that are not ASCII, in a JVM whose locale has no others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from compat_tests import ROOT
from millstream import StreamsConfig
from millstream.core.errors import ConfigException, ProcessorStateException, StreamsException
from millstream.topology.spark.driver.preflight import (
    check_config,
    check_default_files,
    check_file_names,
)
from millstream.topology.spark.driver.savepoints import checkpoint_root
from millstream.topology.spark.driver.session import new_session
from millstream.topology.spark.worker_pools import import_path


def session(encoding: str) -> Any:
    system = SimpleNamespace(getProperty={"sun.jnu.encoding": encoding}.__getitem__)
    java = SimpleNamespace(lang=SimpleNamespace(System=system))
    return SimpleNamespace(sparkContext=SimpleNamespace(_jvm=SimpleNamespace(java=java)))


def test_a_jvm_that_cannot_name_the_state_directory_is_refused() -> None:
    with pytest.raises(ProcessorStateException, match="cannot name the directory /data/é") as told:
        check_file_names(session("ANSI_X3.4-1968"), [Path("/data/a"), Path("/data/é")])
    assert "LC_ALL=C.UTF-8" in told.value.hint


@pytest.mark.parametrize(
    ("encoding", "name"), [("UTF-8", "é"), ("ISO-8859-1", "é"), ("ANSI_X3.4-1968", "e")]
)
def test_names_that_the_jvm_has_are_its_own_matter(encoding: str, name: str) -> None:
    check_file_names(session(encoding), [Path("/data", name)])


_PROGRAM = """
import os
from millstream.topology.spark.worker_pools import importable_daemon
with importable_daemon():
    print(os.environ.get("LC_ALL"))
print(os.environ.get("LC_ALL"))
"""


@pytest.mark.parametrize(
    ("given", "expected"),
    [("C", ["C.UTF-8", "C"]), ("no_SUCH.UTF-8", ["C.UTF-8", "no_SUCH.UTF-8"])],
)
def test_a_jvm_names_files_as_python_does(given: str, expected: list[str]) -> None:
    environment = {**os.environ, "LC_ALL": given}
    environment.pop("PYTHONUTF8", None)
    told = subprocess.check_output(
        [sys.executable, "-c", _PROGRAM], cwd=ROOT, env=environment, text=True
    )
    assert told.split() == expected


@pytest.mark.parametrize("key", ["state.dir", "millstream.checkpoint.location"])
@pytest.mark.parametrize("name", ["a#b", "a?b", "a%20b", 'a"b', "a\\b", "a\nb"])
def test_a_path_that_is_another_one_to_spark_is_refused(key: str, name: str) -> None:
    own: dict[str, Any] = {key: f"/data/{name}"}
    config = StreamsConfig({"application.id": "app", "bootstrap.servers": "127.0.0.1:9"} | own)
    with pytest.raises(ConfigException, match=f"configuration {key}") as told:
        checkpoint_root(config)
    assert "Choose " in told.value.hint


@pytest.mark.parametrize("key", ["state.dir", "millstream.checkpoint.location"])
def test_a_path_that_is_not_utf_8_is_refused(key: str) -> None:
    own: dict[str, Any] = {key: "/data/caf\udce9"}
    config = StreamsConfig({"application.id": "app", "bootstrap.servers": "127.0.0.1:9"} | own)
    with pytest.raises(ConfigException, match=r"/data/caf\\udce9 for configuration") as told:
        checkpoint_root(config)
    assert "UTF-8" in told.value.hint


def test_a_program_in_a_directory_that_is_not_utf_8_is_refused_before_a_jvm_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "path", ["/programs/caf\udce9", *sys.path])
    with pytest.raises(StreamsException, match=r"not UTF-8: /programs/caf\\udce9") as told:
        new_session({"spark.master": "local[1]"}, "app")
    assert "sys.path" in told.value.hint


def test_an_application_whose_name_is_no_path_to_spark_is_told_that_it_is_the_name() -> None:
    entries = {"application.id": "a%2Fb", "bootstrap.servers": "127.0.0.1:9", "state.dir": "/data"}
    with pytest.raises(ConfigException, match=r"Invalid value a%2Fb for .* application\.id"):
        checkpoint_root(StreamsConfig(entries))


def config_at(location: str, key: str = "millstream.checkpoint.location") -> StreamsConfig:
    own: dict[str, Any] = {key: location}
    return StreamsConfig({"application.id": "app", "bootstrap.servers": "127.0.0.1:9"} | own)


@pytest.mark.parametrize(
    "location", ["file:///data/100 %", "s3a://b/a%20b", "file:///data/", "file:/data"]
)
def test_other_locations_are_taken_as_they_are(location: str) -> None:
    assert checkpoint_root(config_at(location)) == location


@pytest.mark.parametrize("path", ["/data/ü b", "data", "/data//a", "./~a"])
def test_a_path_is_one_of_this_machine_whatever_spark_has_by_default(path: str) -> None:
    assert checkpoint_root(config_at(path)) == f"file://{Path(path).absolute()}"


@pytest.mark.parametrize("key", ["state.dir", "millstream.log.file"])
@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("file:///shared/a", 'Write "/shared/a"'),
        ("file:/shared/a", 'Write "/shared/a"'),
        ("hdfs://names:8020/a", "millstream.checkpoint.location"),
    ],
)
def test_a_url_is_no_local_path(key: str, url: str, said: str) -> None:
    """A directory "hdfs:" in the working directory had the state, and the checkpoint."""
    with pytest.raises(ConfigException, match=f"value {url} for configuration {key}") as told:
        check_config(config_at(url, key))
    assert said in told.value.hint
    check_config(config_at("./hdfs:/a", key))


@pytest.mark.parametrize(
    "key", ["state.dir", "millstream.checkpoint.location", "millstream.log.file"]
)
def test_a_path_that_only_a_shell_knows_is_refused(key: str) -> None:
    """A directory "~" in the working directory had the state."""
    with pytest.raises(
        ConfigException, match=f"Invalid value ~/state for configuration {key}"
    ) as e:
        check_config(config_at("~/state", key))
    assert os.path.expanduser("~/state") in e.value.hint
    check_config(config_at("./~/state", key))


def with_default(files: str | None) -> Any:
    java = SimpleNamespace(hadoopConfiguration=lambda: {"fs.defaultFS": files})
    return SimpleNamespace(sparkContext=SimpleNamespace(_jsc=java))


def test_a_path_where_spark_means_another_file_system_is_refused() -> None:
    """Spark wrote one part of the checkpoint there, and millstream the other one here."""
    hdfs = with_default("hdfs://names:8020")
    with pytest.raises(ConfigException, match="default is hdfs://names:8020") as told:
        check_default_files(hdfs, config_at("/checkpoints/a"))
    assert '"hdfs://names:8020/checkpoints/a"' in told.value.hint
    assert '"file:///checkpoints/a"' in told.value.hint
    check_default_files(hdfs, config_at("hdfs://names:8020/checkpoints/a"))
    check_default_files(hdfs, config_at("file:///checkpoints/a"))
    check_default_files(hdfs, config_at("/data", "state.dir"))
    for local in ("file:///", None):
        check_default_files(with_default(local), config_at("/checkpoints/a"))


def test_a_path_among_the_directories_of_imports_is_passed_over_as_python_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "path", [Path("/data/code"), "/data/more", ""])
    assert import_path() == f"/data/more:{os.getcwd()}"
