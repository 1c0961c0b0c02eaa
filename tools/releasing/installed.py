"""A wheel in a new environment: it imports, checks its machine, and makes a project that passes."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

from tools.releasing.errors import Refused
from tools.releasing.steps import run

PYTHONS = ("3.10", "3.13")
"""Oldest and newest version of Python that are supported."""


def pyenv_versions() -> dict[str, str]:
    """Return an environment that lets pyenv's commands start every interpreter that it has."""
    if shutil.which("pyenv") is None:
        return {}
    wanted = [
        name
        for name in run("pyenv", "versions", "--bare").split()
        if name.startswith("3.1") and name.count(".") == 2
    ]
    return {"PYENV_VERSION": ":".join(wanted)} if wanted else {}


def install(wheel: Path, python: str, folder: Path, find_links: str) -> Path:
    """Install a wheel and pytest in a new environment; return its interpreter.

    Args:
        wheel: The wheel.
        python: The version of Python, such as ``3.13``.
        folder: Where the environment goes.
        find_links: A folder of wheels that need not be fetched; may be empty.

    Raises:
        Refused: That Python is not here, or something cannot be installed.
    """
    more = {**pyenv_versions(), "UV_PYTHON_DOWNLOADS": "never"}
    if find_links:
        more["UV_FIND_LINKS"] = find_links
    uv = (sys.executable, "-m", "uv")
    run(*uv, "venv", "--quiet", "--python", python, folder, more=more)
    interpreter = folder / "bin" / "python"
    # Named: uv would take the environment of the Python that starts it, which is the checkout's.
    pip = (*uv, "pip", "install", "--quiet", "--python", interpreter)
    run(*pip, wheel, "pytest", more=more)
    return interpreter


def try_out(python: Path, folder: Path) -> None:
    """Use what is installed as a new user would.

    Args:
        python: The interpreter of the environment.
        folder: An empty folder to work in.

    Raises:
        Refused: A step failed.
    """
    # Nothing of a checkout.
    more = {
        "PATH": f"{python.parent}:{os.environ['PATH']}",
        "PYTHONPATH": "",
        "PYTHONWARNINGS": "",
    }
    found = run(
        python, "-c", "import millstream; print(millstream.__file__)", cwd=folder, more=more
    )
    if not found.startswith(str(python.parent.parent)):
        raise Refused(f"{python} imports another millstream: {found}")
    run("millstream", "--version", cwd=folder, more=more)
    check_doctor(run("sh", "-c", "millstream doctor --json || true", cwd=folder, more=more))
    run("millstream", "new", "tried-out", cwd=folder, more=more)
    project = folder / "tried-out"
    run(python, "-m", "pytest", "-q", "-W", "error", cwd=project, more=more)
    run("millstream", "describe", "src/tried_out/topology.py", cwd=project, more=more)


def check_doctor(found: str) -> None:
    """Check what ``millstream doctor --json`` says: nothing is wrong, but there may be no broker.

    Raises:
        Refused: Something else is broken.
    """
    broken = [each for each in json.loads(found)["checks"] if each["status"] == "broken"]
    wrong = [f"{each['what']}: {each['text']}" for each in broken if each["what"] != "broker"]
    if wrong:
        raise Refused(f"`millstream doctor` finds: {'; '.join(wrong)}")
