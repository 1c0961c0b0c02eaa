"""`millstream doctor`: what is needed to run an application, and what to do where it is missing."""

from __future__ import annotations

from dataclasses import asdict

import typer

from millstream.cli.options import AsJson, ConfigFiles, Sets, print_json

_MARKS = {"ok": "ok  ", "warning": "warn", "broken": "FAIL", "skipped": "-   "}


def doctor(json: AsJson = False, config: ConfigFiles = None, sets: Sets = None) -> None:
    """Check Java, Python, packages, jars, the broker, TLS and disk; say the cure of what is wrong.

    Give the application's configuration to check its broker and its directories. Starts nothing.
    Exit code 1 if something is broken.
    """
    from millstream.cli.checkup import checkup
    from millstream.cli.settings import entries

    found = []
    for finding in checkup(entries(config, sets)):
        found.append(finding)
        if not json:
            cure = f" {finding.cure}" if finding.cure else ""
            print(f"{_MARKS[finding.status]} {finding.what}: {finding.text}{cure}", flush=True)
    broken = [finding for finding in found if finding.status == "broken"]
    if json:
        print_json({"broken": len(broken), "checks": [asdict(finding) for finding in found]})
    if broken:
        raise typer.Exit(1)
