"""A release as a whole: it changes everything, or nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from compat_tests import ROOT
from compat_tests.releasing.checkout import git, project
from tools import release
from tools.releasing import notes, packages
from tools.releasing.errors import Refused

WHO = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "A"), ("EMAIL", "a@example.com"))
}


class Steps:
    """Commands that a release would run, and what it says."""

    def __init__(self) -> None:
        self.commands: list[str] = []
        self.said: list[str] = []
        self.failing = ""

    def run(self, *command: Any, **_: Any) -> str:
        text = " ".join(map(str, command))
        self.commands.append(text)
        if self.failing and self.failing in text:
            raise Refused(f"{self.failing} failed")
        return ""

    def artifacts(self, checkout: Path, version: str, out: Path, say: Any) -> None:
        self.run("artifacts", version)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in WHO.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    return project(tmp_path)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    found = Steps()
    monkeypatch.setattr(release, "run", found.run)
    monkeypatch.setattr(release, "artifacts", found.artifacts)
    return found


def test_a_release_is_one_signed_commit_with_version_and_notes(
    checkout: Path, steps: Steps
) -> None:
    release.release(checkout, "0.2.0", checkout / "dist", steps.said.append)
    assert notes.version_of(checkout) == "0.2.0"
    assert notes.change_notes(checkout) == []
    changelog = (checkout / notes.CHANGELOG).read_text(encoding="utf-8")
    assert re.search(r"^#+ .*0\.2\.0 \(2027-01-15\)$", changelog, re.MULTILINE)
    log = git(checkout, "log", "--format=%s %(trailers:key=Signed-off-by,valueonly)", "-1")
    assert log.split("\n")[0] == "Release 0.2.0 A <a@example.com>"
    assert git(checkout, "rev-list", "--count", "main").strip() == "2"
    assert git(checkout, "status", "--porcelain") == ""
    assert len(git(checkout, "worktree", "list").splitlines()) == 1


@pytest.mark.parametrize("failing", ["check.sh", "page", "pytest", "artifacts"])
def test_a_step_that_fails_leaves_the_checkout_as_it_was(
    failing: str, checkout: Path, steps: Steps
) -> None:
    before = git(checkout, "rev-parse", "main")
    steps.failing = failing
    with pytest.raises(Refused, match=f"{failing} failed"):
        release.release(checkout, "0.2.0", checkout / "dist", steps.said.append)
    assert git(checkout, "rev-parse", "main") == before
    assert git(checkout, "status", "--porcelain") == ""
    assert len(git(checkout, "worktree", "list").splitlines()) == 1
    assert notes.change_notes(checkout)


def test_the_command_tells_what_is_wrong_in_one_line() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "release.py"), "0.0.1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert re.fullmatch(r"release: refused: 0\.0\.1 is not later than .*\n", done.stderr)


@pytest.mark.long
def test_two_builds_of_one_commit_give_the_same_bytes(tmp_path: Path) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a checkout")
    built = []
    for name in ("one", "other"):
        tree = tmp_path / name / "tree"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(tree)], check=True)
        built.append(packages.build(tree, tmp_path / name / "out", 1_800_000_000))
    packages.check_same(built[0], built[1])
    packages.check(built[0], tmp_path / "one" / "tree")
