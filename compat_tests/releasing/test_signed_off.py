"""The check that commits are signed off by their authors."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from compat_tests import ROOT
from compat_tests.releasing.checkout import git, make


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return make(tmp_path, {"a.txt": "a"})


def check(checkout: Path, commits: str = "main~1..main") -> subprocess.CompletedProcess[str]:
    script = str(ROOT / "tools" / "signed_off.sh")
    return subprocess.run(
        ["sh", script, commits], cwd=checkout, capture_output=True, text=True, check=False
    )


def commit(checkout: Path, *arguments: str) -> None:
    git(checkout, "commit", "--quiet", "--allow-empty", *arguments)


def test_a_commit_with_its_authors_line_passes(checkout: Path) -> None:
    commit(checkout, "--message", "Signed", "--signoff")
    assert check(checkout).returncode == 0


@pytest.mark.parametrize(
    "message",
    [
        "None",
        "Other\n\nSigned-off-by: B <b@example.com>",
        "In text: Signed-off-by: A <a@example.com>.",
    ],
    ids=["none", "another's", "no trailer"],
)
def test_any_other_commit_is_named(checkout: Path, message: str) -> None:
    commit(checkout, "--message", message)
    found = check(checkout)
    assert found.returncode == 1
    assert (
        f"not signed off by a@example.com: {git(checkout, 'log', '-1', '--format=%h').strip()}"
        in (found.stderr)
    )


def test_a_merge_need_not_be_signed(checkout: Path) -> None:
    git(checkout, "switch", "--quiet", "--create", "side")
    commit(checkout, "--message", "Side", "--signoff")
    git(checkout, "switch", "--quiet", "main")
    git(checkout, "merge", "--quiet", "--no-ff", "--message", "Merge", "side")
    assert check(checkout).returncode == 0


def test_commits_that_are_not_there_are_an_error(checkout: Path) -> None:
    assert check(checkout, "nowhere..main").returncode != 0
