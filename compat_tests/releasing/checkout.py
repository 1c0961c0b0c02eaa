"""A small checkout with what a release looks at."""

from __future__ import annotations

import subprocess
from pathlib import Path

PROJECT = """\
[project]
name = "millstream"
version = "0.1.0"

[tool.hatch.build.targets.sdist]
only-include = ["src", "README.md"]

[tool.towncrier]
name = "millstream"
filename = "CHANGELOG.md"
directory = "changes"
start_string = "<!-- here -->\\n"
ignore = ["README.md"]

[[tool.towncrier.type]]
directory = "fixed"
name = "Fixed"
showcontent = true
"""


def git(folder: Path, *arguments: str) -> str:
    """Run git with an identity of its own and no configuration of the user's."""
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", "-C", str(folder), *identity, *arguments],
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "GIT_CONFIG_GLOBAL": "/dev/null"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def make(folder: Path, files: dict[str, str]) -> Path:
    """Write files into a folder and commit them; return it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git(folder, "init", "--quiet", "--initial-branch", "main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "First", "--signoff")
    return folder


def project(folder: Path) -> Path:
    """Make a checkout that can be released."""
    return make(
        folder,
        {
            "pyproject.toml": PROJECT,
            "CHANGELOG.md": "# Changelog\n\n<!-- here -->\n\n## 0.1.0 (not released)\n",
            "changes/README.md": "Notes.\n",
            "changes/+kept.fixed.md": "State is kept.\n",
            "README.md": "Read.\n",
            "src/millstream/__init__.py": "",
        },
    )
