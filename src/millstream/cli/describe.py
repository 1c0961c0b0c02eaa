"""`millstream describe`: a topology as Kafka's text or as a drawing."""

from __future__ import annotations

import enum
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from millstream.cli.options import ConfigFiles, Sets, Target

if TYPE_CHECKING:
    from millstream.topology.describe import TopologyDescription


class DrawingFormat(str, enum.Enum):
    """Formats of `millstream describe`."""

    TEXT = "text"
    MERMAID = "mermaid"
    DOT = "dot"
    SVG = "svg"
    JSON = "json"


def describe(
    target: Target,
    form: Annotated[
        DrawingFormat,
        typer.Option(
            "--format",
            "-f",
            help="text: what Kafka's describe() prints; mermaid: for Markdown pages; dot: for "
            "Graphviz; svg: an image, without Graphviz.",
        ),
    ] = DrawingFormat.TEXT,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write to.", show_default=False)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    config: ConfigFiles = None,
    sets: Sets = None,
) -> None:
    """Print a topology's description, or draw it. Starts nothing and needs no broker."""
    from millstream.cli.settings import entries
    from millstream.cli.target import load_target
    from millstream.core.errors import IllegalArgumentException
    from millstream.topology import drawing

    if json and form not in (DrawingFormat.TEXT, DrawingFormat.JSON):
        raise typer.BadParameter("Choose one of --format and --json.")
    given = entries(config, sets)
    description = load_target(target, given).topology.describe()
    forms: dict[DrawingFormat, Callable[[TopologyDescription], str]] = {
        DrawingFormat.TEXT: str,
        DrawingFormat.MERMAID: drawing.to_mermaid,
        DrawingFormat.DOT: drawing.to_dot,
        DrawingFormat.SVG: drawing.to_svg,
        DrawingFormat.JSON: drawing.to_json,
    }
    drawn = forms[DrawingFormat.JSON if json else form](description)
    if output is None:
        typer.echo(drawn)
        return
    try:
        output.write_text(drawn + "\n", encoding="utf-8")
    except OSError as error:
        raise IllegalArgumentException(
            f"cannot write {output}", detail=f"{error.strerror}."
        ) from error
