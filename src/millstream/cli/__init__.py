"""The `millstream` command; docs/command.md is its page."""

from millstream.cli.main import main as main
