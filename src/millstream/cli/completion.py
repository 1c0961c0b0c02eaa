"""`millstream completion`: the script that lets a shell complete the command."""

from __future__ import annotations

import enum
import os
from pathlib import Path
from typing import Annotated

import typer


class CompletionShell(str, enum.Enum):
    """Shells of `millstream completion`."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(
    shell: Annotated[
        CompletionShell | None,
        typer.Argument(help="The shell; that of $SHELL by default.", show_default=False),
    ] = None,
) -> None:
    """Print the script that lets a shell complete subcommands and options."""
    # It does not declare what it exports.
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    name = shell.value if shell is not None else Path(os.environ.get("SHELL", "bash")).name
    if name not in {each.value for each in CompletionShell}:
        raise typer.BadParameter(f'"{name}" is not one of bash, zsh, fish.', param_hint="'SHELL'")
    typer.echo(
        get_completion_script(
            prog_name="millstream", complete_var="_MILLSTREAM_COMPLETE", shell=name
        )
    )
