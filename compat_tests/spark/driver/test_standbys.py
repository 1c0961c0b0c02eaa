"""Where the files about standby copies are, and what Spark is told because of them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from millstream import StreamsConfig
from millstream.core.errors import ConfigException
from millstream.topology.spark.driver import standbys
from millstream.topology.spark.driver.standbys import standby_directory

JOB: Any = SimpleNamespace(checkpoint_id="ck")


def config(**entries: Any) -> StreamsConfig:
    given = {"application.id": "app", "bootstrap.servers": "nowhere:9092"}
    return StreamsConfig(given | {key.replace("_", "."): v for key, v in entries.items()})


def session(master: str) -> Any:
    return SimpleNamespace(sparkContext=SimpleNamespace(master=master))


def test_executors_share_a_directory_of_the_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "millstream-standbys" / "old" / "mirrors").mkdir(parents=True)
    (tmp_path / "millstream-standbys" / "ck").mkdir()
    (tmp_path / "millstream-warm" / "left").mkdir(parents=True)
    found = standby_directory(config(), session("spark://h:7077"), f"file://{tmp_path}", JOB)
    assert found == str(tmp_path / "millstream-standbys" / "ck")
    assert [each.name for each in (tmp_path / "millstream-standbys").iterdir()] == ["ck"]
    assert not (tmp_path / "millstream-warm").exists()


@pytest.mark.parametrize("master", ["local", "local[4]", "local[2,3]"])
def test_in_local_mode_there_are_no_copies(tmp_path: Path, master: str) -> None:
    given = config(num_standby_replicas=1)
    assert standby_directory(given, session(master), str(tmp_path), JOB) == ""


def test_nothing_is_copied_where_spark_places_tasks_alone(tmp_path: Path) -> None:
    given = config(millstream_steer_tasks=False)
    assert standby_directory(given, session("yarn"), str(tmp_path), JOB) == ""


def test_standbys_are_refused_where_executors_have_no_directory_in_common() -> None:
    remote = "hdfs://names:8020/app"
    assert standby_directory(config(), session("yarn"), remote, JOB) == ""
    with pytest.raises(ConfigException) as caught:
        standby_directory(config(num_standby_replicas=1), session("yarn"), remote, JOB)
    assert "executors have no directory in common" in str(caught.value)
    assert remote in str(caught.value)


@pytest.mark.parametrize("refusal", [None, PermissionError("read only")])
def test_what_a_killed_driver_has_left_is_deleted_from_a_remote_checkpoint_too(
    monkeypatch: pytest.MonkeyPatch, refusal: Exception | None
) -> None:
    deleted = []

    class Remote:
        def __init__(self, _: Any, location: str) -> None:
            self.location = location

        def remove(self, path: str) -> None:
            deleted.append(f"{self.location}/{path}")
            if refusal is not None:
                raise refusal

    monkeypatch.setattr(standbys, "RemoteFiles", Remote)
    assert standby_directory(config(), session("yarn"), "hdfs://names:8020/app", JOB) == ""
    assert deleted == ["hdfs://names:8020/app/millstream-warm"]
