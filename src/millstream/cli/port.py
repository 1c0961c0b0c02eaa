"""`millstream port-check` and `millstream port`: judge a Java program, and draft it in Python."""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import Annotated

import typer

from millstream.cli.options import AsJson
from millstream.core.errors import IllegalArgumentException


def port_check(
    sources: Annotated[
        list[Path], typer.Argument(metavar="SRC...", help="Java or Kotlin files, or folders.")
    ],
    json: AsJson = False,
    show_same: Annotated[
        bool, typer.Option("--all", help="Also list what is the same here.")
    ] = False,
) -> None:
    """Say for each use of Kafka Streams whether it is the same here, differs or is missing.

    Exit status 0: everything is here, maybe different. 1: something is missing, or a file could
    not be read wholly.
    """
    from millstream.cli.port_report import print_report
    from millstream.porting.checking.report import as_json, check

    report = check(sources)
    if json:
        typer.echo(json_format.dumps(as_json(report), indent=1))
    else:
        print_report(report, show_same)
    raise typer.Exit(0 if report.clean else 1)


def port(
    file: Annotated[Path, typer.Argument(help="A Java file.", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the draft into this file.", show_default=False),
    ] = None,
    json: AsJson = False,
) -> None:
    """Write a first draft of a Java file in Python.

    What cannot be translated stays as a comment with the Java text, followed by an error that
    names the line; the draft is valid Python in any case.

    Exit status 0: a draft was made, maybe with places left. 1: there are lines that the parser
    could not read, so that what they say is missing in the draft; or no draft was made.
    """
    from millstream.porting.drafting.draft import draft_file

    draft = draft_file(file)
    left = sorted(set(draft.left))
    if output is not None:
        try:
            output.write_text(draft.text, encoding="utf-8")
        except OSError as error:
            raise IllegalArgumentException(
                f"cannot write {output}", detail=f"{error.strerror}."
            ) from error
    if json:
        shown = {"text": draft.text, "left": list(draft.left), "unread": list(draft.unread)}
        typer.echo(json_format.dumps(shown, indent=1))
    elif output is None:
        typer.echo(draft.text, nl=False)
    places = f"{len(draft.left)} {'place is' if len(draft.left) == 1 else 'places are'} left"
    where = f", from lines {', '.join(map(str, left))} of {file.name}" if left else ""
    typer.echo(f"millstream: {places}{where}.", err=True)
    if draft.unread:
        listed = ", ".join(map(str, draft.unread))
        typer.echo(
            f"millstream: lines that the parser could not read: {listed}. What they say is missing"
            " in the draft, or may be wrong. Does the Java compiler accept them?",
            err=True,
        )
        raise typer.Exit(1)
