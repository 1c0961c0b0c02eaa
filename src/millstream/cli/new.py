"""`millstream new`: a project with a topology, its test and its configuration."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated

import typer

from millstream.cli.options import AsJson, print_json


def new(
    name: Annotated[
        str,
        typer.Argument(help="The project: a new directory, or a path to it.", show_default=False),
    ],
    json: AsJson = False,
) -> None:
    """Write a new project: a word count with its test, configuration and README.

    Refuses a directory that exists and is not empty.
    """
    from millstream.cli.template import project_files
    from millstream.core.errors import IllegalArgumentException

    path = Path(os.path.expanduser(name))
    project = path.absolute().name
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*", project):
        raise typer.BadParameter(
            f'"{project}" cannot name a project: use letters, digits, and hyphens between them, '
            "beginning with a letter.",
            param_hint="'NAME'",
        )
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise IllegalArgumentException(
            f"{path} exists and is not an empty directory",
            hint="Choose another name; nothing is overwritten.",
        )
    files = project_files(project)
    try:
        for relative, text in files.items():
            file = path / relative
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise IllegalArgumentException(
            f"cannot write the project {path}", detail=f"{error}."
        ) from error
    if json:
        print_json({"project": project, "directory": str(path), "files": list(files)})
        return
    for relative in files:
        print(path / relative)
    print(f"\nNext: cd {path} && python -m pytest; README.md has the other commands.")
