"""`millstream plugins`: lists the installed plugins, and checks one."""

from __future__ import annotations

import logging
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from millstream.cli.options import AsJson, print_json
from millstream.core.errors import PluginError
from millstream.core.wording import a
from millstream.plugins.listing import Offer, listed
from millstream.plugins.registry import installed

plugins = typer.Typer(help="List the installed plugins, or check one.")


@plugins.callback(invoke_without_command=True)
def show(context: typer.Context, json: AsJson = False) -> None:
    """List the installed plugins with traits and versions."""
    if context.invoked_subcommand is not None:
        return
    if json:
        offers = listed(installed())
        print_json(
            [
                {
                    "kind": offer.kind.noun,
                    "name": offer.name,
                    "traits": list(offer.promised()),
                    "from": offer.distribution,
                    "class": offer.path,
                }
                for offer in offers
            ]
        )
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("kind", "name", "traits", "from", "class"):
        table.add_column(heading, overflow="fold")
    for offer in listed(installed()):
        traits = ", ".join(offer.promised())
        table.add_row(offer.kind.noun, offer.name, traits, offer.distribution, offer.path)
    # Without a terminal: wide enough for every column.
    console = Console()
    (console if console.is_terminal else Console(width=200)).print(table)


@plugins.command("check")
def check(
    name: Annotated[str, typer.Argument(help="The plugin's name, as `millstream plugins` shows.")],
    kind: Annotated[
        str | None, typer.Option(help="Its kind; by default all plugins of that name are checked.")
    ] = None,
) -> None:
    """Run the compliance tests against an installed plugin; exit status 1 if it fails one."""
    logger = logging.getLogger("millstream")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        for offer in _chosen(name, kind):
            typer.echo(f'{offer.kind.noun} "{name}", {offer.path}, from {offer.distribution}')
            _check(offer)
    finally:
        logger.setLevel(level)


def _check(offer: Offer) -> None:
    failed = 0
    with tempfile.TemporaryDirectory(prefix="millstream-check-") as folder:
        for outcome in _outcomes(offer, Path(folder)):
            label = outcome.test.removeprefix("test_").replace("_", " ")
            typer.echo(f"  {'ok  ' if outcome.passed else 'FAIL'} {label}")
            if not outcome.passed:
                failed += 1
                typer.echo("       " + outcome.message().replace("\n", "\n       "))
    if failed:
        raise PluginError(
            f'{offer.kind.noun} "{offer.name}" breaks its contract',
            detail=f"It failed {failed} {'test' if failed == 1 else 'tests'}.",
        )
    typer.echo("  It keeps its promises.")


def _chosen(name: str, kind: str | None) -> list[Offer]:
    offers = listed(installed())
    found = [each for each in offers if each.name == name and kind in (None, each.kind.noun)]
    if not found:
        names = sorted({each.name for each in offers if kind in (None, each.kind.noun)})
        raise PluginError(
            f'no installed plugin offers {a(kind or "thing")} named "{name}"',
            detail=f"There are: {', '.join(names) or 'none'}.",
        )
    return found


def _outcomes(offer: Offer, folder: Path) -> Any:
    if find_spec("hypothesis") is None:
        raise PluginError(
            "cannot check a plugin: hypothesis is not installed",
            hint='Run: pip install "millstream[test]"',
        )
    from millstream.testing.kit.suites import outcomes

    return outcomes(offer.kind, offer.name, folder)
