"""Commands that a release runs, and the work tree in which it is prepared."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tools.releasing.errors import Refused


def run(
    *command: str | Path, cwd: Path | None = None, more: Mapping[str, str] | None = None
) -> str:
    """Run a command, and return what it prints.

    Args:
        command: The command and its arguments.
        cwd: The folder to run it in.
        more: Entries of the environment besides those of this process.

    Raises:
        Refused: It failed, or is not there; the text has the end of its output.
    """
    words = [str(word) for word in command]
    environment = {**os.environ, **(more or {})}
    try:
        done = subprocess.run(
            words, cwd=cwd, env=environment, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise Refused(f"cannot run {words[0]}: it is not there") from None
    if done.returncode:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-30:])
        raise Refused(f"`{' '.join(words)}` failed with status {done.returncode}:\n{last}")
    return done.stdout


def git(folder: Path, *arguments: str | Path) -> str:
    """Run git in a checkout, and return what it prints, without the last line's end."""
    return run("git", "-C", folder, *arguments).rstrip("\n")


def tracked(folder: Path) -> list[str]:
    """Return the paths of all files that git knows in a checkout."""
    return git(folder, "ls-files", "-z").rstrip("\0").split("\0")


@contextmanager
def work_tree(root: Path) -> Iterator[Path]:
    """A work tree of what is checked out at ``root``; it is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="millstream-release-") as name:
        tree = Path(name, "tree")
        git(root, "worktree", "add", "--quiet", "--detach", tree, "HEAD")
        try:
            yield tree
        finally:
            git(root, "worktree", "remove", "--force", tree)
