"""The manifests for Kubernetes: they can be read, and fit each other and the fetched jars."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests import ROOT
from millstream.jars.lock import read_lock

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
FOLDER = ROOT / "examples" / "kubernetes"


def documents(name: str) -> list[dict[str, Any]]:
    with (FOLDER / name).open(encoding="utf-8") as file:
        return list(yaml.safe_load_all(file))


@pytest.fixture
def application() -> dict[str, Any]:
    (found,) = documents("orders.yaml")
    assert (found["apiVersion"], found["kind"]) == (
        "sparkoperator.k8s.io/v1beta2",
        "SparkApplication",
    )
    spec: dict[str, Any] = found["spec"]
    return spec


def test_the_application_mounts_the_volume_and_uses_the_account(application: Any) -> None:
    (claim,) = documents("checkpoints.yaml")
    account, role, binding = documents("access.yaml")
    claims = [
        volume["persistentVolumeClaim"]["claimName"]
        for volume in application["volumes"]
        if "persistentVolumeClaim" in volume
    ]
    assert claims == [claim["metadata"]["name"]]
    assert application["driver"]["serviceAccount"] == account["metadata"]["name"]
    assert binding["roleRef"]["name"] == role["metadata"]["name"]
    volumes = {volume["name"] for volume in application["volumes"]}
    for part in ("driver", "executor"):
        assert {mount["name"] for mount in application[part]["volumeMounts"]} == volumes


def test_the_application_names_the_jars_that_millstream_fetches(application: Any) -> None:
    named = [path.rpartition("/")[2] for path in application["deps"]["jars"]]
    fetched = [jar.file_name for jar in read_lock("spark")]
    assert sorted(named) == sorted(fetched)
