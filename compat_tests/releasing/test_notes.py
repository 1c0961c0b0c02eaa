"""Version and release notes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from compat_tests import ROOT
from compat_tests.releasing.checkout import git, project
from tools.releasing import notes
from tools.releasing.errors import Refused


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return project(tmp_path)


def test_a_clean_checkout_with_notes_may_be_released(checkout: Path) -> None:
    notes.check_ready(checkout, "0.2.0")


@pytest.mark.parametrize(
    "version", ["0.1.0", "0.0.9", "v0.2.0", "0.2", "0.2.0rc1", "", "None", "2"]
)
def test_another_version_is_refused(checkout: Path, version: str) -> None:
    with pytest.raises(Refused, match=r"X\.Y\.Z|not later"):
        notes.check_ready(checkout, version)


def test_files_that_are_not_committed_are_refused(checkout: Path) -> None:
    (checkout / "new.py").touch()
    with pytest.raises(Refused, match=r"new\.py"):
        notes.check_ready(checkout, "0.2.0")


def test_a_release_without_change_notes_is_refused(checkout: Path) -> None:
    git(checkout, "rm", "--quiet", "changes/+kept.fixed.md")
    git(checkout, "commit", "--quiet", "--message", "Notes are gone")
    with pytest.raises(Refused, match="no change notes"):
        notes.check_ready(checkout, "0.2.0")


def test_a_version_that_exists_is_refused(checkout: Path) -> None:
    git(checkout, "tag", "v0.3.0")
    with pytest.raises(Refused, match=r"tag v0\.3\.0"):
        notes.check_ready(checkout, "0.3.0")
    changelog = checkout / notes.CHANGELOG
    changelog.write_text(changelog.read_text() + "\n## 0.2.0 (2026-01-01)\n")
    git(checkout, "commit", "--quiet", "--all", "--message", "Notes are there")
    with pytest.raises(Refused, match="has notes"):
        notes.check_ready(checkout, "0.2.0")


def test_the_version_is_set_in_its_place(checkout: Path) -> None:
    before = (checkout / notes.PROJECT).read_text()
    notes.set_version(checkout, "0.2.0")
    assert notes.version_of(checkout) == "0.2.0"
    assert (checkout / notes.PROJECT).read_text() == before.replace("0.1.0", "0.2.0")


def test_a_second_line_with_a_version_is_refused(checkout: Path) -> None:
    file = checkout / notes.PROJECT
    file.write_text(file.read_text() + '\n[tool.other]\nversion = "1"\n')
    with pytest.raises(Refused, match="2 lines"):
        notes.set_version(checkout, "0.2.0")


def test_pyproject_is_the_only_place_of_the_version() -> None:
    version = notes.version_of(ROOT)
    # The project that `millstream new` writes has a version of its own.
    places = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "src").rglob("*.py")
        if f'"{version}"' in path.read_text(encoding="utf-8")
    ]
    assert [place for place in places if place != "src/millstream/cli/template.py"] == []


def test_the_notes_come_in_the_order_of_the_sections(tmp_path: Path) -> None:
    """What to know before an upgrade comes first, what nobody has sorted last."""
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    (tmp_path / "tools").symlink_to(ROOT / "tools")
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n<!-- towncrier: the notes of the next release come below -->\n"
    )
    for name in ("+a.added", "state/+b.fixed", "state/+c.added", "upgrade/+d.changed"):
        file = tmp_path / "changes" / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"About {name}.\n")
    command = ["build", "--draft", "--version", "9.0.0", "--date", "2030-01-01"]
    done = subprocess.run(
        [sys.executable, "-m", "towncrier", *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line for line in done.stdout.splitlines() if re.match("#|- ", line)]
    assert lines == [
        "## 9.0.0 (2030-01-01)",
        *("### Before you upgrade", "- About upgrade/+d.changed."),
        *("### State that goes on", "#### Added", "- About state/+c.added."),
        *("#### Fixed", "- About state/+b.fixed."),
        *("### More", "- About +a.added."),
    ]
