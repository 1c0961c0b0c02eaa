"""Files that stand for topics in a run over history, as users give them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from millstream.core.errors import IllegalArgumentException

Inputs = Mapping[str, tuple[str, ...]]
"""Topic -> paths of files or directories, on any file system of Spark's."""

_LINES = (".json", ".jsonl", ".ndjson")
_PACKED = (".gz", ".bz2", ".zst", ".lz4", ".snappy")


def inputs(given: Any) -> Inputs:
    """Return files by topic from a user's argument.

    Args:
        given: A mapping of topics to a path or a sequence of paths; None for no files.

    Raises:
        IllegalArgumentException: It is something else.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise _wrong(f"{given!r} is not a mapping.")
    found: dict[str, tuple[str, ...]] = {}
    for topic, paths in given.items():
        if not isinstance(topic, str) or not topic:
            raise _wrong(f"{topic!r} is not the name of a topic.")
        each = (paths,) if isinstance(paths, str | os.PathLike) else paths
        if not isinstance(each, list | tuple) or not each:
            raise _wrong(f'{paths!r}, for topic "{topic}", is not a path.')
        if not all(isinstance(path, str | os.PathLike) and str(path) for path in each):
            raise _wrong(f'{paths!r}, for topic "{topic}", is not a list of paths.')
        found[topic] = tuple(_absolute(str(path)) for path in each)
    return found


def check_inputs(files: Inputs, read: Mapping[str, int]) -> None:
    """Check that files stand for topics that the application reads.

    Raises:
        IllegalArgumentException: One does not.
    """
    for topic in files:
        if topic not in read:
            raise IllegalArgumentException(
                f'the application does not read topic "{topic}", which a file is to stand for',
                detail=f"It reads {', '.join(sorted(read)) or 'no topic'}.",
            )


def is_json_lines(path: str) -> bool:
    """Return whether a path is of JSON lines, by its name or those of the files in it.

    Everything else is taken for Parquet.
    """
    local = Path(path.removeprefix("file://"))
    names = [path]
    if local.is_dir():
        names = sorted(
            each.name for each in local.rglob("*") if not each.name.startswith(("_", "."))
        )
    return any(_bare(name).endswith(_LINES) for name in names)


def as_text(files: Inputs) -> str:
    """Return files as text, the same for equal ones."""
    return json.dumps({topic: list(paths) for topic, paths in files.items()}, sort_keys=True)


def _bare(name: str) -> str:
    for suffix in _PACKED:
        name = name.removesuffix(suffix)
    return name.lower()


def _absolute(path: str) -> str:
    return path if "://" in path else str(Path(path).absolute())


def _wrong(detail: str) -> IllegalArgumentException:
    return IllegalArgumentException(
        "these are not files for topics",
        detail=detail,
        hint='Give {"topic": "path"}, or a list of paths for a topic.',
    )
