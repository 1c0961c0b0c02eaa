"""A release, from the change notes to checked packages. Nothing is published.

``make release VERSION=X.Y.Z`` sets the version, writes the notes and the page of licences, commits
them, builds and checks everything in ``dist``. If something is not as it should be, nothing is
changed. ``--artifacts X.Y.Z`` builds and checks the packages of the commit that is checked out.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).parents[1]
if not __package__:
    # A program finds its own folder only, and not the folder "tools" that its parts are in.
    sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from millstream.jars.lock import lock_names, read_lock
from tools.releasing import components, installed, notes, packages
from tools.releasing.closure import closure, user_extras
from tools.releasing.errors import Refused
from tools.releasing.licences import read_licences
from tools.releasing.steps import git, run, work_tree

# What may be wrong with the files that a release itself writes.
_TESTS = ("contributing", "docs", "tidy")


def release(root: Path, version: str, out: Path, say: Callable[[str], None]) -> None:
    """Prepare a version: see the module."""
    notes.check_ready(root, version)
    say("checks of `make check`")
    run("sh", root / "tools" / "check.sh")
    with work_tree(root) as tree:
        say(f"version and notes of {version}")
        prepare(tree, version)
        say("tests of what is new in the texts")
        run(
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *(f"compat_tests/test_{name}.py" for name in _TESTS),
            cwd=tree,
            more={"PYTHONPATH": str(tree / "src")},
        )
        git(tree, "add", "--all")
        git(tree, "commit", "--quiet", "--signoff", "--message", f"Release {version}")
        artifacts(tree, version, out, say)
        commit = git(tree, "rev-parse", "HEAD")
    git(root, "merge", "--ff-only", "--quiet", commit)
    say(f"done: {commit[:10]} is release {version}, its packages are in {out}")
    say(f"next: git tag --sign v{version}, and push it (docs/releasing.md)")


def prepare(tree: Path, version: str) -> None:
    """Write the version, the release notes and the page of licences into a work tree."""
    now = int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    notes.write_notes(tree, version, datetime.fromtimestamp(now, timezone.utc).date().isoformat())
    notes.set_version(tree, version)
    run(sys.executable, "-m", "tools.releasing.page", cwd=tree, more={"PYTHONPATH": "src"})


def artifacts(checkout: Path, version: str, out: Path, say: Callable[[str], None]) -> None:
    """Build and check the packages of a commit, and put them into a folder that they replace."""
    if (found := notes.version_of(checkout)) != version:
        raise Refused(f"{notes.PROJECT} has version {found}, and not {version}")
    epoch = int(git(checkout, "log", "-1", "--format=%ct"))
    with tempfile.TemporaryDirectory(prefix="millstream-packages-") as name:
        folder = Path(name)
        say("wheel and sdist, twice")
        built = packages.build(checkout, folder / "one", epoch)
        # From another place, with other rights of files.
        with work_tree(checkout) as other:
            previous = os.umask(0o077)
            try:
                again = packages.build(other, folder / "two", epoch)
            finally:
                os.umask(previous)
        packages.check_same(built, again)
        packages.check(built, checkout)
        for python in installed.PYTHONS:
            say(f"installation with Python {python}")
            bill = try_out(built, python, folder / python, epoch)
        (folder / "one" / f"millstream-{version}.cdx.json").write_text(bill, encoding="utf-8")
        files = sorted((folder / "one").iterdir())
        (folder / "one" / "SHA256SUMS").write_text(packages.checksums(files), encoding="utf-8")
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(folder / "one", out)


def try_out(built: packages.Packages, python: str, folder: Path, epoch: int) -> str:
    """Install a wheel, use it, check all licences; return the list of what was installed."""
    folder.mkdir()
    environment = folder / "environment"
    links = run("sh", ROOT / "tools" / "wheels.sh").strip()
    interpreter = installed.install(built.wheel, python, environment, links)
    (folder / "work").mkdir()
    installed.try_out(interpreter, folder / "work")
    path = [str(each) for each in environment.glob("lib/python*/site-packages")]
    markers = {"python_version": python, "python_full_version": f"{python}.0"}
    found = closure(path=path, markers=markers)
    locks = {name: read_lock(name) for name in lock_names()}
    licences = read_licences()
    licences.check(found.values(), (jar for locked in locks.values() for jar in locked))
    licences.check(closure(extras=user_extras()).values(), ())
    return components.bill(found, locks, licences, epoch)


def main() -> int:
    """Read the command line, and release."""
    parser = argparse.ArgumentParser(description="Prepare a release. Nothing is published.")
    parser.add_argument("version", help="X.Y.Z, later than the one in pyproject.toml")
    parser.add_argument(
        "--artifacts",
        action="store_true",
        help="only build and check the packages of what is checked out, which has this version",
    )
    given = parser.parse_args()
    step = artifacts if given.artifacts else release
    try:
        step(ROOT, given.version, ROOT / "dist", lambda text: print(f"release: {text}", flush=True))
    except Refused as error:
        print(f"release: refused: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
