"""The command line: `millstream broker`, `millstream jars`, `millstream plugins`."""

from millstream.cli.main import main as main
