"""`millstream ui`: the address of a running application's live page; and `run --ui`."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer
from typer.core import TyperCommand

from millstream.cli.options import AsJson, ConfigFiles, Sets, print_json
from millstream.core.errors import IllegalArgumentException, StreamsException

ANY_FREE = "0"
_REACHED_S = 2.0

Ui = Annotated[
    int | None,
    typer.Option(
        "--ui",
        metavar="[PORT]",
        min=0,
        max=65535,
        help="Serve the live page: --ui at any free port, --ui=8080 at that one. The same as "
        "--set millstream.ui.port=PORT.",
        show_default=False,
    ),
]


class WithUi(TyperCommand):
    """A subcommand whose option ``--ui`` may stand without a value, which Typer cannot say."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; ``--ui`` alone is any free port."""
        given = [f"--ui={ANY_FREE}" if each == "--ui" else each for each in args]
        return super().parse_args(ctx, given)


def served(port: int | None) -> list[str]:
    """Return the entries that let an application serve its page."""
    return [] if port is None else [f"millstream.ui.port={port}"]


def ui(
    app: Annotated[
        str,
        typer.Argument(
            help="The application's application.id, or a configuration file that has it.",
            show_default=False,
        ),
    ],
    opened: Annotated[bool, typer.Option("--open", help="Open it in a browser.")] = False,
    json: AsJson = False,
    config: ConfigFiles = None,
    sets: Sets = None,
) -> None:
    """Print the address of a running application's live page.

    On the driver's machine; state.dir must be that of the application. An application serves its
    page when millstream.ui.port is set, or with millstream run --ui.
    """
    from millstream.page.address import noted

    name, directory = _place(app, config, sets)
    found = noted(directory)
    if found is None:
        raise IllegalArgumentException(
            f'the application "{name}" serves no live page',
            detail=f'There is no page.json in "{directory}".',
            hint="Start it with millstream run --ui, or with millstream.ui.port in its "
            "configuration; --set state.dir=... says where its local files are.",
        )
    if not answers(found.url):
        raise StreamsException(
            f'the live page of "{name}" does not answer at {found.url}',
            detail="The application has ended without removing its file, or it hangs.",
            hint="Start it again.",
        )
    if json:
        print_json({"application": name, "url": found.url, "token": found.token, "pid": found.pid})
    else:
        typer.echo(found.url)
        if found.token:
            typer.echo("It asks for a token: add ?token=..., the entry millstream.ui.token.")
    if opened:
        typer.launch(found.url)


def answers(url: str) -> bool:
    """Tell whether something listens at an address."""
    parts = urlsplit(url)
    try:
        with socket.create_connection((parts.hostname or "", parts.port or 0), _REACHED_S):
            return True
    except OSError:
        return False


def _place(app: str, config: list[Path] | None, sets: list[str] | None) -> tuple[str, Path]:
    """Return the application's id and the directory of its local files."""
    from millstream.cli.settings import entries, streams_config

    is_file = app.endswith((".toml", ".properties")) and Path(app).is_file()
    given = entries([Path(app), *(config or ())] if is_file else config, sets)
    name = str(given.get("application.id", "")) if is_file else app
    if not name:
        raise IllegalArgumentException(
            f'"{app}" has no application.id', hint="Name the application: millstream ui my-app."
        )
    checked = streams_config(
        {"state.dir": given["state.dir"]} if "state.dir" in given else {}, name
    )
    return name, Path(checked.getString("state.dir")) / name
