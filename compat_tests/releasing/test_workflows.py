"""Workflows of public CI: valid, with as few rights as they need, and nothing that can change."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from compat_tests import ROOT

FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40}")


def read(path: Path) -> dict[str, Any]:
    # YAML 1.1 takes the word "on" for true.
    return {
        "on" if key is True else key: each for key, each in yaml.safe_load(path.read_text()).items()
    }


def jobs() -> list[Any]:
    return [
        pytest.param(job, id=f"{path.stem}-{name}")
        for path in FILES
        for name, job in read(path)["jobs"].items()
    ]


def rights(given: Any) -> dict[str, str]:
    assert isinstance(given, dict), "write-all and read-all give too many rights"
    return given


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_workflow_fits_its_schema(path: Path) -> None:
    command = ["-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(path)]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_known_mistake_is_in_a_workflow() -> None:
    done = subprocess.run(
        [
            *(str(Path(sys.executable).parent / "zizmor"), "--offline", "--no-progress"),
            *("--format", "plain"),
            *map(str, FILES),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("job", jobs())
def test_a_job_ends_and_uses_actions_of_one_commit(job: dict[str, Any]) -> None:
    assert job["timeout-minutes"] <= 180
    for step in job["steps"]:
        assert "uses" not in step or PINNED.fullmatch(step["uses"])
        # A text from outside would be run as a part of the script.
        assert "${{" not in step.get("run", "")


def test_each_commit_of_an_action_has_its_version_beside_it() -> None:
    lines = [line for path in FILES for line in path.read_text().splitlines() if "uses:" in line]
    assert lines
    assert [line for line in lines if not re.search(r"@\w{40}  # v\d+\.\d+\.\d+$", line)] == []


def test_nothing_has_rights_but_to_read_and_the_publisher_to_ask_for_an_identity() -> None:
    for path in FILES:
        workflow = read(path)
        given = [rights(workflow["permissions"])]
        given += [
            rights(job["permissions"]) for job in workflow["jobs"].values() if "permissions" in job
        ]
        assert all(
            right == "read" for each in given for name, right in each.items() if name != "id-token"
        )
    holders = [
        (path.stem, name)
        for path in FILES
        for name, job in read(path)["jobs"].items()
        if "id-token" in job.get("permissions", {})
    ]
    assert holders == [("release", "publish")]
    assert all("id-token" not in read(path)["permissions"] for path in FILES)


def test_the_publisher_runs_nothing_of_ours_and_waits_for_a_person() -> None:
    publish = read(ROOT / ".github" / "workflows" / "release.yml")["jobs"]["publish"]
    assert publish["environment"] == "pypi"
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["needs"] == "build"
    uses = [step["uses"].partition("@")[0] for step in publish["steps"]]
    assert uses == ["actions/download-artifact", "pypa/gh-action-pypi-publish"]
    assert publish["steps"][1]["with"]["attestations"] is True
    assert "password" not in publish["steps"][1]["with"]


def test_only_the_tag_of_a_version_releases() -> None:
    on = read(ROOT / ".github" / "workflows" / "release.yml")["on"]
    assert on == {"push": {"tags": ["v[0-9]+.[0-9]+.[0-9]+"]}}


def test_workflows_of_pull_requests_have_no_secrets() -> None:
    for path in FILES:
        assert "pull_request_target" not in read(path)["on"]
        assert "secrets." not in path.read_text()


def test_the_environments_that_workflows_name_exist() -> None:
    tox = (ROOT / "tox.ini").read_text(encoding="utf-8")
    text = "".join(path.read_text() for path in FILES)
    named = set(re.findall(r'TOX_ARGS="-e ([\w-]+)', text))
    suites = re.search(r"suite: \[(.+)\]", text)
    assert suites
    named |= set(suites[1].split(", "))
    assert named - {"py"} <= set(re.findall(r"testenv:(\S+)\]", tox))
