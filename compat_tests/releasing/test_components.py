"""The list of components is valid CycloneDX, whole, and the same each time."""

from __future__ import annotations

import json

from millstream.jars.lock import lock_names, read_lock
from tools.releasing.closure import Package
from tools.releasing.components import bill
from tools.releasing.licences import read_licences

PACKAGES = {
    "millstream": Package("millstream", "0.2.0", ("avro",), "Apache-2.0", None, ()),
    "avro": Package("avro", "1.12.2", (), None, None, ("Apache Software License",)),
}
LOCKS = {name: read_lock(name) for name in lock_names()}


def made(epoch: int = 1_800_000_000) -> str:
    return bill(PACKAGES, LOCKS, read_licences(), epoch)


def test_it_is_the_same_each_time() -> None:
    assert made() == made()
    assert made() != made(1_800_000_001)


def test_it_names_packages_and_jars_with_licences_and_checksums() -> None:
    found = json.loads(made())
    assert found["metadata"]["component"]["version"] == "0.2.0"
    by_name = {
        (each.get("group"), each["name"], each["version"]): each for each in found["components"]
    }
    assert by_name[None, "avro", "1.12.2"]["licenses"] == [{"expression": "Apache-2.0"}]
    jars = {jar for locked in LOCKS.values() for jar in locked}
    for jar in jars:
        each = by_name[jar.group, jar.artifact, jar.version]
        assert each["hashes"] == [{"alg": "SHA-256", "content": jar.sha256}]
        assert each["purl"].startswith(f"pkg:maven/{jar.group}/{jar.artifact}@{jar.version}")
    assert len(found["components"]) == 1 + len({jar.coordinate for jar in jars})


def test_what_an_application_on_a_broker_needs_is_required() -> None:
    found = json.loads(made())["components"]
    required = {each["name"] for each in found if each.get("scope") == "required"}
    assert required == {jar.artifact for jar in LOCKS["spark"]}


def test_it_tells_what_needs_what() -> None:
    needs = {each["ref"]: each.get("dependsOn", []) for each in json.loads(made())["dependencies"]}
    assert "python:avro" in needs["python:millstream"]
