"""Files of the working directory that hide modules from Spark's Python workers on this machine.

Spark starts its workers with ``python -m``, so that they search the working directory first. A
program that was started from elsewhere does not: with a ``types.py`` there it runs, and its workers
die at their start; with a ``rules.py`` there they have other functions than the program.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType

log = logging.getLogger(__name__)

_SAFE_PATH = "PYTHONSAFEPATH"
_ALWAYS_THERE = ("built-in", "frozen")
HINT = "Start the program from another directory, or give these files other names."


def hiding_files(directory: Path, loaded: Mapping[str, ModuleType] | None = None) -> dict[str, str]:
    """Return files of a directory that a worker imports instead of the program's modules.

    Args:
        directory: Where the workers start.
        loaded: The program's modules; None for all that are loaded.

    Returns:
        The file -> what the program has under its name.
    """
    if sys.version_info >= (3, 11) and os.environ.get(_SAFE_PATH):
        return {}
    found = {}
    for name, module in list((sys.modules if loaded is None else loaded).items()):
        own = _place(name, module)
        if not own or "." in name:
            continue
        spec = PathFinder.find_spec(name, [str(directory)])
        if spec is None or spec.loader is None or not spec.origin:
            continue
        if not any(_same(spec.origin, each) for each in own):
            found[spec.origin] = own[0]
    return found


def of_local_workers(master: str) -> dict[str, str]:
    """Return the hiding files for the workers of a master; none on a cluster."""
    if master.split("[")[0] != "local":
        return {}
    try:
        return hiding_files(Path.cwd())
    except OSError:
        return {}


def of_the_standard_library(hidden: Mapping[str, str]) -> dict[str, str]:
    """Return those of the hiding files without whose modules a worker does not even start."""
    return {file: own for file, own in hidden.items() if _name(file) in sys.stdlib_module_names}


def warn_of_hiding_files(master: str) -> None:
    """Log a warning if workers of a local master would import other modules than the program."""
    if hidden := of_local_workers(master):
        log.warning("%s %s", described(hidden), HINT)


def described(hidden: Mapping[str, str]) -> str:
    """Say which files hide what."""
    what = ", ".join(f"{file} (hides {own})" for file, own in sorted(hidden.items()))
    return (
        "Python workers search the working directory first, and find there other modules than "
        f"this program has: {what}."
    )


def _name(file: str) -> str:
    path = Path(file)
    return path.parent.name if path.stem == "__init__" else path.name.partition(".")[0]


def _place(name: str, module: ModuleType) -> list[str]:
    """Return where a module was loaded from; nothing if that cannot be hidden or is not known."""
    spec = getattr(module, "__spec__", None)
    # The main module, whose name differs, goes to workers by value.
    if spec is None or spec.name != name or spec.origin in _ALWAYS_THERE:
        return []
    if spec.origin:
        return [str(spec.origin)]
    # Of a package without a file of its own any file of that name comes first.
    return [str(Path(each, "__init__.py")) for each in spec.submodule_search_locations or ()]


def _same(one: str, other: str) -> bool:
    return Path(one).resolve() == Path(other).resolve()
